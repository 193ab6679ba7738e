"""Spiders that opt for more than the text of 1994, each with one or two settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spiders import SitemapSpider

from scrapy_robots1994 import robots_sitemaps
from town.spiders.walk import WalkSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self


class RevisitedSpider(WalkSpider):
    """Walks by the grammar of 1996: several names and paths on a line."""

    name = "revisited"
    custom_settings = {"ROBOTS1994_DIALECT": "revisited"}


class ExtendedSpider(WalkSpider):
    """Walks by the text of 1994 with Allow: the first line that matches decides."""

    name = "extended"
    custom_settings = {"ROBOTS1994_DIALECT": "extended"}


class PatientSpider(WalkSpider):
    """Keeps the Crawl-delay of a site, up to 2 seconds."""

    name = "patient"
    custom_settings = {
        "ROBOTS1994_DIALECT": "extended",
        "ROBOTS1994_CRAWL_DELAY": 2,
    }


class ReaderSpider(WalkSpider):
    """Obeys what pages say of themselves, and notes what that is."""

    name = "reader"
    custom_settings = {"ROBOTS1994_PAGES": True}


class MappedSpider(SitemapSpider):
    """Begins at a robots.txt, and asks for the pages of the sitemaps it names."""

    name = "mapped"
    custom_settings = {"ROBOTS1994_DIALECT": "extended"}

    def __init__(self, start: str, **kwargs: Any) -> None:
        """Begin at the robots.txt with the URL ``start``."""
        self.sitemap_urls = [start]
        self.offered: list[str] = []
        super().__init__(**kwargs)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Listen for the sitemaps that are offered."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.offer, robots_sitemaps)
        return spider

    def offer(self, sitemaps: tuple[str, ...]) -> None:
        """Note the sitemaps of one robots.txt."""
        self.offered += sitemaps

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        """Note the page."""
        yield {"url": response.url, "offered": self.offered}
