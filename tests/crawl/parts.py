"""Components that crawls of these tests load by their path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import HtmlResponse, Response, TextResponse
from twisted.internet.defer import CancelledError

from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self


def is_robots(request: Request) -> bool:
    """Whether *request* is ours for a robots.txt."""
    return request.url.endswith("/robots.txt")


class CancelRobots:
    """Cancels every robots.txt request on its way."""

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise what a cancelled Deferred raises."""
        if is_robots(request):
            raise CancelledError


class BreakRobots:
    """Breaks on every robots.txt request."""

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Raise as a bug in a user's middleware would."""
        if is_robots(request):
            message = "a bug\nof \x1b[31mmine"
            raise ZeroDivisionError(message)


class AnswerRobots:
    """Answers every robots.txt request itself, without any server."""

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Response | None:
        """A file that closes the site."""
        if not is_robots(request):
            return None
        body = b"User-agent: *\nDisallow: /\n"
        return TextResponse(request.url, body=body, request=request)


class AnswerChallenge:
    """Asks for a robots.txt again that is a 503, as middlewares against bots do."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Response | Request:
        """The same request once more, in place of the challenge."""
        if response.status != 503 or not is_robots(request):
            return response
        return request.replace()


class Stamp:
    """Stamps each request, by handing back a new request once."""

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Request | None:
        """A copy with the stamp, which then comes through all middlewares anew."""
        if "stamp" in request.headers:
            return None
        stamped = request.replace(dont_filter=True)
        stamped.headers["stamp"] = "1"
        return stamped


def note_concurrency(crawler: Crawler) -> None:
    """Put what the downloader may do at once at the close into the stats."""

    def closed() -> None:
        assert crawler.stats is not None
        assert crawler.engine is not None
        most = crawler.engine.downloader.total_concurrency
        crawler.stats.set_value("test/concurrency", most)

    crawler.signals.connect(closed, signals.spider_closed, weak=False)


class RecordMeta:
    """Puts the meta and headers of robots.txt requests, as sent, into the stats."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen where requests reach the downloader."""
        recorder = cls()
        recorder.crawler = crawler
        crawler.signals.connect(recorder.reached, signals.request_reached_downloader)
        return recorder

    crawler: Crawler

    def reached(self, request: Request) -> None:
        """Write down what matters of a robots.txt request."""
        if not is_robots(request) or self.crawler.stats is None:
            return
        kept = {key: request.meta.get(key) for key in KEPT}
        self.crawler.stats.set_value("test/robots_meta", kept)
        names = sorted(name.decode() for name in request.headers)
        self.crawler.stats.set_value("test/robots_headers", names)


KEPT = (
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
    """Lets Scrapy drop what it asks for twice."""

    name = "asking-once"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all URLs of the job, filtered as any user's are."""
        for ask in self.requests:
            yield self.request(**ask | {"dont_filter": False})


class RequestAgainSpider(RequestingSpider):
    """Requests a refused URL once more and yields the verdict in the meta each time."""

    name = "asking-again"

    def failed(self, failure: Any) -> Any:
        """Tell the verdict, and ask again with the same meta."""
        request = failure.request
        yield {"meta": str(request.meta["robots1994"])}
        yield request.replace(dont_filter=True)

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Tell what the meta of an allowed request holds."""
        yield {"meta": str(response.meta.get("robots1994"))}


class Gauge:
    """Puts the most that was under way at once into the stats, under `test/most_…`.

    Pages and robots.txt requests between downloader middlewares and answer, and all
    in the downloader, waiting or not, and the settings of the slots.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen where requests come and go."""
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
        """One more is on its way."""
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
        """One came back."""
        self.under_way.remove(request)


class WithoutStart:
    """A spider middleware that leaves out what the spider starts with."""

    async def process_start(self, _start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield nothing, without a look at it."""
        nothing: tuple[Any, ...] = ()
        for item in nothing:
            yield item


class AnswerPages:
    """Answers every second page itself, as an HTTP cache does; healthy ones never."""

    asked = 0

    def process_request(
        self, request: Request, spider: Spider | None = None
    ) -> Response | None:
        """A page that the downloader never sees."""
        self.asked += request.url.endswith("/slow")
        if self.asked % 2 or not request.url.endswith("/slow"):
            return None
        return HtmlResponse(request.url, body=b"<p>", request=request)
