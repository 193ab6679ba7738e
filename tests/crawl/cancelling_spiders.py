"""A spider that cancels its own downloads, loaded by path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from tests.crawl.closing_spiders import download, sleep
from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler


class CancelsQueued(RequestingSpider):
    """Cancels a page that its download slot has queued, and awaits the next one.

    It cancels *pause* seconds after the page was queued. An item has the outcome of each
    download, and the number of active requests of the downloader at the end.
    """

    name = "cancels-queued"
    crawler: Crawler
    pause = 0.0

    async def start(self) -> AsyncIterator[Any]:
        """Download the first page, so that the second one is queued."""
        first, second, third = (Request(ask["url"]) for ask in self.requests)
        ends = [await self.end(deferred_from_coro(download(self.crawler, first)))]
        queued: Deferred[None] = Deferred()

        def reached(request: Request) -> None:
            if request is second:
                queued.callback(None)

        self.crawler.signals.connect(reached, signals.request_reached_downloader)
        victim = deferred_from_coro(download(self.crawler, second))
        await maybe_deferred_to_future(queued)
        await sleep(float(self.pause))
        victim.cancel()
        ends.append(await self.end(victim))
        ends.append(await self.end(deferred_from_coro(download(self.crawler, third))))
        assert self.crawler.engine is not None
        yield {"ends": ends, "active": len(self.crawler.engine.downloader.active)}

    async def end(self, started: Deferred[Any]) -> str:
        """Return the status of a download, or the class of its exception."""
        ended: Deferred[str] = Deferred()
        started.addCallbacks(
            lambda response: ended.callback(str(response.status)),
            lambda failure: ended.callback(failure.type.__name__),
        )
        return await maybe_deferred_to_future(ended)
