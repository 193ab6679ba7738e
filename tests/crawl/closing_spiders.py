"""Spiders, hooks and components of crawls that close while requests wait."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK
from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.defer import maybe_deferred_to_future
from typing_extensions import Self

from scrapy_robots1994 import ForbiddenByRobots, robots_sitemaps
from tests.support.child import RequestingSpider


async def download(crawler: Crawler, request: Request) -> Response:
    """Download *request* as a media pipeline or a callback does, with any Scrapy."""
    engine: Any = crawler.engine
    if not hasattr(engine, "download_async"):  # Scrapy 2.13
        engine.download_async = lambda it: maybe_deferred_to_future(engine.download(it))
    response: Response = await engine.download_async(request)
    return response


async def sleep(seconds: float) -> None:
    """Sleep on any reactor, and without one."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        from twisted.internet import reactor, task  # noqa: PLC0415 - once it is installed

        installed: Any = reactor
        await maybe_deferred_to_future(task.deferLater(installed, seconds))
    else:
        await asyncio.sleep(seconds)


class Counted(RequestingSpider):
    """A spider of numbered pages of one or several hosts.

    *urgent* further pages of a higher priority come last. *filtered* requests go through
    the duplicates filter, as in a crawl that is to be resumed. *item* is yielded for each
    page; `{n}` in its values is the number of the page.
    """

    name = "counted"
    site: str
    pages = 0
    urgent = 0
    hosts = 1
    filtered = False
    item: dict[str, str] | None = None

    async def start(self) -> AsyncIterator[Any]:
        """Yield all requests at once, those of the job first."""
        for request in self.requests:
            yield self.request(**request)
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

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item of the page."""
        number = response.url.rpartition("/p")[2]
        if self.item is not None:
            yield {key: it.replace("{n}", number) for key, it in self.item.items()}


class Unserializable(Counted):
    """A spider with a lambda as callback, which no queue on disk can store."""

    name = "unserializable"

    def page(self, number: int, **options: Any) -> Request:
        """Return a request that stays in memory."""
        request = super().page(number, **options)
        # A method could be stored by its name.
        return request.replace(callback=lambda response: self.fetched(response))  # noqa: PLW0108


class Redirecting(Counted):
    """A spider that yields `dont_filter` and the meta keys of each fetched request."""

    name = "redirecting"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield what the request has."""
        request = response.request
        assert request is not None
        own = [key for key in request.meta if "robots1994" in key]
        yield {"dont_filter": request.dont_filter, "own": own}


class Raising(Counted):
    """A spider whose callback raises for each page, which CLOSESPIDER_ERRORCOUNT counts."""

    name = "raising"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Raise."""
        yield from ()
        raise ValueError(response.url)


class Downloading(Counted):
    """A spider that awaits a page in a callback, without the scheduler."""

    name = "downloading"
    first: str

    async def start(self) -> AsyncIterator[Any]:
        """Yield the one page of an origin that answers."""
        yield Request(self.first, callback=self.first_page)

    async def first_page(self, response: Response) -> Any:
        """Await page 0, and record its status or its exception."""
        try:
            found = await download(self.crawler, self.page(0))
        except Exception as error:  # noqa: BLE001 - a test checks which one
            self.result["items"].append({"end": type(error).__name__})
        else:
            self.result["items"].append({"end": found.status})


class Awaiting(Counted):
    """A spider that awaits a page of a new origin in the callback of each page."""

    name = "awaiting"

    async def fetched(self, response: Response) -> None:  # type: ignore[override]  # of another kind
        """Record the status of that page."""
        number = response.url.rpartition("/p")[2]
        origin = self.site.replace("a.test", f"b{number}.test")
        found = await download(self.crawler, Request(f"{origin}/awaited"))
        self.result["items"].append({"status": found.status})


class AwaitingPipeline:
    """A pipeline that awaits the page which each item names."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a pipeline of *crawler*."""
        return cls(crawler)

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        """Await the page, as a pipeline with screenshots or prices does."""
        response = await download(self._crawler, Request(item["awaited"]))
        return item | {"status": response.status}


class Files(FilesPipeline):
    """Scrapy's pipeline for items with one file; the result is its path or ""."""

    def get_media_requests(self, item: Any, info: Any) -> Any:
        """Request the file of the item."""
        yield Request(item["file"], callback=NO_CALLBACK)

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Add the path to the item."""
        paths = [result["path"] for is_ok, result in results if is_ok]
        return item | {"path": "".join(paths)}


class InterruptingMiddleware:
    """A middleware that interrupts the crawl before its first page reaches ours."""

    has_interrupted = False

    async def process_request(self, request: Request, spider: object = None) -> None:
        """Wait longer than the crawl needs to begin to close."""
        if not self.has_interrupted:
            self.has_interrupted = True
            os.kill(os.getpid(), signal.SIGINT)
        await sleep(0.3)


def interrupt_at_the_first_page(crawler: Crawler) -> None:
    """Interrupt the crawl when page 0 is about to be queued in its download slot."""

    def reached(request: Request) -> None:
        if request.url.endswith("/p0"):
            os.kill(os.getpid(), signal.SIGINT)

    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)


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


def shrink_concurrency(crawler: Crawler) -> None:
    """Set the concurrency to 4 once requests wait, and record what it is at the end."""

    def reached(request: Request) -> None:
        assert crawler.engine is not None
        if request.url.endswith("/robots.txt"):
            crawler.engine.downloader.total_concurrency = 4

    def closed() -> None:
        assert crawler.engine is not None
        assert crawler.stats is not None
        downloader = crawler.engine.downloader
        crawler.stats.set_value("test/concurrency", downloader.total_concurrency)

    crawler.signals.connect(reached, signals.request_reached_downloader, weak=False)
    crawler.signals.connect(closed, signals.spider_closed, weak=False)
