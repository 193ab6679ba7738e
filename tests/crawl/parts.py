"""Components that the crawls of these tests load by path."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.internet.defer import CancelledError
from typing_extensions import Self

from tests.support.child import RequestingSpider


def is_robots(request: Request) -> bool:
    """Whether *request* is for a robots.txt."""
    return request.url.endswith("/robots.txt")


class CancelRobots:
    """Cancels every robots.txt request."""

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise what a cancelled Deferred raises."""
        if is_robots(request):
            raise CancelledError


class BreakRobots:
    """Raises for every robots.txt request."""

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise as a bug in a user's middleware would."""
        if is_robots(request):
            message = "a bug\nof \x1b[31mmine"
            raise ZeroDivisionError(message)


class AnswerRobots:
    """Answers every robots.txt request itself, without a server."""

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Response | None:
        """Return a file that disallows everything."""
        if not is_robots(request):
            return None
        body = b"User-agent: *\nDisallow: /\n"
        return TextResponse(request.url, body=body, request=request)


class AnswerChallenge:
    """Repeats a robots.txt request that got a 503, as middlewares for bot challenges do."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response | Request:
        """Return the same request in place of the challenge."""
        if response.status != 503 or not is_robots(request):
            return response
        return request.replace()


class Stamp:
    """Adds a header to each request by returning a new request once."""

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | None:
        """Return a copy with the header, which passes through all middlewares again."""
        if "stamp" in request.headers:
            return None
        stamped = request.replace(dont_filter=True)
        stamped.headers["stamp"] = "1"
        return stamped


def note_concurrency(crawler: Crawler) -> None:
    """Put the total concurrency of the downloader at the close into the stats."""

    def closed() -> None:
        assert crawler.stats is not None
        assert crawler.engine is not None
        total = crawler.engine.downloader.total_concurrency
        crawler.stats.set_value("test/concurrency", total)

    crawler.signals.connect(closed, signals.spider_closed, weak=False)


class RecordMeta:
    """Puts the meta and headers of robots.txt requests, as sent, into the stats."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signal of requests that reach the downloader."""
        recorder = cls()
        recorder.crawler = crawler
        crawler.signals.connect(recorder.reached, signals.request_reached_downloader)
        return recorder

    crawler: Crawler

    def reached(self, request: Request) -> None:
        """Record the meta and headers of a robots.txt request."""
        if not is_robots(request) or self.crawler.stats is None:
            return
        meta = {key: request.meta.get(key) for key in META_KEYS}
        meta["callback"] = getattr(request.callback, "__name__", None)
        self.crawler.stats.set_value("test/robots_meta", meta)
        names = sorted(name.decode() for name in request.headers)
        self.crawler.stats.set_value("test/robots_headers", names)


META_KEYS = (
    "dont_obey_robotstxt",
    "allow_offsite",
    "dont_cache",
    "download_timeout",
    "proxy",
    "bindaddress",
    "session",
    "dont_merge_cookies",
)


class DeduplicatingSpider(RequestingSpider):
    """Lets Scrapy's duplicates filter drop repeated requests."""

    name = "asking-once"

    async def start(self) -> AsyncIterator[Any]:
        """Request all URLs of the job, filtered for duplicates."""
        for ask in self.requests:
            yield self.request(**ask | {"dont_filter": False})


class RequestAgainSpider(RequestingSpider):
    """Requests a refused URL once more and yields the verdict in the meta each time."""

    name = "asking-again"

    def failed(self, failure: Any) -> Any:
        """Yield the verdict, and repeat the request with the same meta."""
        request = failure.request
        yield {"meta": str(request.meta["robots1994"])}
        yield request.replace(dont_filter=True)

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the verdict in the meta of an allowed request."""
        yield {"meta": str(response.meta.get("robots1994"))}


class Gauge:
    """Puts the maximum number of simultaneous requests into the stats, under `test/most_…`.

    Counts pages and robots.txt requests between the downloader middlewares and their
    responses, and all active requests of the downloader. Records the slots' settings.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals of requests that reach and leave the downloader."""
        gauge = cls()
        gauge.crawler = crawler
        gauge.under_way = []
        reached, left = (
            signals.request_reached_downloader,
            signals.request_left_downloader,
        )
        crawler.signals.connect(gauge.reached, reached)
        crawler.signals.connect(gauge.left, left)
        return gauge

    crawler: Crawler
    under_way: list[Request]

    def reached(self, request: Request) -> None:
        """Count one more request."""
        self.under_way.append(request)
        pages = [request for request in self.under_way if not is_robots(request)]
        assert self.crawler.stats is not None
        assert self.crawler.engine is not None
        downloader = self.crawler.engine.downloader
        slots = {(slot.concurrency, slot.delay) for slot in downloader.slots.values()}
        most = self.crawler.stats.max_value
        most("test/most_pages", len(pages))
        most("test/most_robots", len(self.under_way) - len(pages))
        self.crawler.stats.set_value("test/slots", sorted(slots))
        most("test/most_held", len(downloader.active))

    def left(self, request: Request) -> None:
        """Count one request less."""
        self.under_way.remove(request)


class AnswerPages:
    """Answers every second request for /slow itself, as an HTTP cache does."""

    requested = 0

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Response | None:
        """Return a page that does not come from the downloader."""
        self.requested += request.url.endswith("/slow")
        if self.requested % 2 or not request.url.endswith("/slow"):
            return None
        return HtmlResponse(request.url, body=b"<p>", request=request)
