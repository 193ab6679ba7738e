"""The Scrapy commands `robots-check`, `robots-lint`, `robots-compare` and `robots-store`,
and the console script `robots-lint`.

Whenever Scrapy runs any command, it loads the modules of all commands. A command therefore
imports most of its modules only when that command itself runs. The modules `terminal`,
`inputs` and `robots_lint` import neither Scrapy nor Twisted.
"""
