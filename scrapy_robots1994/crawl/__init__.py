"""The Scrapy plugin. Only `crawl` and `commands` import Scrapy or Twisted."""
