"""A crawl by scrapy-redis workers that share a Redis server."""
