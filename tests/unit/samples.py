"""An origin and a time for tests."""

from __future__ import annotations

from scrapy_robots1994.origin import Origin

SITE = Origin("http", "site.example", 80)
NOW = 1_000_000.0
