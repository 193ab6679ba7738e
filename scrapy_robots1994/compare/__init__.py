"""Differences between the decisions of other parsers and ours, and the lines that cause them.

`questions` makes the questions, `rows` asks the parsers and counts, `why` finds the lines, and
`report` shows the result, with `report.js` in a browser. No module imports another parser,
because the caller passes them in.
"""
