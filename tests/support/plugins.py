"""Spiders and components with other plugins, as their documentation writes them."""

# scrapy-poet reads annotations at run time, so they must not be postponed here.

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy.http import Response
from scrapy_deltafetch import DeltaFetch
from scrapy_redis.spiders import RedisSpider
from web_poet import HttpClient, WebPage
from web_poet.exceptions import HttpError

from tests.support.child import RequestingSpider


class TitlePage(WebPage[dict[str, str]]):  # type: ignore[misc]  # mypy does not follow web_poet
    """The title of a page."""

    @property
    def title(self) -> str:
        """The text of <title>."""
        return str(self.css("title::text").get())


class Paged(RequestingSpider):
    """Spider whose callback gets a page object and requests another page itself."""

    name = "paged"

    async def fetched(  # type: ignore[override]  # scrapy-poet passes more arguments
        self, response: Response, page: TitlePage, http: HttpClient
    ) -> AsyncIterator[Any]:
        """Yield an item per page; `more` is the status or error of the further request."""
        try:
            further = await http.get(response.urljoin("/private/more"))
            more = str(further.status)
        except HttpError as error:
            more = str(error.__cause__ or error)
        yield {"title": page.title, "more": more}


class AnyDeltaFetch(DeltaFetch):  # type: ignore[misc]  # it has no annotations
    """DeltaFetch for newer Scrapy, with which scrapy-deltafetch 2.1.0 does not start."""

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any], spider: Any = None
    ) -> AsyncIterator[Any]:
        """Yield the results of its method for older Scrapy."""
        results = [each async for each in result]
        for each in self.process_spider_output(response, results, spider):
            yield each


class Shared(RedisSpider):  # type: ignore[misc]  # it has no annotations
    """Take start URLs from a list in Redis, follow links, and yield an item per page.

    It ends after a second without requests; by default, a worker waits forever.
    """

    name = "shared"
    redis_key = "shared:start_urls"
    max_idle_time = 1

    def parse(self, response: Any) -> Iterator[Any]:
        """Yield the page and a request for each link."""
        yield {"url": response.url}
        yield from response.follow_all(css="a")
