"""Pages: the spider middleware and the pipeline that obey what pages say to robots
(`ROBOTS1994_PAGES`).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import HtmlResponse, TextResponse, XmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.setting_types import NOFOLLOW, NOINDEX, REL_NOFOLLOW
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.stats import StatsRecorder
from scrapy_robots1994.crawl.user_agent import RobotName
from scrapy_robots1994.directives import (
    NO_DIRECTIVES,
    Directives,
    Said,
    directives_of,
    is_wide,
    words_occur,
)
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.parser.names import names_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

logger = logging.getLogger("scrapy_robots1994")

META_KEY = "robots1994_page"
"""Where a spider finds the `Directives` of the page it is handed."""

_LINKS = LinkExtractor(deny_extensions=(), unique=False)


class DroppedByPage(DropItem):
    """Raised for an item of a page that is not to be indexed; *said* is why."""

    def __init__(self, said: Said, url: str) -> None:
        self.said = said
        super().__init__(
            f"Not to be indexed: {said} of {escape_control_chars(redact_credentials(url), 500)}",
            log_level="DEBUG",
        )


def page_directives(response: Response, robot: str | bytes) -> Directives:
    """What *response* says to *robot*, a bare name or a whole User-Agent header.

    Reads the header of any response, and the meta tags of HTML and XHTML; a page in
    which the words do not occur is not parsed. Never raises on any body.
    """
    names = names_of(robot)
    values = response.headers.getlist("X-Robots-Tag")
    headers = [value.decode("latin-1") for value in values]
    tags: list[tuple[str, str]] = []
    if isinstance(response, (HtmlResponse, XmlResponse)):
        body = response.body
        if is_wide(body):
            body = response.text.encode("utf-8", "replace")
        if words_occur(body, names):
            tags = _tags(response)
    if not tags and not headers:
        return NO_DIRECTIVES
    return directives_of(tags, headers, names)


def _tags(response: TextResponse) -> list[tuple[str, str]]:
    """Name and content of the meta tags of *response*, in order, wherever they are."""
    # Pages P8: also in the body, where an author may have put them by mistake.
    is_html = response.selector.type == "html"
    found = response.xpath("//meta" if is_html else '//*[local-name()="meta"]')
    # Letters of attribute names have no case in HTML; the parser makes them small.
    pairs = ((tag.attrib.get("name"), tag.attrib.get("content")) for tag in found)
    return [(name, content) for name, content in pairs if name and content]


class RobotsPages(BaseSpiderMiddleware):
    """Drops the requests of a page that says NOFOLLOW, marks the items of one that says
    NOINDEX for `RobotsPagesPipeline`, and puts the directives into the meta.

    It stands next to the engine, so it sees what all other spider middlewares made of
    the spider's output.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = RobotsSettings.from_settings(crawler.settings)
        if not settings.pages:
            message = "ROBOTS1994_PAGES is False"
            raise NotConfigured(message)
        self._obeyed = settings.pages
        assert crawler.stats is not None  # noqa: S101 - set before middlewares are made
        self._tally = StatsRecorder(crawler.stats)
        self._robot = RobotName(crawler)
        # The item itself is kept beside its mark, so that its id stays its own.
        self._marked: dict[int, tuple[Any, DroppedByPage]] = {}
        self._last: tuple[Response | None, frozenset[str]] = (None, frozenset())

    def process_spider_input(
        self,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 hands it over
    ) -> None:
        """Read *response* before the spider does."""
        directives = self._read(response)
        if not directives.index:
            self._tally.count(stats.PAGES_NOINDEX)
        if not directives.follow:
            self._tally.count(stats.PAGES_NOFOLLOW)

    def _read(self, response: Response) -> Directives:
        """The directives of *response*, also put into its meta."""
        request = response.request
        assert request is not None  # noqa: S101 - the response of a crawl has one
        directives = page_directives(response, self._robot.of(request))
        request.meta[META_KEY] = directives
        return directives

    def get_processed_request(
        self, request: Request, response: Response | None
    ) -> Request | None:
        """*request*, or None where the page it was made from forbids to follow it."""
        # Pages P9: a request for the page itself follows no link.
        if response is None or request.url == response.url:
            return request
        reason = self._why_not(request, response)
        if reason is None:
            return request
        kind, said = reason
        self._tally.page_request_dropped(kind)
        logger.debug(
            "Not followed: <%s %s>: %s of %s",
            request.method,
            escape_control_chars(redact_credentials(request.url), 500),
            said,
            escape_control_chars(redact_credentials(response.url), 500),
            extra={"spider": self.crawler.spider},
        )
        return None

    def _why_not(self, request: Request, response: Response) -> tuple[str, str] | None:
        """Why *request* may not be made from *response*, as a word for the stats and
        words for the log; None where it may.
        """
        said = self._directives(response).nofollow
        if NOFOLLOW in self._obeyed and said is not None:
            return NOFOLLOW, str(said)
        if REL_NOFOLLOW in self._obeyed:
            if self._last[0] is not response:
                self._last = response, _closed_links(response)
            if _bare(request.url) in self._last[1]:
                return REL_NOFOLLOW, "rel=nofollow of the links"
        return None

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """*item*, marked where its page forbids to index it."""
        if response is not None and NOINDEX in self._obeyed:
            said = self._directives(response).noindex
            if said is not None:
                self._marked[id(item)] = item, DroppedByPage(said, response.url)
        return item

    def take_mark(self, item: object) -> DroppedByPage | None:
        """Why *item* is to be dropped, told once; None where it is not."""
        marked = self._marked.pop(id(item), None)
        if marked is None:
            return None
        self._tally.count(stats.ITEMS_DROPPED)
        return marked[1]

    def _directives(self, response: Response) -> Directives:
        """The directives that were read of *response*."""
        assert response.request is not None  # noqa: S101 - as in `_read`
        found = response.request.meta.get(META_KEY)
        return found if isinstance(found, Directives) else self._read(response)


class RobotsPagesPipeline:
    """Drops the items that `RobotsPages` marked, the way Scrapy drops items."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy."""
        return cls(crawler)

    def process_item(
        self,
        item: Any,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 hands it over
    ) -> Any:
        """Return *item*, or raise `DroppedByPage`."""
        pages = self._crawler.get_spider_middleware(RobotsPages)
        dropped = None if pages is None else pages.take_mark(item)
        if dropped is not None:
            raise dropped
        return item


def _closed_links(response: Response) -> frozenset[str]:
    """The URLs to which *response* links with rel=nofollow alone."""
    if (
        not isinstance(response, HtmlResponse)
        or b"nofollow" not in response.body.lower()
    ):
        return frozenset()
    links = _LINKS.extract_links(response)
    return frozenset(_bare(link.url) for link in links if link.nofollow) - frozenset(
        _bare(link.url) for link in links if not link.nofollow
    )


def _bare(url: str) -> str:
    """Return *url* without its fragment."""
    return url.partition("#")[0]
