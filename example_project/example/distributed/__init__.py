"""The settings and the spider of scrapy-redis workers that share a Redis server."""
