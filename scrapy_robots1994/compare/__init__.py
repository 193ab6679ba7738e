"""Compare the decisions of other parsers with ours, and find the lines that cause differences.

`questions` generates the questions, `rows` asks the parsers and counts their decisions, `why` finds
the lines, and `report` writes the result.
"""
