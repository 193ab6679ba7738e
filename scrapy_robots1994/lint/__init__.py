"""The problems of a file, and the effect of each line for a strict robot. No module here
does IO.

`kinds` is the table of the kinds of problems. `lines` (with `characters` and `values`),
`records`, `usage` and `problems` find problems in the lines that the reader returns.
`fixes` has the advice. `report` has the effect of each line, and `formats` shows a report
as text, JSON, or annotations of a workflow.
"""
