"""The settings of the example: one line enables scrapy_robots1994."""

BOT_NAME = "examplebot"
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"

USER_AGENT = "examplebot/1.0"
ROBOTSTXT_OBEY = True

# This line enables scrapy_robots1994.
ADDONS = {"scrapy_robots1994.Addon": 500}

# Disable retries, because the example is not about retries.
RETRY_ENABLED = False
DOWNLOAD_TIMEOUT = 10
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"

# If the setting STATS_FILE is set, write the stats of the crawl to this file.
EXTENSIONS = {"example.stats_file.StatsFile": 500}
