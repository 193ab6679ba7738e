"""Spiders for the tests of page directives: one item per page, and all its links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals

from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response


class PlainSpider(RequestingSpider):
    """A spider with a generator as callback; the page's directives are in the item."""

    name = "plain"
    follow = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield an item with the URL and the directives of the page."""
        directives = response.meta.get("robots1994_page")
        yield {
            "url": response.url,
            "directives": directives and [directives.index, directives.follow],
        }


class TwiceSpider(PlainSpider):
    """Yields one object as two items."""

    name = "twice"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield each item twice, as a callback that reuses a dict does."""
        for item in super().parse_page(response):
            yield item
            yield item


class AsyncSpider(PlainSpider):
    """A spider with an asynchronous generator as callback."""

    name = "async"

    def request(self, url: str, **options: Any) -> Any:
        """Return a request with the asynchronous callback."""
        return super().request(url, **options).replace(callback=self.found)

    async def found(self, response: Response) -> AsyncIterator[Any]:
        """Yield what the plain callback yields."""
        for each in self.fetched(response):
            yield each


def count_dropped(crawler: Crawler) -> None:
    """Record in the stats which items Scrapy dropped, of which page and why."""

    def dropped(item: Any, response: Response, exception: Exception) -> None:
        dropped = (item["url"], response.url, type(exception).__name__, str(exception))
        assert crawler.stats is not None
        crawler.stats.set_value(f"test/dropped{response.url}", dropped)

    crawler.signals.connect(dropped, signals.item_dropped, weak=False)
