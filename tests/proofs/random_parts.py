"""What the crawls of `random_crawls.py` are made of: their spider and middlewares."""

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
"""What the spider logs: from then on an interrupted crawl may lose none."""


class RandomSpider(RequestingSpider):
    """Requests every URL of the job, some of them filtered as duplicates."""

    async def start(self) -> AsyncIterator[Request]:
        """Yield all requests, and log that this is so."""
        for request in self.requests:
            meta = dict(request["meta"])
            is_unique = meta.pop("is_unique")
            yield self.request(**request | {"meta": meta, "dont_filter": not is_unique})
        self.logger.info(ALL_YIELDED)


class FailingMiddleware:
    """Fails a few requests, as a network does, but each robots.txt once at most.

    A site whose robots.txt fails three times in a row is unreachable (R5).
    """

    def __init__(self, seed: int, share: float) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - the same failures every time
        self._share = share
        self._failed: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FailingMiddleware:
        """Make it from the settings FAILING_SEED and FAILING_SHARE."""
        settings = crawler.settings
        return cls(settings.getint("FAILING_SEED"), settings.getfloat("FAILING_SHARE"))

    def process_request(self, request: Request, **_: Any) -> None:
        """Fail some on their way to the site."""
        self._fail(request)

    def process_response(
        self, request: Request, response: Response, **_: Any
    ) -> Response:
        """Fail some on their way back."""
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
    """Replaces each request once by a copy, as those that choose proxies do."""

    def process_request(self, request: Request, **_: Any) -> Request | None:
        """Return a copy at the first time."""
        if "is_replaced" in request.meta:
            return None
        meta = request.meta | {"is_replaced": True}
        return request.replace(meta=meta, dont_filter=True)


class SlowMiddleware:
    """Lets each request wait, as one does that awaits a token."""

    async def process_request(self, request: Request, **_: Any) -> None:
        """Wait a moment."""
        await sleep(0.01)
