"""The Scrapy side: real crawls against a real server on loopback."""
