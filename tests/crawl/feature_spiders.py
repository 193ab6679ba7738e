"""Spiders and hooks for pages, sitemaps and crawl delays, loaded by path."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.spiders import SitemapSpider
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots1994 import robots_sitemaps
from tests.crawl.closing_spiders import download, sleep
from tests.support.child import RequestingSpider


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


class MapSpider(SitemapSpider):
    """Reads the sitemaps that the robots.txt files of the job name."""

    name = "map"
    result: dict[str, list[Any]]

    def __init__(self, requests: list[dict[str, Any]], **kwargs: Any) -> None:
        """Use the URLs of the job as sitemap URLs."""
        self.sitemap_urls = [request["url"] for request in requests]
        super().__init__(**kwargs)

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        """Record the page."""
        self.result["fetched"].append((response.url, response.status))
        yield {"url": response.url}


class Following(SitemapSpider, RequestingSpider):
    """Reads the sitemaps of a robots.txt, and follows the links of further pages."""

    name = "following"
    robots: str

    async def start(self) -> AsyncIterator[Any]:
        """Request the robots.txt, then the pages of the job."""
        yield Request(self.robots, self._parse_sitemap)
        for ask in self.requests:
            yield Request(ask["url"], self.links)

    def links(self, response: Response) -> Iterator[Any]:
        """Follow all links, duplicates included."""
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse, dont_filter=True)

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        """Record the page."""
        self.result["fetched"].append((response.url, response.status))
        yield {"url": response.url}

    def _get_sitemap_body(self, response: Response) -> bytes | None:
        """Accept any content type."""
        return response.body


def note_sitemaps(crawler: Crawler) -> None:
    """Record the arguments of the signal in the stats."""

    def sitemaps_found(**arguments: Any) -> None:
        assert crawler.stats is not None
        crawler.stats.set_value("test/sitemaps", arguments["sitemaps"])
        crawler.stats.set_value("test/origin", str(arguments["origin"]))
        crawler.stats.set_value("test/request", arguments["request"].url)
        crawler.stats.inc_value("test/times")

    crawler.signals.connect(sitemaps_found, robots_sitemaps, weak=False)


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


def note_slots(crawler: Crawler) -> None:
    """Record the delay and concurrency of the slot of each page that left, in the stats."""

    def left(request: Request) -> None:
        key = request.meta["download_slot"]
        assert crawler.engine is not None
        assert crawler.stats is not None
        slot = crawler.engine.downloader.slots[key]
        seen = crawler.stats.get_value(f"test/slot/{key}", [])
        crawler.stats.set_value(
            f"test/slot/{key}", [*seen, (slot.delay, slot.concurrency)]
        )

    crawler.signals.connect(left, signals.request_left_downloader, weak=False)
