"""Run Scrapy's built-in middleware and our middleware in the same scenarios.

`python -m tools.compare_builtin` (`example_project/compare_builtin`) runs all scenarios
as real crawls, and prints one table. The module `registry` defines the class of a
scenario. The modules `waiting`, `failures`, `origins` and `storing` contain the
scenarios. The module `crawls` runs one crawl. The module `in_process` contains the hooks
and middlewares for the process of the crawl.
"""
