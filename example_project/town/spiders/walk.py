"""The spider of the example: follows every link, and notes every refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994 import ForbiddenByRobots

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure


class WalkSpider(Spider):
    """Walks from one page to all it links to; yields one item a page, got or not.

    ``scrapy crawl walk -a start=http://127.0.0.1:8000/ -O pages.jsonl``
    """

    name = "walk"

    def __init__(self, start: str, **kwargs: Any) -> None:
        """Begin at the URL ``start``."""
        super().__init__(**kwargs)
        self.start_urls = [start]

    async def start(self) -> AsyncIterator[Request]:
        """Ask for the first page."""
        for url in self.start_urls:
            yield self.ask(url)

    def ask(self, url: str) -> Request:
        """Return the request for ``url`` whose refusal comes to ``not_got``."""
        return Request(url, callback=self.parse, errback=self.not_got)

    def parse(self, response: Response, **_: object) -> Iterator[Any]:
        """Note the page and follow its links."""
        yield {"url": response.url, "status": response.status}
        for href in response.css("a::attr(href)").getall():
            yield self.ask(response.urljoin(href))

    def not_got(self, failure: Failure) -> Iterator[dict[str, Any]]:
        """Note a page that was refused or lost, and why."""
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy adds it
        error = failure.value
        if isinstance(error, ForbiddenByRobots):
            verdict = error.verdict
            why = {"reason": verdict.reason.value, "line": verdict.line}
            yield {"url": url, "refused": str(verdict), **why}
        elif isinstance(error, IgnoreRequest):
            yield {"url": url, "refused": str(error)}
        else:
            yield {"url": url, "lost": type(error).__name__}
