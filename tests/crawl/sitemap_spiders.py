"""Spiders and hooks for the tests of sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.spiders import SitemapSpider

from scrapy_robots1994 import robots_sitemaps
from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response


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
