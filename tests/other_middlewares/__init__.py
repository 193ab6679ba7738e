"""Tests with Scrapy's other middlewares, handlers, limits, signals and caches."""
