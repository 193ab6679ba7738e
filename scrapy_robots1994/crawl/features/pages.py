"""Pages: the spider middleware that obeys the robots directives of pages
(`ROBOTS1994_PAGES`).
"""

from functools import lru_cache
from logging import DEBUG

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.page import (
    UNREADABLE,
    PageMiddleware,
    page_head,
)
from scrapy_robots1994.crawl.log import count, log_line
from scrapy_robots1994.crawl.setting_types import NOFOLLOW, NOINDEX, REL_NOFOLLOW
from scrapy_robots1994.directives import Directives, directives_of
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.parser.said import Said
from scrapy_robots1994.parser.user_agent import robot_names

PAGE_KEY = "robots1994_page"
"""The key in `response.meta` for the `Directives` of the page."""

# Extract all links. By default the extractor skips links to images and archives, and
# returns only the first link to each URL. All links to a URL are needed, because
# `_closed_links` returns a URL only if each link to it has `rel=nofollow`.
_LINKS = LinkExtractor(deny_extensions=(), unique=False)


class DroppedByPage(DropItem):
    """The reason for dropping an item of a page that must not be indexed.

    *said* is the directive that disallows indexing of the page.
    """

    def __init__(self, said: Said, url: str) -> None:
        self.said = said
        super().__init__(f"Not to be indexed: {said} of {redact_and_escape(url)}")


def page_directives(response: Response, robot: str | bytes) -> Directives:
    """Return the directives of *response* for *robot*, which is a bare name or a whole
    User-Agent header.

    This function reads the header `X-Robots-Tag` of any response, and the meta tags of
    HTML, XHTML and other XML pages. At most 64 KiB of the header and of the page are
    read. An invalid body does not cause an exception.
    """
    head = page_head(response)
    return directives_of(head.tags, [head.header], robot_names(robot))


class RobotsPages(PageMiddleware):
    """Drops requests for links that must not be followed (NOFOLLOW and `rel=nofollow`), and
    items of a NOINDEX page.

    The directives of each page are in `response.meta["robots1994_page"]`. This middleware
    must be the spider middleware nearest to the engine, so that it processes the output
    of all other spider middlewares.
    """

    key = PAGE_KEY

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._obeyed = self._settings.pages
        if not self._obeyed:
            raise NotConfigured("ROBOTS1994_PAGES is False")
        # Cache the result of `_closed_links` for one response, because a spider can
        # create many requests from one response. With a module-level cache, the last
        # response would stay in memory after the crawl.
        self._closed_links = lru_cache(maxsize=1)(_closed_links)

    def read(self, response: Response, robot: str | bytes) -> Directives:
        """Return the directives of *response* for *robot*."""
        return page_directives(response, robot)

    def count(self, stated: Directives) -> None:
        """Count a page that states NOINDEX or NOFOLLOW."""
        if not stated.index:
            count(self.crawler, stats.PAGES_NOINDEX)
        if not stated.follow:
            count(self.crawler, stats.PAGES_NOFOLLOW)

    def get_processed_request(
        self, request: Request, response: Response | None
    ) -> Request | None:
        """Return *request*. Return `None` if *response* states that the link to the
        requested URL must not be followed.
        """
        # Pages P9 (the page itself): a request for the URL of the page itself does not
        # follow a link.
        if response is None or request.url == response.url:
            return request
        reason: object = self.stated(response).nofollow
        kind = NOFOLLOW
        if reason is None or NOFOLLOW not in self._obeyed:
            kind, reason = REL_NOFOLLOW, "rel=nofollow of the links"
            is_obeyed = REL_NOFOLLOW in self._obeyed
            if not is_obeyed or _bare(request.url) not in self._closed_links(response):
                return request
        count(self.crawler, stats.PAGE_REQUESTS_DROPPED, reason=kind)
        where = f"<{request.method} {request.url}>: {reason}"
        log_line(self.crawler, DEBUG, "Not followed: %s of %s", where, response.url)
        return None

    def reason_to_drop(self, response: Response) -> DropItem | None:
        """Return the reason to drop an item of *response*, and count the item. Return
        `None` if no directive disallows indexing.
        """
        said = self.stated(response).noindex
        if said is None or NOINDEX not in self._obeyed:
            return None
        count(self.crawler, stats.ITEMS_DROPPED)
        return DroppedByPage(said, response.url)


def _closed_links(response: Response) -> frozenset[str]:
    """Return the URLs to which *response* links only with `rel=nofollow`."""
    if not isinstance(response, HtmlResponse):
        return frozenset()
    # For speed, do not parse a page that does not contain `nofollow`.
    if b"nofollow" not in response.body.lower():
        return frozenset()
    try:
        links = _LINKS.extract_links(response)
    except UNREADABLE:
        # The links cannot be resolved, for example because the base URL of the page is
        # invalid.
        return frozenset()
    closed = frozenset(_bare(link.url) for link in links if link.nofollow)
    return closed.difference(_bare(link.url) for link in links if not link.nofollow)


def _bare(url: str) -> str:
    """Return *url* without its fragment."""
    return url.partition("#")[0]
