"""Find the problems with a file, and the effect of each line on a strict robot. No module
of this package performs I/O.

`kinds` is the table of the kinds of problems. `lines` (with `characters` and `values`),
`records`, `usage` and `problems` find problems in the lines that the reader returns.
`fixes` has the advice for authors. `report` has the effect of each line. `formats` shows a
report as text, JSON, or GitHub annotations.
"""
