"""The commands: `scrapy robots-check`, `-lint`, `-compare`, `-store`, and `robots-lint`.

Whenever Scrapy runs any command, it loads the modules of all commands. So a command imports
the modules that it needs for its work only when it runs. `terminal`, `inputs` and `robots_lint`
import neither Scrapy nor Twisted.
"""
