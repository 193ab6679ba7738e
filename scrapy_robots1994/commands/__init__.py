"""The Scrapy commands `robots-check`, `robots-lint`, `robots-compare` and `robots-evidence`,
and the console script `robots-lint`.

Scrapy imports the modules of all commands to run one, so slow imports are inside functions.
`terminal`, `inputs` and `robots_lint` import neither Scrapy nor Twisted.
"""
