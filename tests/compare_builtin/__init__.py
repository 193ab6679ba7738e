"""Scrapy's built-in middleware and ours in the same situations, each a real crawl.

`python -m tests.compare_builtin` (`example_project/compare_builtin`) runs them all and
prints one table. `registry` says what a scenario is; `waiting`, `failures`, `origins`,
`storing` and `messages` hold them by subject; `crawls` runs one crawl, `in_process` is
what runs inside it, `table` prints.
"""
