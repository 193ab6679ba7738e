"""A Scrapy project of the ordinary shape: its settings and its spiders."""
