"""Spiders that enable features beyond the standard of 1994."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.spiders import SitemapSpider

from example.spiders.pages import PagesSpider
from scrapy_robots1994 import robots_sitemaps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self


class RevisitedSpider(PagesSpider):
    """Reads robots.txt as specified in 1996, with several names or paths on one line."""

    name = "revisited"
    custom_settings = {"ROBOTS1994_DIALECT": "revisited"}


class ExtendedSpider(PagesSpider):
    """Obeys Allow lines too. The first Allow or Disallow line that matches a URL decides."""

    name = "extended"
    custom_settings = {"ROBOTS1994_DIALECT": "extended"}


class CrawlDelaySpider(PagesSpider):
    """Obeys the Crawl-delay of a site. A delay of more than 2 seconds counts as 2 seconds."""

    name = "crawl-delay"
    custom_settings = {
        "ROBOTS1994_DIALECT": "extended",
        "ROBOTS1994_CRAWL_DELAY": 2,
    }


class PageDirectivesSpider(PagesSpider):
    """Obeys the NOINDEX and NOFOLLOW directives of a page."""

    name = "page-directives"
    custom_settings = {"ROBOTS1994_PAGES": True}


class SitemapsSpider(SitemapSpider):
    """Crawls the pages in the sitemaps that a robots.txt names."""

    name = "sitemaps"
    custom_settings = {"ROBOTS1994_DIALECT": "extended"}

    def __init__(self, start: str, **kwargs: Any) -> None:
        """*start* is the URL of a robots.txt."""
        self.sitemap_urls = [start]
        self.sitemaps: list[str] = []
        super().__init__(**kwargs)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.add_sitemaps, robots_sitemaps)
        return spider

    def add_sitemaps(self, sitemaps: tuple[str, ...]) -> None:
        self.sitemaps += sitemaps

    def parse(self, response: Response, **_: object) -> Iterator[dict[str, Any]]:
        yield {"url": response.url, "sitemaps": self.sitemaps}
