"""Crawl the same scenarios with Scrapy's middleware and with ours."""
