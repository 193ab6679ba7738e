"""What is wrong in a file: the table of kinds of problems, and the checks.

`problems` runs the checks of `lines` (with `values` and `characters`) and of `records`. No
crawl imports this package.
"""
