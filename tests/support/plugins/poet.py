"""A page object and a spider for crawls with scrapy-poet."""

# scrapy-poet reads annotations at run time, so they must not be postponed here.

from collections.abc import AsyncIterator
from typing import Any

from scrapy.http import Response
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
