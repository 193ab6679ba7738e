"""The town again, crawled by several workers of scrapy-redis."""
