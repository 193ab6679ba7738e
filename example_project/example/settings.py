"""The settings of the example: one line enables scrapy_robots1994."""

BOT_NAME = "examplebot"
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"

USER_AGENT = "examplebot/1.0"
ROBOTSTXT_OBEY = True

# The whole installation.
ADDONS = {"scrapy_robots1994.Addon": 500}

# The example is about robots.txt, not about retries.
RETRY_ENABLED = False
DOWNLOAD_TIMEOUT = 10
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"

# Writes the stats of the crawl to the file that STATS_FILE names, if any.
EXTENSIONS = {"example.stats_file.StatsFile": 500}
