"""The spider and the middlewares of the crawls of `random_crawls.py`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.crawl.threads import sleep
from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

ALL_YIELDED = "the scheduler has all requests"
"""The line that the spider logs after its last request. An interruption after the line
`ALL_YIELDED` must not lose any request.
"""


class RandomSpider(RequestingSpider):
    """Requests every URL of the job. Some requests are filtered as duplicates."""

    async def start(self) -> AsyncIterator[Request]:
        """Yield all requests, and then log `ALL_YIELDED`."""
        for request in self.requests:
            meta = dict(request["meta"])
            is_unique = meta.pop("is_unique")
            yield self.request(**request | {"meta": meta, "dont_filter": not is_unique})
        self.logger.info(ALL_YIELDED)


class FailingMiddleware:
    """Fails a few requests, as a network does, but fails each robots.txt at most once.

    If a robots.txt fails three times in a row, the site counts as unreachable (R5).
    """

    def __init__(self, seed: int, share: float) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - the same failures every time
        self._share = share
        self._failed: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FailingMiddleware:
        """Return a middleware with the seed FAILING_SEED and the share FAILING_SHARE."""
        settings = crawler.settings
        return cls(settings.getint("FAILING_SEED"), settings.getfloat("FAILING_SHARE"))

    def process_request(self, request: Request, **_: Any) -> None:
        """Fail some requests before the download."""
        self._fail(request)

    def process_response(
        self, request: Request, response: Response, **_: Any
    ) -> Response:
        """Fail some robots.txt requests after the download."""
        if request.url.endswith("/robots.txt"):
            self._fail(request)
        return response

    def _fail(self, request: Request) -> None:
        if self._dice.random() < self._share and request.url not in self._failed:
            if request.url.endswith(".txt"):
                self._failed.add(request.url)
            message = f"on purpose: {request.url}"
            raise OSError(message)


class ReplacingMiddleware:
    """Replaces each request once with a copy, like middlewares that choose a proxy."""

    def process_request(self, request: Request, **_: Any) -> Request | None:
        """Return a copy of *request*, unless *request* is already a copy."""
        if "is_replaced" in request.meta:
            return None
        meta = request.meta | {"is_replaced": True}
        return request.replace(meta=meta, dont_filter=True)


class SlowMiddleware:
    """Delays each request, like a middleware that awaits a token."""

    async def process_request(self, request: Request, **_: Any) -> None:
        """Sleep for 10 ms."""
        await sleep(0.01)
