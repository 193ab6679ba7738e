"""An ordinary Scrapy project: settings and spiders."""
