"""Spiders that measure the time and memory of their own process."""

from __future__ import annotations

import resource
from time import monotonic, process_time
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.exceptions import CloseSpider

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterator,
        Iterator,
    )

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

SAMPLES = 8
PAGE = resource.getpagesize()


class MeasuredSpider(scrapy.Spider):
    """Requests *pages* pages of each host, and records the time, CPU time and memory of the crawl.

    `hosts=[("site-{}.test", 20)]` stands for site-0.test to site-19.test. If *required* is set,
    the crawl ends as soon as all pages of the hosts whose names begin with it are fetched.
    """

    name = "counting"
    port: int
    hosts: list[tuple[str, int]]
    pages: int
    required = ""
    requests: list[Any]
    result: dict[str, list[Any]]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **options)
        crawler.signals.connect(spider.ended, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        self.fetched, self.required_fetched = 0, 0
        self.resident: list[int] = []
        names = [
            pattern.format(n) for pattern, count in self.hosts for n in range(count)
        ]
        self.all = len(names) * self.pages
        whole = sum(
            count for name, count in self.hosts if name.startswith(self.required)
        )
        self.required_total = whole * self.pages
        self.started, self.cpu = monotonic(), process_time()
        for page in range(self.pages):
            for name in names:
                url = f"http://{name}:{self.port}/page/{page}"
                yield scrapy.Request(url, errback=self.missed, dont_filter=True)

    def parse(self, response: Response) -> Any:
        self.fetched += 1
        if self.fetched % max(self.all // SAMPLES, 1) == 0:
            self.resident.append(resident())
        if self.required and self.required in response.url:
            self.required_fetched += 1
            if self.required_fetched == self.required_total:
                self.required_after = monotonic() - self.started
                raise CloseSpider("measured")

    def missed(self, failure: Any) -> None:
        """Do nothing, because Scrapy counts failed pages."""

    def ended(self) -> None:
        self.result["items"].append(
            {
                "seconds": monotonic() - self.started,
                "cpu": process_time() - self.cpu,
                "fetched": self.fetched,
                "resident": self.resident,
                "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "required_after": getattr(self, "required_after", None),
            }
        )


class ListedPagesSpider(MeasuredSpider):
    """Requests all pages except the first from the callback of the first.

    Requests from a callback are always downloaded 16 at a time. With start requests, that number
    would depend on how many wait for robots.txt, which changes the CPU time by up to a tenth.
    """

    name = "listing"

    async def start(self) -> AsyncIterator[Any]:
        self.others = [request async for request in super().start()]
        yield self.others.pop(0)

    def parse(self, response: Response) -> Iterator[Any]:
        super().parse(response)
        others, self.others = self.others, []
        yield from others


def resident() -> int:
    """Return the resident memory in bytes, or 0 if it is unknown."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 - not a real file
            return int(statm.read().split()[1]) * PAGE
    except OSError:
        return 0
