"""A spider to whom a day passes between two pairs of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_robots1994.crawl.backend import ScrapyBackend
from tests.support.child import AskingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

MORE_THAN_FRESH_AND_STALE = 3 * 86_400


class Clock:
    """Seconds since the epoch, as this crawl sees them."""

    now = 1_000_000_000.0


def set_clock(_crawler: Crawler) -> None:
    """Let the policies of the crawl live by our clock."""
    setattr(ScrapyBackend, "now", lambda _: Clock.now)  # noqa: B010 (types know no such turn)


class DailySpider(AskingSpider):
    """Asks for two pages; when both have an end, days later, for the next two."""

    name = "daily"
    ended = 0

    async def start(self) -> AsyncIterator[Any]:
        """Begin with the first two."""
        for request in self.next_two():
            yield request

    def next_two(self) -> Iterator[Any]:
        """Ask for the two pages whose turn it is."""
        for ask in self.asks[self.ended : self.ended + 2]:
            yield self.ask(**ask)

    def look(self, response: Response) -> Iterator[Any]:
        """Go on after a page."""
        yield from self.one_ended()

    def failed(self, failure: Failure) -> Any:
        """Go on after a refusal."""
        super().failed(failure)
        return self.one_ended()

    def one_ended(self) -> Iterator[Any]:
        """Let days pass once both have an end."""
        self.ended += 1
        if self.ended % 2 == 0:
            Clock.now += MORE_THAN_FRESH_AND_STALE
            yield from self.next_two()
