"""The same situations with Scrapy's middleware and with ours, as real crawls.

`python -m tools.compare_builtin` prints one table. `scenarios` has the situations,
`in_process` what runs inside of their crawls.
"""
