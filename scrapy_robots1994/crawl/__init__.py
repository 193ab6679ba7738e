"""The Scrapy plugin. Only this package and `commands` import Scrapy and Twisted."""
