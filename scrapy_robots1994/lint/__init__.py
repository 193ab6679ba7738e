"""A file as a strict robot of 1994 reads it, line by line. Pure: no IO.

`report` says what each line does and counts problems; `formats` shows that as text, JSON,
annotations of a workflow, or SARIF.
"""
