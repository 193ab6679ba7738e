"""Scrapy crawls of a real server on loopback."""
