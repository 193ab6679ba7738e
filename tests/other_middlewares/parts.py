"""Spiders and components that the crawls of these tests load by their import path."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import StopDownload
from scrapy.utils.defer import deferred_from_coro, deferred_to_future

from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response
    from typing_extensions import Self


class BrokenHandler:
    """Download handler that always raises."""

    lazy = False

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        """Return a handler."""
        return cls()

    async def download_request(self, request: Request) -> Response:
        """Raise for every request, that for robots.txt included."""
        message = "a bug in a handler"
        raise ZeroDivisionError(message)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


class OlderBrokenHandler(BrokenHandler):
    """BrokenHandler for Scrapy 2.13, which expects a Deferred."""

    def download_request(self, request: Request, spider: Spider | None = None) -> Any:
        """Raise for every request, that for robots.txt included."""
        return deferred_from_coro(super().download_request(request))


if not inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
    BrokenHandler = OlderBrokenHandler  # type: ignore[misc]  # loaded by this name


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
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return a Request in place of the response."""
        if request.url.endswith("/robots.txt"):
            return request.replace(url=f"{request.url.removesuffix('.txt')}-file")
        return response


class BrokenResponseMiddleware:
    """Middleware that raises for each response to a robots.txt request."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Raise for a robots.txt."""
        if request.url.endswith("/robots.txt"):
            message = "a bug behind the download"
            raise ZeroDivisionError(message)
        return response


class CancellingSpider(RequestingSpider):
    """Spider that cancels its n-th request after n steps of the event loop, for all n.

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
        engine: Any = self.crawler.engine
        request = Request(url, dont_filter=True)
        download: asyncio.Future[Any] = asyncio.ensure_future(
            engine.download_async(request)
            if hasattr(engine, "download_async")
            else deferred_to_future(engine.download(request))
        )
        return download


async def outcome_of(download: asyncio.Future[Any]) -> str:
    """Return how a download ended: its status, or the class of its exception."""
    done, _ = await asyncio.wait([download], timeout=20)
    if not done:
        return "hangs"
    if download.cancelled():
        return "cancelled"
    error = download.exception()
    return type(error).__name__ if error else str(download.result().status)
