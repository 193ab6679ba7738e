"""A crawl by several workers of scrapy-redis that share one Redis server."""
