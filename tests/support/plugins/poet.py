"""A page object and a spider for crawls with scrapy-poet."""

# Do not postpone annotations in this module, because scrapy-poet reads them at run time.

from collections.abc import AsyncIterator
from typing import Any

from scrapy.http import Response
from web_poet import HttpClient, WebPage
from web_poet.exceptions import HttpError

from tests.support.child import RequestingSpider


class TitlePage(WebPage[dict[str, str]]):  # type: ignore[misc]  # mypy does not follow web_poet
    """A page object with the title of a page."""

    @property
    def title(self) -> str:
        """The text of the first `title` element."""
        return str(self.css("title::text").get())


class Paged(RequestingSpider):
    """A spider whose callback receives a page object, and requests another page with an
    HTTP client.
    """

    name = "paged"

    async def fetched(  # type: ignore[override]  # scrapy-poet passes more arguments
        self, response: Response, page: TitlePage, http: HttpClient
    ) -> AsyncIterator[Any]:
        """Yield an item for each page. The field `more` is the result of the request
        that the callback sends with the HTTP client.
        """
        try:
            further = await http.get(response.urljoin("/private/more"))
            more = str(further.status)
        except HttpError as error:
            more = str(error.__cause__ or error)
        yield {"title": page.title, "more": more}
