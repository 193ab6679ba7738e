"""The commands: `scrapy robots-check`, `-lint`, `-compare`, `-store`, and `robots-lint`.

Scrapy loads every command whenever it runs any, so a command imports what it needs for
its work when it works. `terminal`, `inputs` and `robots_lint` import neither Scrapy nor
Twisted.
"""
