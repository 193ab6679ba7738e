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
    """Sends the requests of a step when those of the previous step have ended.

    Between steps, advances the clock. If a request for /mark/ fails, later steps are skipped.
    """

    name = "stepping"
    steps: list[Any]
    pending = 0

    async def start(self) -> AsyncIterator[Any]:
        Clock.set_forward(0)
        for request in self.next_step():
            yield request

    def next_step(self) -> Iterator[Any]:
        while self.steps and not isinstance(self.steps[0], list):
            Clock.set_forward(self.steps.pop(0))
        requests = self.steps.pop(0) if self.steps else []
        self.pending = len(requests)
        for request in requests:
            yield self.request(**request)

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield from self.one_ended()

    def failed(self, failure: Failure) -> Any:
        super().failed(failure)
        if "/mark/" in failure.request.url:  # type: ignore[attr-defined]  # Scrapy adds `request`
            self.steps.clear()
        return self.one_ended()

    def one_ended(self) -> Iterator[Any]:
        self.pending -= 1
        if self.pending == 0:
            yield from self.next_step()
