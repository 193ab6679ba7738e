"""The Scrapy commands `robots-check`, `robots-lint`, `robots-compare` and `robots-evidence`,
and the console script `robots-lint`.

Scrapy loads the modules of all commands for each, so most imports are late. The modules
`terminal`, `inputs` and `robots_lint` import neither Scrapy nor Twisted.
"""
