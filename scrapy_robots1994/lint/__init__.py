"""The kinds of problems that a robots.txt can have, and the checks that find them.

`problems` runs the checks in `lines` and `records`. `lines` uses the checks in `values`
and `characters`. The middleware never imports this package.
"""
