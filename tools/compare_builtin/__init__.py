"""Run Scrapy's built-in middleware and our middleware in the same scenarios.

`python -m tools.compare_builtin` (`example_project/compare_builtin`) runs all scenarios
as real crawls, and prints one table. `registry` defines the class of a scenario.
`waiting`, `failures`, `origins` and `storing` contain the scenarios. `crawls` runs one
crawl. `in_process` contains the hooks and middlewares for the process of the crawl.
"""
