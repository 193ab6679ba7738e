"""Run the same scenarios as real crawls, with Scrapy's middleware and with ours.

`python -m tools.compare_builtin` prints one table. `scenarios` describes the scenarios, and
`in_process` runs inside the crawls.
"""
