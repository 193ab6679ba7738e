"""The same situations with Scrapy's middleware and with ours, as real crawls.

`python -m tools.compare_builtin` prints one table. `scenarios` describes the situations, and
`in_process` is what runs inside the crawls.
"""
