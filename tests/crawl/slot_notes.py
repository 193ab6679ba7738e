"""A hook for crawls of these tests that records the state of download slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import signals

from scrapy_robots1994.crawl.concurrency import slots_of
from scrapy_robots1994.crawl.features.crawl_delay import jitter_of

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


def note_slots(crawler: Crawler) -> None:
    """Record the delay, concurrency and jitter of the slot of each request that left
    the downloader, in the stats.
    """

    def left(request: Request) -> None:
        key = request.meta["download_slot"]
        slot = slots_of(crawler)[key]
        now = slot.delay, slot.concurrency, jitter_of(slot)
        assert crawler.stats is not None
        seen = crawler.stats.get_value(f"test/slot/{key}", [])
        crawler.stats.set_value(f"test/slot/{key}", [*seen, now])

    crawler.signals.connect(left, signals.request_left_downloader, weak=False)
