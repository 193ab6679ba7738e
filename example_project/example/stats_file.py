"""A Scrapy extension that writes the stats of a crawl to the file in `STATS_FILE`, as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class StatsFile:
    def __init__(self, crawler: Crawler, path: Path) -> None:
        self._crawler = crawler
        self._path = path
        # `spider_closed` is too early, because its other handlers may still add stats.
        crawler.signals.connect(self.write, signal=signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> StatsFile:
        path = crawler.settings.get("STATS_FILE")
        if not path:
            raise NotConfigured
        return cls(crawler, Path(path))

    def write(self) -> None:
        stats = self._crawler.stats.get_stats()
        self._path.write_text(json.dumps(stats, default=str), "utf-8")
