"""The spider and the middlewares of the crawls in `random_crawls.py`."""

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
"""The line that the spider logs after its last request. Crawls are interrupted only after it."""


class RandomSpider(RequestingSpider):
    async def start(self) -> AsyncIterator[Request]:
        for request in self.requests:
            meta = dict(request["meta"])
            is_unique = meta.pop("is_unique")
            yield self.request(**request | {"meta": meta, "dont_filter": not is_unique})
        self.logger.info(ALL_YIELDED)


class FailingMiddleware:
    """Fails a few requests, as a network would. A robots.txt fails at most once, so that a retry
    succeeds.
    """

    def __init__(self, seed: int, share: float) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - the same failures every time
        self._share = share
        self._failed: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FailingMiddleware:
        settings = crawler.settings
        return cls(settings.getint("FAILING_SEED"), settings.getfloat("FAILING_SHARE"))

    def process_request(self, request: Request, **_: Any) -> None:
        self._fail(request)

    def process_response(
        self, request: Request, response: Response, **_: Any
    ) -> Response:
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
    """Replaces each request with a copy once, as middlewares that choose a proxy do."""

    def process_request(self, request: Request, **_: Any) -> Request | None:
        if "is_replaced" in request.meta:
            return None
        meta = request.meta | {"is_replaced": True}
        return request.replace(meta=meta, dont_filter=True)


class SlowMiddleware:
    """Delays each request, as a middleware that awaits a token would."""

    async def process_request(self, request: Request, **_: Any) -> None:
        await sleep(0.01)
