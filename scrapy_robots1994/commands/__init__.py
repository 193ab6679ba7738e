"""The Scrapy commands `robots-check`, `robots-lint`, `robots-compare` and `robots-store`,
and the console script `robots-lint`.

Scrapy loads the modules of all commands, whichever command the user runs. Most modules that
a command needs are therefore imported only when the command itself runs. The modules
`terminal`, `inputs` and `robots_lint` import neither Scrapy nor Twisted.
"""
