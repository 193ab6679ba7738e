"""Spiders of the tests of pages: they yield an item a page and follow its links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals

from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response


class PlainSpider(RequestingSpider):
    """With callbacks that are plain generators; the meta is part of the item."""

    name = "plain"
    follow = True

    def parse_page(self, response: Response) -> Iterator[Any]:
        """One item a page, a dict of its URL and of what the page says."""
        said = response.meta.get("robots1994_page")
        yield {"url": response.url, "said": said and [said.index, said.follow]}


class TwiceSpider(PlainSpider):
    """Yields one object as two items."""

    name = "twice"

    def parse_page(self, response: Response) -> Iterator[Any]:
        """As a callback that fills the same dict again."""
        for item in super().parse_page(response):
            yield item
            yield item


class AsyncSpider(PlainSpider):
    """With callbacks that are asynchronous generators."""

    name = "async"

    def request(self, url: str, **options: Any) -> Any:
        """A request for the asynchronous callback."""
        return super().request(url, **options).replace(callback=self.found)

    async def found(self, response: Response) -> AsyncIterator[Any]:
        """What the plain callback yields."""
        for each in self.fetched(response):
            yield each


def count_dropped(crawler: Crawler) -> None:
    """Note in the stats which items Scrapy says it dropped, of which page and why."""

    def dropped(item: Any, response: Response, exception: Exception) -> None:
        dropped = (item["url"], response.url, type(exception).__name__, str(exception))
        assert crawler.stats is not None
        crawler.stats.set_value(f"test/dropped{response.url}", dropped)

    crawler.signals.connect(dropped, signals.item_dropped, weak=False)
