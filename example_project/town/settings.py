"""The settings of the example: one line of ours, the rest is plain Scrapy."""

BOT_NAME = "townwalker"
SPIDER_MODULES = ["town.spiders"]
NEWSPIDER_MODULE = "town.spiders"

USER_AGENT = "townwalker/1.0"
ROBOTSTXT_OBEY = True

# The whole installation.
ADDONS = {"scrapy_robots1994.Addon": 500}

# So that the example shows robots.txt and not the retries of a server that is down.
RETRY_ENABLED = False
DOWNLOAD_TIMEOUT = 10
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"

# Writes the stats of the crawl to the file named by STATS_FILE, if any.
EXTENSIONS = {"town.stats_file.StatsFile": 500}
