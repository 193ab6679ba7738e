"""Middlewares, pipelines, a download handler and a parser for crawls."""

from __future__ import annotations

import inspect
import os
import signal
from collections import Counter
from contextlib import suppress
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.pipelines.files import FilesPipeline
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import CancelledError
from typing_extensions import Self

from tests.support.spiders import download, sleep


def is_robots(request: Request) -> bool:
    return request.url.endswith("/robots.txt")


class OfCrawler:
    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)


class CancelRobots:
    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        if is_robots(request):
            raise CancelledError


class BreakRobots:
    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        if is_robots(request):
            message = "a bug\nof \x1b[31mmine"
            raise ZeroDivisionError(message)


class BreakFirstRobots:
    """Raises an `OSError`, which RetryMiddleware would retry, for the first robots.txt request."""

    is_first = True

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        if is_robots(request) and self.is_first:
            self.is_first = False
            raise OSError("once")


class WaitsForEver:
    async def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> None:
        if "slow" in request.url:
            await sleep(300)


class AnswerRobots:
    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Response | None:
        if not is_robots(request):
            return None
        body = b"User-agent: *\nDisallow: /\n"
        return TextResponse(request.url, body=body, request=request)


META_KEYS = (
    "dont_obey_robotstxt",
    "allow_offsite",
    "download_timeout",
    "session",
    "is_robotstxt_request",
    "dont_redirect",
    "dont_retry",
    "handle_httpstatus_all",
    "download_maxsize",
    "autothrottle_dont_adjust_delay",
)


class RecordMeta(OfCrawler):
    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self.reached, signals.request_reached_downloader)

    def reached(self, request: Request) -> None:
        if not is_robots(request):
            return
        meta = {key: request.meta.get(key) for key in META_KEYS}
        meta["callback"] = getattr(request.callback, "__name__", None)
        self.crawler.stats.set_value("test/robots_meta", meta)


class Gauge(OfCrawler):
    """Records the largest numbers of page requests and of robots.txt requests under way at once,
    and the concurrency and delay of the download slots.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self.under_way: list[Request] = []
        crawler.signals.connect(self.reached, signals.request_reached_downloader)
        crawler.signals.connect(self.left, signals.request_left_downloader)

    def reached(self, request: Request) -> None:
        self.under_way.append(request)
        pages = [request for request in self.under_way if not is_robots(request)]
        downloader = self.crawler.engine.downloader
        slots = {(slot.concurrency, slot.delay) for slot in downloader.slots.values()}
        most = self.crawler.stats.max_value
        most("test/most_pages", len(pages))
        most("test/most_robots", len(self.under_way) - len(pages))
        self.crawler.stats.set_value("test/slots", sorted(slots))

    def left(self, request: Request) -> None:
        self.under_way.remove(request)


class AddsItems:
    """A spider middleware that yields one more item for each page."""

    async def process_spider_output(
        self, response: Response, result: Any, spider: Any = None
    ) -> Any:
        async for it in result:
            yield it
        yield {"url": response.url, "added": True}


class BrokenResponseMiddleware:
    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Response:
        if request.url.endswith("/robots.txt"):
            message = "a bug behind the download"
            raise ZeroDivisionError(message)
        return response


class DroppingMiddleware:
    def process_request(self, request: Request, spider: Any = None) -> None:
        if request.url.endswith(".txt"):
            message = "not a page"
            raise IgnoreRequest(message)


class CallsAnother:
    """Calls a middleware that drops the robots.txt of a.test. Raises an error if a request fails
    with anything but `IgnoreRequest`.
    """

    def process_request(self, request: Request, spider: Any = None) -> None:
        def process_request(dropping: DroppingMiddleware) -> None:
            dropping.process_request(request)

        if "a.test" in request.url:
            process_request(DroppingMiddleware())

    def process_exception(
        self, request: Request, exception: Exception, spider: Any = None
    ) -> None:
        if not isinstance(exception, IgnoreRequest):
            raise ZeroDivisionError from exception


class RobotsFromOtherPath:
    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Request | Response:
        if request.url.endswith("/robots.txt"):
            return request.replace(url=f"{request.url.removesuffix('.txt')}-file")
        return response


class TokenMiddleware(OfCrawler):
    """Before each numbered page, requests TOKEN_URL with a copy of the page request."""

    async def process_request(self, request: Request, spider: Any = None) -> None:
        _, is_page, number = request.url.rpartition("/p")
        if is_page and number.isdigit():
            url = self.crawler.settings["TOKEN_URL"].replace("{n}", number)
            await download(self.crawler, request.replace(url=url))


class AwaitsPages(OfCrawler):
    """When the spider opens, downloads the pages in the setting AWAITED, as a login would."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        crawler.signals.connect(self.opened, signals.spider_opened)

    async def opened(self) -> None:
        # Wait until the event loop runs: by then, Scrapy has installed its DNS resolver.
        await sleep(0)
        for url in self.crawler.settings.getlist("AWAITED"):
            with suppress(IgnoreRequest):
                await download(self.crawler, Request(url))


class RenamingMiddleware:
    """Sets another User-Agent, as a middleware that rotates user agents does."""

    def process_request(self, request: Request, spider: Any = None) -> None:
        request.headers["User-Agent"] = "other/2.0"


class OwnMiddleware(RobotsTxtMiddleware):
    pass


class OpenParser:
    """Disallows every URL, unlike the class of the same name in `tests.support.parsers`."""

    @classmethod
    def from_crawler(cls, *_: object) -> OpenParser:
        return cls()

    def allowed(self, url: str, user_agent: str) -> bool:
        return False


class CountPasses(OfCrawler):
    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self.counts: Counter[str] = Counter()
        crawler.stats.set_value("test/passes", self.counts)

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        if not is_robots(request):
            self.counts[request.url] += 1


class InterruptingMiddleware:
    """Interrupts the crawl before the first page reaches our middleware."""

    has_interrupted = False

    async def process_request(self, request: Request, spider: object = None) -> None:
        if not self.has_interrupted:
            self.has_interrupted = True
            os.kill(os.getpid(), signal.SIGINT)
        await sleep(0.3)


class InterruptsAtStart:
    """Interrupts a command when its crawl creates the extensions."""

    @classmethod
    def from_crawler(cls, _: object) -> InterruptsAtStart:
        os.kill(os.getpid(), signal.SIGINT)
        return cls()


class AwaitingPipeline(OfCrawler):
    """Downloads a page for each item, as a pipeline for screenshots would."""

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        response = await download(self.crawler, Request(item["awaited"]))
        return item | {"status": response.status}


class SlowPipeline(OfCrawler):
    """Records the largest number of items that are processed at the same time."""

    items = 0

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        self.items += 1
        self.crawler.stats.max_value("test/most_items", self.items)
        await sleep(0.1)
        self.items -= 1
        return item


class OneFile(FilesPipeline):
    """Adds the path of the downloaded file to the item, or "" if there is none."""

    def get_media_requests(self, item: Any, info: Any) -> Any:
        yield Request(item["file"], callback=NO_CALLBACK)

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        paths = [result["path"] for is_ok, result in results if is_ok]
        return item | {"path": "".join(paths)}


class Files(FilesPipeline):
    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        paths = [str(it["path"] if is_ok else it.value) for is_ok, it in results]
        return item | {"files": paths}


class FakeHandler:
    """A download handler that responds without a server."""

    lazy = False

    def __init__(self, *_: Any) -> None:
        """Accept the arguments of all versions of Scrapy."""

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        return cls()

    async def answer(self, request: Request) -> Response:
        return TextResponse(request.url, body=b"pretended", request=request)

    async def download_request(self, request: Request) -> Response:
        return await self.answer(request)

    async def close(self) -> None:
        """Scrapy requires this method."""


if not inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
    # In Scrapy 2.13, a handler must return a Deferred.
    older: Any = FakeHandler
    older.download_request = lambda self, request, _: deferred_from_coro(
        self.answer(request)
    )
    older.close = lambda _: None
