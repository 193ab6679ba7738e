"""A page object and a spider for crawls with scrapy-poet."""

# scrapy-poet reads the annotations at run time, so their names must be imported.

from collections.abc import AsyncIterator
from typing import Any

from scrapy.http import Response
from web_poet import HttpClient, WebPage
from web_poet.exceptions import HttpError

from tests.support.child import RequestingSpider


class TitlePage(WebPage[dict[str, str]]):  # type: ignore[misc]  # mypy does not follow web_poet
    @property
    def title(self) -> str:
        return str(self.css("title::text").get())


class Paged(RequestingSpider):
    """Gets a page object in its callback and requests another page with an `HttpClient`."""

    name = "paged"

    async def fetched(  # type: ignore[override]  # scrapy-poet passes more arguments
        self, response: Response, page: TitlePage, http: HttpClient
    ) -> AsyncIterator[Any]:
        try:
            further = await http.get(response.urljoin("/private/more"))
            more = str(further.status)
        except HttpError as error:
            more = str(error.__cause__ or error)
        yield {"title": page.title, "more": more}
