"""Spiders of the crawl races, which measure their own process."""

from __future__ import annotations

import asyncio
import resource
from time import monotonic, perf_counter, process_time
from types import coroutine
from typing import TYPE_CHECKING, Any

import scrapy
from scrapy import signals
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl.middleware import Robots1994Middleware

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterator,
        Callable,
        Coroutine,
        Generator,
        Iterator,
    )

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

SAMPLES = 8
BEAT = 0.001
PAGE = resource.getpagesize()


class MeasuredSpider(scrapy.Spider):
    """Request the pages of its arguments, and yield time, CPU and memory as one item.

    *hosts* are patterns with a count (`site-{}.test` and 20), *pages* the pages of each
    host; all hosts for each page. With *required*, the crawl ends once all pages of the
    hosts that start with it have been fetched.
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
        """Connect to the signal for the end of the crawl."""
        spider = super().from_crawler(crawler, *args, **options)
        crawler.signals.connect(spider.ended, signals.spider_closed)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Request all pages, in an order that mixes the hosts."""
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
        """Count a page, and end the crawl once all required pages were fetched."""
        self.fetched += 1
        if self.fetched % max(self.all // SAMPLES, 1) == 0:
            self.resident.append(resident())
        if self.required and self.required in response.url:
            self.required_fetched += 1
            if self.required_fetched == self.required_total:
                self.required_after = monotonic() - self.started
                # All required pages were fetched.
                raise CloseSpider("measured")

    def missed(self, failure: Any) -> None:
        """Do nothing: Scrapy counts failed pages."""

    def ended(self) -> None:
        """Record time, CPU and memory of the crawl."""
        self.result["items"].append(
            {
                "seconds": monotonic() - self.started,
                "cpu": process_time() - self.cpu,
                "fetched": self.fetched,
                "resident": self.resident,
                "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
                "required_after": getattr(self, "required_after", None),
                "pause": getattr(self, "pause", None),
            }
        )


class ListedPagesSpider(MeasuredSpider):
    """Request the first page, and from its callback all others.

    Of start requests, Scrapy has one, two or 16 pages on their way at a time, by how many
    of them waited for a robots.txt. Where pages come at once, as from a cache, that
    alone changes the CPU by a tenth. The requests of a callback it takes 16 at a time.
    """

    name = "listing"

    async def start(self) -> AsyncIterator[Any]:
        """Request the first page."""
        self.others = [request async for request in super().start()]
        yield self.others.pop(0)

    def parse(self, response: Response) -> Iterator[Any]:
        """Count a page; request all others from the first one."""
        super().parse(response)
        others, self.others = self.others, []
        yield from others


class TimedMiddlewareSpider(MeasuredSpider):
    """Record the seconds in all calls of our `process_request` as `spent`."""

    name = "clocking"

    async def start(self) -> AsyncIterator[Any]:
        """Wrap the method in a timer, then request the pages."""
        self.spent = 0.0
        engine: Any = self.crawler.engine
        methods = engine.downloader.middleware.methods["process_request"]
        [place] = [
            number
            for number, method in enumerate(methods)
            if isinstance(getattr(method, "__self__", None), Robots1994Middleware)
        ]
        judge = methods[place]

        async def clocked(*arguments: Any, **named: Any) -> Any:
            timed: Any = self.timed(judge(*arguments, **named))
            return await timed

        methods[place] = clocked
        async for request in super().start():
            yield request

    @coroutine
    def timed(self, call: Coroutine[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Add the time in which *call* runs, without that in which it waits."""
        resume: Callable[[Any], Any] = call.send
        result = None
        while True:
            started = perf_counter()
            try:
                waits_for = resume(result)
            except StopIteration as end:
                return end.value
            finally:
                self.spent += perf_counter() - started
            try:
                resume, result = call.send, (yield waits_for)
            except BaseException as error:  # noqa: BLE001 - a cancellation, too
                resume, result = call.throw, error

    def ended(self) -> None:
        """Record `spent`, too."""
        super().ended()
        self.result["items"][-1]["spent"] = self.spent


class LinkFollowingSpider(MeasuredSpider):
    """Follow every link from page 1 of its host, and yield an item for each page.

    It records the fetched pages in its last item; the others are those exported.
    """

    name = "following"

    async def start(self) -> AsyncIterator[Any]:
        """Request the first page."""
        self.pages = 0
        async for request in super().start():
            yield request
        self.seen: list[int] = []
        yield scrapy.Request(self.url(1))

    def url(self, number: int) -> str:
        """Return the URL of a page."""
        return f"http://{self.hosts[0][0]}:{self.port}/{number}"

    def parse(self, response: Any) -> Any:
        """Yield the item of the page, then its links."""
        self.fetched += 1
        self.seen.append(int(response.url.rpartition("/")[2]))
        yield {"page": self.seen[-1]}
        yield from response.follow_all(css="a[href]")

    def ended(self) -> None:
        """Record the fetched pages, too."""
        super().ended()
        self.result["items"][-1]["seen"] = sorted(self.seen)


class EventLoopSpider(MeasuredSpider):
    """Record the longest CPU time between two turns of the event loop as `pause`.

    It measures CPU time, because other processes also pause the clock.
    """

    name = "beating"

    async def start(self) -> AsyncIterator[Any]:
        """Measure from the first request on."""
        self.pause, self.last = 0.0, 0.0
        self.beat()
        async for request in super().start():
            yield request

    def beat(self) -> None:
        """Record the CPU time since the last call, and schedule the next one."""
        now = process_time()
        if self.last and self.fetched:
            self.pause = max(self.pause, now - self.last)
        self.last = now
        asyncio.get_running_loop().call_later(BEAT, self.beat)


def resident() -> int:
    """Return the resident bytes of this process; 0 if the system does not report them."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 - no file
            return int(statm.read().split()[1]) * PAGE
    except OSError:
        return 0
