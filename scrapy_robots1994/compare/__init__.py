"""Where other parsers decide differently, and because of which lines.

`questions` makes what is asked, `rows` asks the parsers and counts, `why` finds the lines,
`report` shows. Nothing here imports another parser: the caller passes them in.
"""
