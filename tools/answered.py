"""The middleware without a network: every robots.txt is answered in this process."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response

from scrapy_robots1994.crawl.downloads import DownloadState
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.requests import RequestContext
from scrapy_robots1994.crawl.threads import INLINE_BYTES
from scrapy_robots1994.origin import Origin
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy_robots1994.policy.fetch_result import FetchResult

SETTINGS = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "examplebot/1.0 (+http://e.test)"}


class AnsweredMiddleware(Robots1994Middleware):
    """A middleware that resolves and decides as in a crawl, from the download on.

    *answer* returns the encoded body of an origin's robots.txt, and its codings.
    """

    def __init__(
        self,
        answer: Callable[[Origin], tuple[bytes, tuple[str, ...]]],
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(idle_crawler({**SETTINGS, **(settings or {})}))
        self._answer = answer
        self._limit = self._resolver.backend.reader.limit
        self.download.fetch = self._fetch  # type: ignore[method-assign,assignment]

    async def _fetch(self, origin: Origin, *_: object) -> FetchResult:
        """Answer instead of sending a request."""
        body, codings = self._answer(origin)
        state = DownloadState(origin, self._limit, 30.0, codings=codings)
        if len(body) > self._limit:
            body, state.is_truncated = body[: self._limit + 1], True
        state.is_sent = state.is_answered = True
        response = Response(origin.robots_url, body=body)
        return await self.download._result(origin, response, state)

    async def permits(self, url: str) -> bool:
        """Return whether a request for *url* is permitted, once its policy is known."""
        request = Request(url)
        origin = Origin.of(url)
        assert origin is not None
        context = RequestContext.from_request(request, ())
        policy = await self._resolver.resolve(origin, context)
        if policy.stated.size > INLINE_BYTES:
            await self._read_in_thread(request, policy)
        with suppress(IgnoreRequest):
            self._decide(request, origin, policy)
            return True
        return False
