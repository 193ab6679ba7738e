"""`ROBOTS1994_CRAWL_DELAY`: apply the Crawl-delay of an origin to its download slot.

Requests queue in the slot, as with `DOWNLOAD_DELAY`. The first page waits too, because the
robots.txt request uses the same slot.
"""

from __future__ import annotations

import math
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING

from cachetools import LRUCache
from scrapy import signals

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import OriginLog, count
from scrapy_robots1994.crawl.observers import Observer
from scrapy_robots1994.crawl.requests import SLOT_KEY, RobotName
from scrapy_robots1994.crawl.scrapy_private import slow_down
from scrapy_robots1994.policy.policy import Policy

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.origin import Origin

MAX_DELAYED_SLOTS = 100_000
"""The delays of up to this many slots are remembered."""


class CrawlDelays(Observer):
    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._log = OriginLog(crawler)
        self._longest = settings.crawl_delay or math.inf
        self._robot = RobotName(crawler)
        self._delays: LRUCache[str, float] = LRUCache(MAX_DELAYED_SLOTS)
        crawler.signals.connect(self._downloaded, signals.response_downloaded)

    def decided(
        self, request: Request, origin: Origin, found: object, *_: object
    ) -> None:
        if not isinstance(found, Policy):
            return
        # Not in `fetched`, because the delay depends on the robot of the request.
        stated = found.rules(self._robot.of(request)).crawl_delay
        if not stated:
            return
        applied = min(stated, self._longest)
        # After a redirect, or if the meta was copied, this key may name the slot of another host.
        request.meta.pop(SLOT_KEY, None)
        name = slow_down(self._crawler, request, applied)
        if self._delays.get(name, 0.0) < applied:
            self._delays[name] = applied
            self._report(origin, stated, applied)

    def _downloaded(self, request: Request) -> None:
        # Set the delay again, because AutoThrottle may have just lowered it.
        if delay := self._delays.get(request.meta.get(SLOT_KEY, "")):
            slow_down(self._crawler, request, delay)

    def _report(self, origin: Origin, stated: float, applied: float) -> None:
        count(self._crawler, stats.CRAWL_DELAYS)
        level = DEBUG
        if stated > applied:
            count(self._crawler, stats.CRAWL_DELAYS_CAPPED)
            level = WARNING
        # "at least", because DOWNLOAD_DELAY or AutoThrottle may demand a longer pause.
        text = (
            "%s asks for a pause of %g s; the pause is at least %g s "
            "(ROBOTS1994_CRAWL_DELAY)"
        )
        self._log.log(level, text, origin, stated, applied)
