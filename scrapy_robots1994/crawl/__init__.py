"""Floor 5: the Scrapy side, and the only folder that imports scrapy or twisted."""
