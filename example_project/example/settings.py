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

# Write the stats of the crawl to the file in the setting STATS_FILE, if it is set.
EXTENSIONS = {"example.stats_file.StatsFile": 500}
