"""A crawler that never crawls, for tests of code that only reads settings and changes stats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Idle(Spider):
    """A spider that is never started."""

    name = "idle"


def idle_crawler(settings: Mapping[str, Any] | None = None) -> Crawler:
    """Return a crawler that has *settings* and stats, but never crawls.

    In some versions of Scrapy, `get_crawler` needs a reactor, but this function needs
    no reactor.
    """
    crawler = Crawler(_Idle, dict(settings or {}))
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler
