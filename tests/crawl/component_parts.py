"""Spiders, pipelines, handlers and middlewares of users, loaded by their import path."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Headers, Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.pipelines.files import FilesPipeline
from scrapy.pipelines.images import ImagesPipeline
from scrapy.spiders import CrawlSpider, Rule
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure
from typing_extensions import Self

from scrapy_robots1994 import ForbiddenByRobots
from tests.crawl.closing_spiders import download
from tests.support.child import RequestingSpider


class LinkSpider(CrawlSpider):
    """Follow every link, and yield the reason of each refusal."""

    name = "following"
    rules = (Rule(LinkExtractor(), callback="found", errback="refused", follow=True),)
    result: dict[str, list[Any]]

    def found(self, response: Response) -> dict[str, str]:
        """Return an item for each page."""
        return {"url": response.url}

    def refused(self, failure: Failure) -> None:
        """Add the reason to the items."""
        self.result["items"].append({"why": str(failure.value)})


class ItemSpider(RequestingSpider):
    """Yield the item of the spider argument for every page.

    Pages that a pipeline requested yield none, or it would request pages forever.
    """

    name = "offering"
    item: dict[str, Any]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item."""
        if not response.meta.get("further"):
            yield dict(self.item)


class MetaPassingSpider(RequestingSpider):
    """Pass the whole meta of a page on to the next requests."""

    name = "handing"
    further_urls: list[str]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Request further pages with the meta of this one."""
        if not response.meta.get("further"):
            for url in self.further_urls:
                yield self.request(url, meta=response.meta | {"further": True})

    def failed(self, failure: Failure) -> Any:
        """Repeat a refused request once with its whole meta, including the verdict."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds it
        if request.meta.get("second"):
            return None
        return request.replace(meta=request.meta | {"second": True})


class RepeatingSpider(RequestingSpider):
    """Repeat a refused request with other URLs and its whole meta."""

    name = "elsewhere"
    new_urls: list[str]
    dont_obey: bool

    def failed(self, failure: Failure) -> Any:
        """Return the request with each of the other URLs."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds it
        meta = request.meta | ({"dont_obey_robotstxt": True} if self.dont_obey else {})
        return [request.replace(url=url, meta=meta) for url in self.new_urls]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the verdict in the meta of the page."""
        yield {"verdict": str(response.meta.get("robots1994"))}


class CancellingSpider(RequestingSpider):
    """Cancel the n-th download after n steps of the event loop, for all n.

    Each n has its own origin, for which a second request waits and a third one follows.
    The outcomes of all three are an item.
    """

    name = "cancelling"
    crawler: Crawler

    async def start(self) -> AsyncIterator[Any]:
        """Try every number of steps; the URL of the spider's request contains `{n}`."""
        for steps in range(int(self.requests[0]["meta"]["steps"])):
            url = self.requests[0]["url"].replace("{n}", str(steps))
            cancelled, other = self.download(url), self.download(url + "?other")
            for _ in range(steps):
                await asyncio.sleep(0)
            cancelled.cancel()
            outcomes = [await outcome_of(each) for each in (cancelled, other)]
            late = self.download(url + "?late")
            yield {"steps": steps, "ends": [*outcomes, await outcome_of(late)]}
        engine: Any = self.crawler.engine
        yield {"concurrency": engine.downloader.total_concurrency}

    def download(self, url: str) -> asyncio.Future[Any]:
        """Download one page with the engine, as a pipeline may."""
        page = download(self.crawler, Request(url, dont_filter=True))
        return asyncio.ensure_future(page)


async def outcome_of(page: asyncio.Future[Any]) -> str:
    """Return how a download ended: its status, or the class of its exception."""
    done, _ = await asyncio.wait([page], timeout=20)
    if not done:
        return "hangs"
    if page.cancelled():
        return "cancelled"
    error = page.exception()
    return type(error).__name__ if error else str(page.result().status)


def _paths(results: Any) -> list[str]:
    """Return the path or the error of each file."""
    return [str(result["path"] if is_ok else result.value) for is_ok, result in results]


class Files(FilesPipeline):
    """Scrapy's pipeline, with its results as text in the item."""

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Add the results to the item."""
        return item | {"files": _paths(results)}


class Images(ImagesPipeline):
    """Scrapy's pipeline, with its results as text in the item."""

    def item_completed(self, results: Any, item: Any, info: Any) -> Any:
        """Add the results to the item."""
        return item | {"files": _paths(results)}


class _RaisingRefusals:
    """Put refusals into the results, which older Scrapy does not do."""

    def media_failed(self, failure: Any, request: Any, info: Any) -> Any:
        """Raise the refusal instead of the pipeline's own exception."""
        if failure.check(ForbiddenByRobots):
            raise failure.value
        return super().media_failed(failure, request, info)  # type: ignore[misc]  # the pipeline's


class ReportingFiles(_RaisingRefusals, Files):
    """Files with refusals in the results."""


class RequestingPipeline:
    """Pipeline that requests two pages through the engine for each item."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler: Any = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a pipeline of *crawler*."""
        return cls(crawler)

    async def process_item(self, item: Any, spider: Any = None) -> Any:
        """Wait for the download of one page, and schedule another."""
        try:
            response = await download(self._crawler, Request(item["download"]))
            item["downloaded"] = response.status
        except IgnoreRequest as error:
            item["downloaded"] = str(error)
        spider = self._crawler.spider
        request = spider.request(item["crawl"], meta={"further": True})
        self._crawler.engine.crawl(request)
        return item


class FakeHandler:
    """Download handler that responds without a server."""

    lazy = False

    def __init__(self, *_: Any) -> None:
        """Accept the arguments of every Scrapy version."""

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        """Return a handler."""
        return cls()

    async def download_request(self, request: Request) -> Response:
        """Return a response to every request."""
        return TextResponse(request.url, body=b"pretended", request=request)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class BrokenHandler(FakeHandler):
    """Download handler that always raises."""

    async def download_request(self, request: Request) -> Response:
        """Raise for every request, that for robots.txt included."""
        message = "a bug in a handler"
        raise ZeroDivisionError(message)


if not inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
    # Scrapy 2.13 expects a Deferred.
    for kind in (FakeHandler, BrokenHandler):
        wrapped = kind.download_request

        def deferred(
            self: Any, request: Request, spider: Any = None, *, wrapped: Any = wrapped
        ) -> Any:
            """Return a Deferred of the response."""
            return deferred_from_coro(wrapped(self, request))

        kind.download_request = deferred  # type: ignore[method-assign]
        kind.close = lambda _: None  # type: ignore[assignment, method-assign, return-value]


def stop_all_but_html(crawler: Crawler) -> None:
    """Stop every download that is not HTML once its headers arrive."""

    def received(headers: Headers, **_: Any) -> None:
        if b"html" not in (headers.get("Content-Type") or b""):
            raise StopDownload(fail=False)

    crawler.signals.connect(received, signals.headers_received, weak=False)


def stop_at_the_first_bytes(crawler: Crawler, *, fail: bool = False) -> None:
    """Stop every download at its first bytes, like the example of Scrapy's documentation."""

    def received(**_: Any) -> None:
        raise StopDownload(fail=fail)

    crawler.signals.connect(received, signals.bytes_received, weak=False)


def fail_at_the_first_bytes(crawler: Crawler) -> None:
    """Fail every download at its first bytes."""
    stop_at_the_first_bytes(crawler, fail=True)


class RobotsFromOtherPath:
    """Middleware that returns a request for another path instead of each robots.txt."""

    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Request | Response:
        """Return a Request in place of the response."""
        if request.url.endswith("/robots.txt"):
            return request.replace(url=f"{request.url.removesuffix('.txt')}-file")
        return response


class BrokenResponseMiddleware:
    """Middleware that raises for each response to a robots.txt request."""

    def process_response(
        self, request: Request, response: Response, spider: Any = None
    ) -> Response:
        """Raise for a robots.txt."""
        if request.url.endswith("/robots.txt"):
            message = "a bug behind the download"
            raise ZeroDivisionError(message)
        return response


class BrokenRequestMiddleware:
    """Middleware with a bug in a function that it calls for each robots.txt."""

    async def process_request(self, request: Request, spider: Any = None) -> None:
        """Call it."""
        if request.url.endswith("/robots.txt"):
            self.look_up(request)

    def look_up(self, request: Request) -> Any:
        """Look for a key that only requests of this spider have."""
        return request.meta["account"]


class DroppingMiddleware:
    """Middleware that drops what is no page, by its extension."""

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Drop it."""
        if request.url.endswith(".txt"):
            message = "not a page"
            raise IgnoreRequest(message)


class TokenMiddleware:
    """Middleware that awaits a request of TOKEN_URL for each numbered page.

    `{n}` in it is the number. The awaited request is a copy of that of the page.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return a middleware of *crawler*."""
        return cls(crawler)

    async def process_request(self, request: Request, spider: Any = None) -> None:
        """Await the request for a page."""
        _, is_page, number = request.url.rpartition("/p")
        if is_page and number.isdigit():
            url = self._crawler.settings["TOKEN_URL"].replace("{n}", number)
            await download(self._crawler, request.replace(url=url))


class RenamingMiddleware:
    """Middleware that sets another User-Agent, like those with random ones."""

    def process_request(self, request: Request, spider: Any = None) -> None:
        """Set the header."""
        request.headers["User-Agent"] = "other/2.0"
