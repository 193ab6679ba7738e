"""Spiders of every kind that Scrapy has, as users write them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import (
    CrawlSpider,
    CSVFeedSpider,
    Rule,
    SitemapSpider,
    XMLFeedSpider,
)

from tests.support.child import RequestingSpider

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response
    from twisted.python.failure import Failure


class LinkSpider(CrawlSpider):
    """Follow every link, and yield the reason of each refusal."""

    name = "following"
    rules = (Rule(LinkExtractor(), callback="found", errback="refused", follow=True),)
    result: dict[str, list[Any]]

    def found(self, response: Response) -> dict[str, str]:
        """Return an item for each page."""
        return {"url": response.url}

    def refused(self, failure: Failure) -> None:
        """Add the reason to the items."""
        self.result["items"].append({"why": str(failure.value)})


class SitemapPagesSpider(SitemapSpider):
    """Read sitemaps from robots.txt, and request every page that they list."""

    name = "mapped"

    def parse(self, response: Response) -> dict[str, str]:
        """Return an item for each page."""
        return {"url": response.url}


class FeedSpider(XMLFeedSpider):
    """Request the link of each entry of a feed."""

    name = "fed"
    itertag = "item"

    def parse_node(self, response: Response, selector: Any) -> Any:
        """Return a request for the page that an entry links to."""
        return response.follow(selector.xpath("link/text()").get(), self.page)

    def page(self, response: Response) -> dict[str, str]:
        """Return an item for each page."""
        return {"url": response.url}


class TableSpider(CSVFeedSpider):
    """Request the page of each row of a table."""

    name = "listed"

    def parse_row(self, response: Response, row: dict[str, str]) -> Any:
        """Return a request for the page that a row links to."""
        return response.follow(row["link"], self.page)

    def page(self, response: Response) -> dict[str, str]:
        """Return an item for each page."""
        return {"url": response.url}


class ItemSpider(RequestingSpider):
    """Yield the item of the spider argument for every page.

    Pages that a pipeline requested yield none, or it would request pages forever.
    """

    name = "offering"
    item: dict[str, Any]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the item."""
        if not response.meta.get("further"):
            yield dict(self.item)


class MetaPassingSpider(RequestingSpider):
    """Pass the whole meta of a page on to the next requests."""

    name = "handing"
    further_urls: list[str]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Request further pages with the meta of this one."""
        if not response.meta.get("further"):
            for url in self.further_urls:
                yield self.request(url, meta=response.meta | {"further": True})

    def failed(self, failure: Failure) -> Any:
        """Repeat a refused request once with its whole meta, including the verdict."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds it
        if request.meta.get("second"):
            return None
        return request.replace(meta=request.meta | {"second": True})


class RepeatingSpider(RequestingSpider):
    """Repeat a refused request with other URLs and its whole meta."""

    name = "elsewhere"
    new_urls: list[str]
    dont_obey: bool

    def failed(self, failure: Failure) -> Any:
        """Return the request with each of the other URLs."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds it
        meta = request.meta | ({"dont_obey_robotstxt": True} if self.dont_obey else {})
        return [request.replace(url=url, meta=meta) for url in self.new_urls]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """Yield the verdict in the meta of the page."""
        yield {"verdict": str(response.meta.get("robots1994"))}
