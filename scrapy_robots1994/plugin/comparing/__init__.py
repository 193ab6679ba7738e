"""Comparing with Scrapy's parsers: which ones, in a crawl, over files, into reports."""
