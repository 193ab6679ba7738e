"""The commands `scrapy robots-check`, `robots-lint`, `robots-compare` and `robots-store`, and the
console script `robots-lint`.

Scrapy loads the modules of all commands whenever it runs any command. So a command imports the
modules for its work only when it runs. `terminal`, `inputs` and `robots_lint` import neither
Scrapy nor Twisted.
"""
