"""Hooks and a middleware that run inside the crawling process of a scenario.

A hook is called with the crawler before the crawl starts.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.robotstxt import RobotParser

from scrapy_robots1994 import RobotsTxt

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

TICK = 0.02


def through_proxy(crawler: Crawler) -> None:
    """Send all http requests through the proxy in `SCENARIO_PROXY`."""
    os.environ["http_proxy"] = crawler.settings["SCENARIO_PROXY"]
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "no_proxy", "NO_PROXY"):
        os.environ.pop(name, None)


def record_cost(crawler: Crawler) -> None:
    """Record the cost of each robots.txt in the stats, with a `CostRecorder`."""
    crawler.cost_recorder = CostRecorder(crawler)  # type: ignore[attr-defined]  # keeps it alive


def count_parsed(crawler: Crawler) -> None:
    """Record in the stats the number of parsed files in memory at the end of the crawl."""

    def count() -> None:
        gc.collect()
        kinds = (RobotParser, RobotsTxt)
        parsed = sum(isinstance(each, kinds) for each in gc.get_objects())
        crawler.stats.set_value("scenario/parsed", parsed)

    crawler.counting = count  # type: ignore[attr-defined]  # keeps it alive
    crawler.signals.connect(count, signals.spider_closed)


class CostRecorder:
    """Records the size of received robots.txt files, and the longest pause of the event
    loop.
    """

    def __init__(self, crawler: Crawler) -> None:
        """Connect to the signals of `crawler`."""
        self._crawler = crawler
        crawler.signals.connect(self.received, signals.bytes_received)
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    def received(self, data: bytes, request: Request) -> None:
        """Count *data* if the request is for a robots.txt."""
        if request.url.endswith("/robots.txt"):
            self._crawler.stats.inc_value("scenario/robots_bytes", len(data))

    def opened(self) -> None:
        """Start measuring pauses."""
        self._ticking = asyncio.ensure_future(self._tick())

    def closed(self) -> None:
        """Stop measuring pauses."""
        self._ticking.cancel()

    async def _tick(self) -> None:
        stats = self._crawler.stats
        while True:
            began = time.monotonic()
            await asyncio.sleep(TICK)
            late = time.monotonic() - began - TICK
            stats.max_value("scenario/longest_stop", late)


class CancelRobots:
    """A downloader middleware that cancels each coroutine that fetches a robots.txt."""

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,
    ) -> None:
        """Raise `CancelledError` if the request is for a robots.txt."""
        if request.url.endswith("/robots.txt"):
            raise asyncio.CancelledError
