"""The example spider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994 import ForbiddenByRobots

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure


class PagesSpider(Spider):
    """Follows all links and yields an item for each page, fetched or not.

    `scrapy crawl pages -a start=http://127.0.0.1:8000/ -O pages.jsonl`
    """

    name = "pages"

    def __init__(self, start: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = [start]

    async def start(self) -> AsyncIterator[Request]:
        for url in self.start_urls:
            yield self.request(url)

    def request(self, url: str) -> Request:
        return Request(url, callback=self.parse, errback=self.not_fetched)

    def parse(self, response: Response, **_: object) -> Iterator[Any]:
        yield {"url": response.url, "status": response.status}
        for href in response.css("a::attr(href)").getall():
            yield self.request(response.urljoin(href))

    def not_fetched(self, failure: Failure) -> Iterator[dict[str, Any]]:
        url = failure.request.url  # type: ignore[attr-defined]  # Scrapy adds `request`
        error = failure.value
        if isinstance(error, ForbiddenByRobots):
            verdict = error.verdict
            why = {"reason": verdict.reason.value, "line": verdict.line}
            yield {"url": url, "refused": str(verdict), **why}
        elif isinstance(error, IgnoreRequest):
            yield {"url": url, "refused": str(error)}
        else:
            yield {"url": url, "failed": type(error).__name__}
