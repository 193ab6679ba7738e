"""Commands of `scrapy`: arguments to values, one question to the lower floors, print.

Scrapy loads every command whenever it runs any, so what a command needs for its work is
imported only by the rooms beside it that do the work: `asking` (through the project's
own downloader), `sources` (files and lists of URLs) and `terminal`.
"""
