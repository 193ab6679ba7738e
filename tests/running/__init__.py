"""Every way Scrapy is run, each with our add-on and a server that refuses a page."""
