"""Find the problems with a file, and the effect of each line on a strict robot. The modules
of this package do not perform I/O.

`kinds` contains the table of the kinds of problems. `lines` (with `characters` and
`values`), `records`, `usage` and `problems` find problems in the lines that the reader
returns. `fixes` describes how an author can correct a file. `report` finds the effect of
each line. `formats` shows a report as text, JSON, or GitHub annotations.
"""
