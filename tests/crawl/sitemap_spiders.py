"""Spiders and hooks of the tests of sitemaps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spiders import SitemapSpider

from scrapy_robots1994 import robots_sitemaps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response


class MapSpider(SitemapSpider):
    """Reads the sitemaps that the robots.txt files of the job name."""

    name = "map"
    told: dict[str, list[Any]]

    def __init__(self, asks: list[dict[str, Any]], **kwargs: Any) -> None:
        """Begin with the URLs of the job."""
        self.sitemap_urls = [ask["url"] for ask in asks]
        super().__init__(**kwargs)

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        """Note the page."""
        self.told["fetched"].append((response.url, response.status))
        yield {"url": response.url}


def note_sitemaps(crawler: Crawler) -> None:
    """Keep in the stats what the signal tells."""

    def told(**said: Any) -> None:
        assert crawler.stats is not None
        crawler.stats.set_value("test/sitemaps", said["sitemaps"])
        crawler.stats.set_value("test/origin", str(said["origin"]))
        crawler.stats.set_value("test/request", said["request"].url)
        crawler.stats.inc_value("test/times")

    crawler.signals.connect(told, robots_sitemaps, weak=False)
