"""Spiders of the crawl races, and what they note about their own process."""

from __future__ import annotations

import asyncio
import resource
from time import monotonic, perf_counter, process_time
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl.middleware import Robots1994Middleware

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

SAMPLES = 8
BEAT = 0.001
PAGE = resource.getpagesize()


class Counting(scrapy.Spider):
    """Asks for the pages of its arguments and tells time, CPU and memory as one item.

    *hosts* are patterns with a count (`site-{}.test` and 20), *pages* the pages of each
    host; host after host for each page. With *wanted*, the crawl ends once all pages of
    the hosts that begin with it have come.
    """

    name = "counting"
    port: int
    hosts: list[tuple[str, int]]
    pages: int
    wanted = ""
    asks: list[Any]
    told: dict[str, list[Any]]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        """Listen for the end."""
        spider = super().from_crawler(crawler, *args, **options)
        crawler.signals.connect(spider.ended, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Ask for everything, in an order that mixes the hosts."""
        self.came, self.wanted_came = 0, 0
        self.resident: list[int] = []
        names = [
            pattern.format(n) for pattern, count in self.hosts for n in range(count)
        ]
        self.all = len(names) * self.pages
        whole = sum(count for name, count in self.hosts if name.startswith(self.wanted))
        self.wanted_all = whole * self.pages
        self.started, self.cpu = monotonic(), process_time()
        for page in range(self.pages):
            for name in names:
                url = f"http://{name}:{self.port}/page/{page}"
                yield scrapy.Request(url, errback=self.missed, dont_filter=True)

    def parse(self, response: Response) -> None:
        """Count a page, and end when enough came."""
        self.came += 1
        if self.came % max(self.all // SAMPLES, 1) == 0:
            self.resident.append(resident())
        if self.wanted and self.wanted in response.url:
            self.wanted_came += 1
            if self.wanted_came == self.wanted_all:
                self.wanted_after = monotonic() - self.started
                # All that was to be measured is there.
                raise CloseSpider("measured")

    def missed(self, failure: Any) -> None:
        """A page that did not come is counted by Scrapy."""

    def ended(self) -> None:
        """Tell what the crawl took."""
        self.told["items"].append(
            {
                "seconds": monotonic() - self.started,
                "cpu": process_time() - self.cpu,
                "came": self.came,
                "resident": self.resident,
                "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "wanted_after": getattr(self, "wanted_after", None),
                "pause": getattr(self, "pause", None),
            }
        )


class Clocking(Counting):
    """Tells as `spent` the seconds in all calls of our `process_request`."""

    name = "clocking"

    async def start(self) -> AsyncIterator[Any]:
        """Put a clock around the method, then ask."""
        self.spent = 0.0
        engine: Any = self.crawler.engine
        methods = engine.downloader.middleware.methods["process_request"]
        [place] = [
            number
            for number, method in enumerate(methods)
            if isinstance(getattr(method, "__self__", None), Robots1994Middleware)
        ]
        judge = methods[place]

        def clocked(*arguments: Any, **named: Any) -> Any:
            started = perf_counter()
            try:
                return judge(*arguments, **named)
            finally:
                self.spent += perf_counter() - started

        methods[place] = clocked
        async for request in super().start():
            yield request

    def ended(self) -> None:
        """Tell what was spent, too."""
        super().ended()
        self.told["items"][-1]["spent"] = self.spent


class Following(Counting):
    """Follows every link from page 1 of its host, and yields an item for each page.

    It tells which pages came; those whose items were kept are the other items.
    """

    name = "following"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the first page."""
        self.pages = 0
        async for request in super().start():
            yield request
        self.seen: list[int] = []
        yield scrapy.Request(self.url(1))

    def url(self, number: int) -> str:
        """The URL of a page."""
        return f"http://{self.hosts[0][0]}:{self.port}/{number}"

    def parse(self, response: Any) -> Any:
        """Yield the item of the page, then its links."""
        self.came += 1
        self.seen.append(int(response.url.rpartition("/")[2]))
        yield {"page": self.seen[-1]}
        yield from response.follow_all(css="a[href]")

    def ended(self) -> None:
        """Tell what came, too."""
        super().ended()
        self.told["items"][-1]["seen"] = sorted(self.seen)


class Beating(Counting):
    """Tells as `pause` the longest CPU time between two beats of the event loop.

    CPU and not the clock: what other processes take of the machine is no pause of ours.
    """

    name = "beating"

    async def start(self) -> AsyncIterator[Any]:
        """Beat from the first request on."""
        self.pause, self.last = 0.0, 0.0
        self.beat()
        async for request in super().start():
            yield request

    def beat(self) -> None:
        """Note the CPU time since the last beat; beat again soon."""
        now = process_time()
        if self.last and self.came:
            self.pause = max(self.pause, now - self.last)
        self.last = now
        asyncio.get_running_loop().call_later(BEAT, self.beat)


def resident() -> int:
    """Bytes of this process in memory now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as told:  # noqa: PTH123 - no file
            return int(told.read().split()[1]) * PAGE
    except OSError:
        return 0
