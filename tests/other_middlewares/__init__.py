"""Crawls with other middlewares, handlers, limits, signals and caches of Scrapy."""
