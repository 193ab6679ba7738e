"""The crawl of the soak test: `python -m tools.soak.crawl ORIGINS SECONDS PORT`.

It is one process with one spider, and prints its counts as JSON.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import crawler as scrapy_crawler

from tools.soak.server import FOLDERS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

MAX_WAITING = 600
PAGE_BYTES = 4096
GRACE_SECONDS = 120
SHARE_AGAIN = 0.3
MAX_ORIGINS = 2_000
"""Origins in the bounded store, far fewer than the soak has."""

SETTINGS: dict[str, Any] = {
    "ADDONS": {"scrapy_robots1994.Addon": 500},
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "ROBOTS1994_STORE": f"memory://?max_origins={MAX_ORIGINS}",
    "ROBOTS1994_MIN_TTL": 1,
    "ROBOTS1994_TTL": 10,
    "ROBOTS1994_STALE_TTL": 60,
    "ROBOTS1994_RETRY_AFTER": 2,
    "CONCURRENT_REQUESTS": 64,
    # The spider yields no items, but for each response Scrapy would start a hundred tasks
    # that wait for items, a third of all the work.
    "CONCURRENT_ITEMS": 1,
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "ERROR",
}


class SoakSpider(scrapy.Spider):
    """Request three folders of every origin, and those of some origins again later."""

    name = "soak"
    origins: int
    seconds: float
    proxy: str
    result: dict[str, Any]
    dice = random.Random(1994)  # noqa: S311 (the same requests every time)

    async def start(self) -> AsyncIterator[Any]:
        """Request all pages, at most MAX_WAITING at once, until the time is over."""
        self.counts: Counter[str] = Counter()
        began, every = time.monotonic(), max(self.origins // 200, 1)
        for number in range(self.origins):
            if time.monotonic() - began > self.seconds:
                break
            for request in self.requests_of(number):
                yield request
            await self.wait_until_at_most(MAX_WAITING, began)
            self.counts["origins"] += 1
            if number % every == 0:
                self.result["rss"].append((self.counts["origins"], resident()))
        await self.wait_until_at_most(0, began)
        self.result["rss"].append((self.counts["origins"], resident()))
        self.result["counts"] = dict(self.counts)
        self.result["seconds"] = round(time.monotonic() - began)

    async def wait_until_at_most(self, waiting: int, began: float) -> None:
        """Return once at most *waiting* requests are pending, or when the grace period ends."""
        while self.counts["requests"] - self.counts["ended"] > waiting:
            if time.monotonic() - began > self.seconds + GRACE_SECONDS:
                break
            await asyncio.sleep(0.01)

    def requests_of(self, number: int) -> Iterator[scrapy.Request]:
        """Yield requests for all folders of an origin, and sometimes of an earlier one."""
        again = self.dice.random() < SHARE_AGAIN
        earlier = number - self.dice.randint(1, 3_000)
        for origin in (number, earlier) if again and earlier >= 0 else (number,):
            for folder in FOLDERS:
                self.counts["requests"] += 1
                yield self.request(origin, folder)

    def request(self, origin: int, folder: str) -> scrapy.Request:
        """Return a request for a page of a folder."""
        return scrapy.Request(
            f"http://o{origin}.test/{folder}/{self.counts['requests']}",
            callback=self.fetched,
            errback=self.failed,
            meta={"proxy": self.proxy},
            dont_filter=True,
        )

    def fetched(self, _response: Any) -> None:
        """Count a page."""
        self.counts["ended"] += 1
        self.counts["fetched"] += 1

    def failed(self, failure: Any) -> None:
        """Count a request that was refused or failed."""
        self.counts["ended"] += 1
        verdict = getattr(failure.value, "verdict", None)
        self.counts["failed" if verdict is None else "refused"] += 1


def resident() -> int:
    """Return the resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * PAGE_BYTES


def main(origins: int, seconds: float, port: int) -> None:
    """Crawl, and print the counts."""
    result: dict[str, Any] = {"rss": []}
    kind = getattr(scrapy_crawler, "AsyncCrawlerProcess", scrapy_crawler.CrawlerProcess)
    process: Any = kind(SETTINGS)
    crawler = process.create_crawler(SoakSpider)
    process.crawl(
        crawler,
        origins=origins,
        seconds=seconds,
        proxy=f"http://127.0.0.1:{port}",
        result=result,
    )
    process.start()
    stats = crawler.stats.get_stats()
    result["finish_reason"] = stats.get("finish_reason")
    result["stats"] = {key: stats[key] for key in stats if "robots" in key}
    print(json.dumps(result))  # noqa: T201 (its interface)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
