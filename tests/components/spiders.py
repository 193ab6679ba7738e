"""Spiders of every kind that Scrapy brings, as a user writes them."""

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


class Following(CrawlSpider):
    """Follows every link by its rule, and yields why one was refused."""

    name = "following"
    rules = (Rule(LinkExtractor(), callback="found", errback="refused", follow=True),)
    result: dict[str, list[Any]]

    def found(self, response: Response) -> dict[str, str]:
        """One item a page."""
        return {"url": response.url}

    def refused(self, failure: Failure) -> None:
        """What a rule's errback learns."""
        self.result["items"].append({"why": str(failure.value)})


class Mapped(SitemapSpider):
    """Reads robots.txt itself for its sitemaps, and takes every page they list."""

    name = "mapped"

    def parse(self, response: Response) -> dict[str, str]:
        """One item a page."""
        return {"url": response.url}


class Fed(XMLFeedSpider):
    """Asks for the link of each entry of a feed."""

    name = "fed"
    itertag = "item"

    def parse_node(self, response: Response, selector: Any) -> Any:
        """The page that an entry links to."""
        return response.follow(selector.xpath("link/text()").get(), self.page)

    def page(self, response: Response) -> dict[str, str]:
        """One item a page."""
        return {"url": response.url}


class Listed(CSVFeedSpider):
    """Asks for the page of each row of a table."""

    name = "listed"

    def parse_row(self, response: Response, row: dict[str, str]) -> Any:
        """The page that a row links to."""
        return response.follow(row["link"], self.page)

    def page(self, response: Response) -> dict[str, str]:
        """One item a page."""
        return {"url": response.url}


class Offering(RequestingSpider):
    """Yields the item it was started with for every page that came.

    Only the pages that a pipeline asks for yield none: it would ask again for ever.
    """

    name = "offering"
    item: dict[str, Any]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """The item, once a page."""
        if not response.meta.get("further"):
            yield dict(self.item)


class Handing(RequestingSpider):
    """Hands the whole meta of a page on to the next request."""

    name = "handing"
    on: list[str]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """The further pages, each with the meta of this one."""
        if not response.meta.get("further"):
            for url in self.on:
                yield self.request(url, meta=response.meta | {"further": True})

    def failed(self, failure: Failure) -> Any:
        """A refused request is asked once more as it stands, verdict and all."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds it
        if request.meta.get("second"):
            return None
        return request.replace(meta=request.meta | {"second": True})


class Elsewhere(RequestingSpider):
    """Sends a refused request on to other places, with the meta it has."""

    name = "elsewhere"
    to: list[str]
    free: bool

    def failed(self, failure: Failure) -> Any:
        """The same request, with another URL."""
        super().failed(failure)
        request = failure.request  # type: ignore[attr-defined]  # Scrapy adds it
        meta = request.meta | ({"dont_obey_robotstxt": True} if self.free else {})
        return [request.replace(url=url, meta=meta) for url in self.to]

    def parse_page(self, response: Response) -> Iterator[Any]:
        """What the page carries of the refusal."""
        yield {"verdict": str(response.meta.get("robots1994"))}
