"""The settings of the example."""

BOT_NAME = "examplebot"
SPIDER_MODULES = ["example.spiders"]
NEWSPIDER_MODULE = "example.spiders"

USER_AGENT = "examplebot/1.0"
ROBOTSTXT_OBEY = True

# This line enables scrapy_robots1994.
ADDONS = {"scrapy_robots1994.Addon": 500}

# Retries would only slow the example down.
RETRY_ENABLED = False
DOWNLOAD_TIMEOUT = 10
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "INFO"

# This extension writes the stats to the file in the setting STATS_FILE.
EXTENSIONS = {"example.stats_file.StatsFile": 500}
