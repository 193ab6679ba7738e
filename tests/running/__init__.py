"""Every way to run Scrapy, with our add-on and a site that disallows a page."""
