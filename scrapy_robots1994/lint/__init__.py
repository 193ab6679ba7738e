"""Problems of a file: the table of their kinds, and the checks that find them.

`problems` runs the checks of `lines` (with `values` and `characters`) and of `records`. The
middleware never imports this package.
"""
