"""The Scrapy commands `robots-check`, `robots-lint`, `robots-compare` and `robots-evidence`,
and the console script `robots-lint`.

Scrapy loads the modules of all commands, whichever command the user runs. Therefore, most
other modules that a command needs are imported only when this command runs. The modules
`terminal`, `inputs` and `robots_lint` import neither Scrapy nor Twisted.
"""
