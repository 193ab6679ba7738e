"""What is wrong in a file, and what each line of it does to a strict robot. Pure: no IO.

`kinds` is the table of problems. `lines` (with `characters` and `values`), `records` and
`problems` find them in the lines of the one reader; `report` says what each line does, and
`formats` shows that as text, JSON, or annotations of a workflow.
"""
