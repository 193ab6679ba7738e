"""Third-party components that crawls of these tests load by their path."""

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
    """A download handler with a bug."""

    lazy = False

    @classmethod
    def from_crawler(cls, _crawler: Crawler) -> Self:
        """Make it as Scrapy does."""
        return cls()

    async def download_request(self, request: Request) -> Response:
        """Raise on everything, a robots.txt included."""
        message = "a bug in a handler"
        raise ZeroDivisionError(message)

    async def close(self) -> None:
        """Leave nothing behind."""


class OlderBrokenHandler(BrokenHandler):
    """The same for Scrapy 2.13, which awaits no coroutine."""

    def download_request(self, request: Request, spider: Spider | None = None) -> Any:
        """Raise on everything, a robots.txt included."""
        return deferred_from_coro(super().download_request(request))


if not inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
    BrokenHandler = OlderBrokenHandler  # type: ignore[misc]  # the one that is loaded


def stop_all_but_html(crawler: Crawler) -> None:
    """Stop what a crawl of pages has no use for, before its body."""

    def received(headers: Headers, **_: Any) -> None:
        if b"html" not in (headers.get("Content-Type") or b""):
            raise StopDownload(fail=False)

    crawler.signals.connect(received, signals.headers_received, weak=False)


def stop_at_the_first_bytes(crawler: Crawler, *, fail: bool = False) -> None:
    """Stop each download as the example in Scrapy's documentation does."""

    def received(**_: Any) -> None:
        raise StopDownload(fail=fail)

    crawler.signals.connect(received, signals.bytes_received, weak=False)


def fail_at_the_first_bytes(crawler: Crawler) -> None:
    """Let each download fail."""
    stop_at_the_first_bytes(crawler, fail=True)


class ElsewhereRobots:
    """Sends each request for a robots.txt on to another path, as a Request."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Hand back a Request where a Response is expected."""
        if request.url.endswith("/robots.txt"):
            return request.replace(url=f"{request.url.removesuffix('.txt')}-file")
        return response


class BreakingOnAnswers:
    """Breaks on the answer to a robots.txt, not on the question."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response:
        """Raise once the answer is there."""
        if request.url.endswith("/robots.txt"):
            message = "a bug behind the download"
            raise ZeroDivisionError(message)
        return response


class CancellingSpider(RequestingSpider):
    """Cancels its n-th request of a new origin after n steps of the loop, for all n.

    With each one, another request of the same origin waits; both outcomes go into an
    item, and so does that of a third request after them.
    """

    name = "cancelling"
    crawler: Crawler

    async def start(self) -> AsyncIterator[Any]:
        """Try every number of steps; the asks are one URL with `{n}` in it."""
        for steps in range(int(self.requests[0]["meta"]["steps"])):
            url = self.requests[0]["url"].replace("{n}", str(steps))
            victim, other = self.download(url), self.download(url + "?other")
            for _ in range(steps):
                await asyncio.sleep(0)
            victim.cancel()
            ends = [await end_of(each) for each in (victim, other)]
            late = self.download(url + "?late")
            yield {"steps": steps, "ends": [*ends, await end_of(late)]}
        engine: Any = self.crawler.engine
        yield {"concurrency": engine.downloader.total_concurrency}

    def download(self, url: str) -> asyncio.Future[Any]:
        """Ask the engine for one page, as a pipeline may."""
        engine: Any = self.crawler.engine
        request = Request(url, dont_filter=True)
        download: asyncio.Future[Any] = asyncio.ensure_future(
            engine.download_async(request)
            if hasattr(engine, "download_async")
            else deferred_to_future(engine.download(request))
        )
        return download


async def end_of(download: asyncio.Future[Any]) -> str:
    """How a download ended: its status, or the class of what it raised."""
    done, _ = await asyncio.wait([download], timeout=20)
    if not done:
        return "hangs"
    if download.cancelled():
        return "cancelled"
    error = download.exception()
    return type(error).__name__ if error else str(download.result().status)
