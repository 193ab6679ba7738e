"""Real crawls with Scrapy's built-in middleware and with ours in the same scenarios.

`python -m tools.compare_builtin` (`example_project/compare_builtin`) runs all scenarios,
and prints one table. `registry` defines a scenario. `waiting`, `failures`, `origins`,
`storing` and `messages` have the scenarios of each subject. `crawls` runs one crawl,
`in_process` has the hooks and middlewares that run in it, and `table` prints the table.
"""
