"""Components that crawls of these tests load by their path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.http import Response, TextResponse
from twisted.internet.defer import CancelledError

from tests.support.child import AskingSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

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


class AskingAgainSpider(AskingSpider):
    """Asks a refused URL once more and tells the verdict in the meta each time."""

    name = "asking-again"

    def failed(self, failure: Any) -> Any:
        """Tell the verdict, and ask again with the same meta."""
        request = failure.request
        yield {"meta": str(request.meta["robots1994"])}
        yield request.replace(dont_filter=True)

    def look(self, response: Response) -> Iterator[Any]:
        """Tell what the meta of an allowed request holds."""
        yield {"meta": str(response.meta.get("robots1994"))}
