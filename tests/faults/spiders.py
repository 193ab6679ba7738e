"""A spider for which a day passes between two pairs of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_robots1994.crawl.backend import ScrapyBackend
from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

MORE_THAN_FRESH_AND_STALE = 3 * 86_400


class Clock:
    """A clock in seconds since the epoch that a crawl can set."""

    now = 1_000_000_000.0


def set_clock(_crawler: Crawler) -> None:
    """Make the crawl use our clock."""
    setattr(ScrapyBackend, "now", lambda _: Clock.now)  # noqa: B010 (not typed as assignable)


class DailySpider(RequestingSpider):
    """Requests two pages; when both have ended, days later, the next two."""

    name = "daily"
    ended = 0

    async def start(self) -> AsyncIterator[Any]:
        """Start with the first two."""
        for request in self.next_two():
            yield request

    def next_two(self) -> Iterator[Any]:
        """Request the next two pages."""
        for ask in self.requests[self.ended : self.ended + 2]:
            yield self.request(**ask)

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Continue after a page."""
        yield from self.one_ended()

    def failed(self, failure: Failure) -> Any:
        """Continue after a refusal."""
        super().failed(failure)
        return self.one_ended()

    def one_ended(self) -> Iterator[Any]:
        """Let days pass once both have ended."""
        self.ended += 1
        if self.ended % 2 == 0:
            Clock.now += MORE_THAN_FRESH_AND_STALE
            yield from self.next_two()
