"""A crawler that never crawls, for code that only reads settings and changes stats."""

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
    """Unlike Scrapy's `get_crawler` in some versions, this needs no reactor."""
    crawler = Crawler(_Idle, dict(settings or {}))
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler
