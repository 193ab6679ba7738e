"""A crawler that never crawls, for code that needs only its settings and stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Idle(Spider):
    name = "idle"


def idle_crawler(settings: Mapping[str, Any] | None = None) -> Crawler:
    """Unlike `get_crawler`, this needs no reactor in any version of Scrapy."""
    crawler = Crawler(_Idle, dict(settings or {}))
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler
