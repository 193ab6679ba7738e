"""An origin, a time and the default settings for tests."""

from __future__ import annotations

from scrapy.settings import Settings

from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.origin import Origin

SITE = Origin("http", "site.example", 80)
NOW = 1_000_000.0
FRESHNESS = RobotsSettings.from_settings(Settings()).freshness
