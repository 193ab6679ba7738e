"""Where other parsers decide differently, and by which lines.

`rows` asks the parsers and counts, `why` finds the lines, `report` shows. Nothing here
imports another parser: who compares hands them in.
"""
