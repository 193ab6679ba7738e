"""The Scrapy commands `robots-check`, `robots-lint`, `robots-compare` and `robots-evidence`,
and the console script `robots-lint`.

Slow imports are inside functions, because Scrapy imports every command, whichever one it runs.
`terminal`, `inputs`, `lint_report` and `robots_lint` import neither Scrapy nor Twisted.
"""
