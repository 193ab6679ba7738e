"""The spider of `tests.support.crawl.crawl_over_time`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.child import RequestingSpider
from tests.support.clock import Clock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure


class SteppingSpider(RequestingSpider):
    """Requests the pages of one step, then sets the clock or requests the pages of the next
    step.

    A page whose path begins with /mark/ waits until the site has got all requests of a
    step. If this page fails, other requests are missing, and the crawl ends.
    """

    name = "stepping"
    steps: list[Any]
    pending = 0

    async def start(self) -> AsyncIterator[Any]:
        """Begin with the first step; from now on only steps set the clock."""
        Clock.set_forward(0)
        for request in self.next_step():
            yield request

    def next_step(self) -> Iterator[Any]:
        """Set the clock until the next step with requests, and yield these requests."""
        while self.steps and not isinstance(self.steps[0], list):
            Clock.set_forward(self.steps.pop(0))
        requests = self.steps.pop(0) if self.steps else []
        self.pending = len(requests)
        for request in requests:
            yield self.request(**request)

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Go on after a page."""
        yield from self.one_ended()

    def failed(self, failure: Failure) -> Any:
        """Go on after a request that failed; end the crawl if the request was for a
        mark.
        """
        super().failed(failure)
        if "/mark/" in failure.request.url:  # type: ignore[attr-defined]  # Scrapy adds it
            self.steps.clear()
        return self.one_ended()

    def one_ended(self) -> Iterator[Any]:
        """Begin the next step once all requests of the current step have ended."""
        self.pending -= 1
        if self.pending == 0:
            yield from self.next_step()
