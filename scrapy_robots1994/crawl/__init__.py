"""The Scrapy side: with `commands`, the only package that imports Scrapy and Twisted."""
