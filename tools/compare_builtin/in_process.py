"""The parts of the scenarios that run in the process of the crawl.

The functions are hooks, called before the crawl starts.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.robotstxt import RobotParser

from scrapy_robots1994 import RobotsTxt

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

TICK = 0.02


def through_proxy(crawler: Crawler) -> None:
    os.environ["http_proxy"] = crawler.settings["SCENARIO_PROXY"]
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "no_proxy", "NO_PROXY"):
        os.environ.pop(name, None)


def count_parsed(crawler: Crawler) -> None:
    """Count the parsed robots.txt files that are in memory when the spider closes."""

    def count() -> None:
        gc.collect()
        kinds = (RobotParser, RobotsTxt)
        parsed = sum(isinstance(each, kinds) for each in gc.get_objects())
        crawler.stats.set_value("scenario/parsed", parsed)

    crawler.signals.connect(count, signals.spider_closed, weak=False)


def record_pause(crawler: Crawler) -> None:
    tasks: list[asyncio.Task[None]] = []

    async def tick() -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(TICK)
            late = time.monotonic() - began - TICK
            crawler.stats.max_value("scenario/longest_pause", late)

    def begin() -> None:
        tasks.append(asyncio.ensure_future(tick()))

    def end() -> None:
        tasks.pop().cancel()

    crawler.signals.connect(begin, signals.spider_opened, weak=False)
    crawler.signals.connect(end, signals.spider_closed, weak=False)


class CancelRobots:
    async def process_request(self, request: Request, **_: Any) -> None:
        if request.url.endswith("/robots.txt"):
            raise asyncio.CancelledError
