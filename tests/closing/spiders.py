"""Spiders, hooks and middlewares of these crawls, loaded by path."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots1994 import ForbiddenByRobots, robots_sitemaps
from scrapy_robots1994.crawl.features import crawl_delay
from scrapy_robots1994.crawl.threads import sleep
from scrapy_robots1994.crawl.waiting import WaitingRequests
from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response


class Counted(RequestingSpider):
    """A spider of numbered pages of one or several hosts.

    *urgent* further ones of a higher priority come last; *filtered* requests go
    through the duplicate filter, as in a crawl that is to be resumed.
    """

    name = "counted"
    site: str
    pages = 0
    urgent = 0
    hosts = 1
    filtered = False

    async def start(self) -> AsyncIterator[Any]:
        """Yield all requests at once."""
        for number in range(self.pages):
            yield self.page(number, priority=-(number % 3))
        for number in range(self.pages, self.pages + self.urgent):
            yield self.page(number, priority=100)
        self.logger.info("all %d are yielded", self.pages + self.urgent)

    def page(self, number: int, **options: Any) -> Request:
        """Return the request of one page."""
        url = self.site.replace("{n}", str(number % self.hosts))
        return self.request(
            f"{url}/p{number}", dont_filter=not self.filtered, **options
        )


async def download(crawler: Crawler, request: Request) -> Response:
    """Download as a media pipeline or a callback does, by any Scrapy."""
    engine: Any = crawler.engine
    if not hasattr(engine, "download_async"):
        engine.download_async = lambda it: maybe_deferred_to_future(engine.download(it))
    response: Response = await engine.download_async(request)
    return response


class Downloading(Counted):
    """A spider that awaits a page in a callback, without the scheduler."""

    name = "downloading"
    first: str

    async def start(self) -> AsyncIterator[Any]:
        """Yield the one page of an origin that answers."""
        yield Request(self.first, callback=self.first_page)

    async def first_page(self, response: Response) -> Any:
        """Await a page of an origin whose robots.txt is never sent."""
        try:
            found = await download(self.crawler, self.page(0))
        except Exception as error:  # noqa: BLE001 - a test checks which one
            self.result["items"].append({"error": type(error).__name__})
        else:
            self.result["items"].append({"status": found.status})


class Heavy(Downloading):
    """A spider that awaits pages of new origins while its own page fills the scraper."""

    name = "heavy"

    async def first_page(self, response: Response) -> Any:
        """Await one as a component does, and one as any other request."""
        component = Request(self.site, callback=NO_CALLBACK)
        other = Request(self.site.replace("a.test", "b.test"))
        for request in (component, other):
            found = await download(self.crawler, request)
            self.result["items"].append({"status": found.status})


class Awaiting(Counted):
    """A spider that awaits a page of a new origin in the callback of each page."""

    name = "awaiting"

    async def fetched(self, response: Response) -> None:  # type: ignore[override]  # of another kind
        """Note the status of that page."""
        number = response.url.rpartition("/p")[2]
        origin = self.site.replace("a.test", f"b{number}.test")
        found = await download(self.crawler, Request(f"{origin}/awaited"))
        self.result["items"].append({"status": found.status})


def interrupt_at_the_first_page(crawler: Crawler) -> None:
    """Interrupt the crawl when page 0 is about to be queued in its download slot."""

    def reached(request: Request) -> None:
        if request.url.endswith("/p0"):
            os.kill(os.getpid(), signal.SIGINT)

    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)


def let_all_but_one_count(_crawler: Crawler) -> None:
    """Let one request that waits for a crawl delay be uncounted, and no more."""
    crawl_delay.MIN_UNCOUNTED, crawl_delay.UNCOUNTED_SECONDS = 1, 0.0


class InterruptingMiddleware:
    """A middleware that interrupts the crawl before its first page reaches ours."""

    has_interrupted = False

    async def process_request(
        self,
        request: Request,
        spider: object = None,
    ) -> None:
        """Wait longer than the crawl needs to begin to close."""
        if not self.has_interrupted:
            self.has_interrupted = True
            os.kill(os.getpid(), signal.SIGINT)
        await sleep(0.3)


def await_a_page(crawler: Crawler) -> None:
    """Await a page of the same origin in a handler of each signal of a robots.txt."""

    async def heard(request: Request, **_: Any) -> None:
        page = request.replace(url=request.url + "-other", callback=NO_CALLBACK)
        response = await download(crawler, page)
        assert crawler.stats is not None
        crawler.stats.inc_value(f"test/awaited/{response.status}")

    for sent in (robots_sitemaps, getattr(signals, "robots_parsed", None)):
        if sent is not None:
            crawler.signals.connect(heard, sent, weak=False)


def await_pages_at_the_start(crawler: Crawler) -> None:
    """Await two pages, one of them refused, while the spider opens."""

    async def opened() -> None:
        assert crawler.stats is not None
        site = crawler.settings["SITE"]
        response = await download(crawler, Request(f"{site}/login"))
        crawler.stats.set_value("test/login", response.status)
        try:
            await download(crawler, Request(f"{site}/private"))
        except ForbiddenByRobots:
            crawler.stats.set_value("test/private", "refused")

    crawler.signals.connect(opened, signals.spider_opened, weak=False)


def count_polls(crawler: Crawler) -> None:
    """Count the polls of the engine of the requests that wait."""
    poll = WaitingRequests._poll

    def counted(waiting: WaitingRequests) -> None:
        assert crawler.stats is not None
        crawler.stats.inc_value("test/polls")
        poll(waiting)

    WaitingRequests._poll = counted  # type: ignore[method-assign,assignment]


def shrink_concurrency(crawler: Crawler) -> None:
    """Set the concurrency to 4 once requests wait, and note what it is at the end."""

    def reached(request: Request) -> None:
        assert crawler.engine is not None
        if request.url.endswith("/robots.txt"):
            crawler.engine.downloader.total_concurrency = 4

    def closed() -> None:
        assert crawler.engine is not None
        assert crawler.stats is not None
        downloader = crawler.engine.downloader
        crawler.stats.set_value("test/concurrency", downloader.total_concurrency)
        crawler.stats.set_value("test/active", len(downloader.active))

    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)
    crawler.signals.connect(closed, signals.spider_closed, weak=False)


class Redirecting(Counted):
    """A spider that yields `dont_filter` and our meta keys of each fetched request."""

    name = "redirecting"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield what the request has."""
        request = response.request
        assert request is not None
        marks = [key for key in request.meta if key.startswith("_robots1994")]
        yield {"dont_filter": request.dont_filter, "marks": marks}


class Raising(Counted):
    """A spider whose callback raises for each page."""

    name = "raising"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Raise, which CLOSESPIDER_ERRORCOUNT counts."""
        yield from ()
        raise ValueError(response.url)
