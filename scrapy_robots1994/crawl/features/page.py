"""Read the header `X-Robots-Tag` and the meta tags of a page, which can state page
directives or usage preferences. `PageMiddleware` is the base class of the spider
middlewares for directives and preferences.
"""

from abc import abstractmethod
from collections.abc import Sequence
from logging import DEBUG
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
)

from scrapy_robots1994.crawl import threads
from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.directives import meta_tags

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

MAX_PAGE_BYTES = 64 * 1024
"""Maximum number of bytes that are read from the start of a page or of a header."""

# `UNREADABLE` contains the exceptions that an invalid page can cause. Python raises
# `LookupError` if the charset of the page is not a text encoding (for example `zip`).
# Scrapy raises `ValueError` if the base URL of the page is invalid (for example
# `<base href="http://[">`).
UNREADABLE = (LookupError, ValueError)

# A page that contains one of `_OTHER_SPELLINGS` might use UTF-16, UTF-7 or character
# references. A search for ASCII letters does not find every word in UTF-16, in UTF-7 or
# in character references.
_OTHER_SPELLINGS = b"\0", b"utf-7", b"&#"

# A page that states an encoding in `_SLOW` is decoded as UTF-8. Python takes quadratic time
# to decode `idna` and `punycode`, which are meant for host names, not for pages.
_SLOW = frozenset({"idna", "punycode"})

# Log at most `_MAX_LOGGED` terms for one page, because a page can contain thousands of
# terms.
_MAX_LOGGED = 10


class PageHead(NamedTuple):
    """The header and the meta tags of a page.

    *header* contains all lines of `X-Robots-Tag`, joined into one line. *tags* contains the
    name and the content of each meta tag. *has_tags* is `True` if the page is HTML or XML,
    because only such a page can have meta tags.
    """

    header: str
    tags: tuple[tuple[str, str], ...]
    has_tags: bool


def page_head(response: Response, words: Sequence[bytes] = ()) -> PageHead:
    """Return the head of *response*. An invalid body does not cause an exception.

    At most `MAX_PAGE_BYTES` of the page and of the header are read. *words* are the words
    that the caller looks for, in lower case. If the page contains none of *words*, the
    tags might be missing from the returned head. If *words* is empty, all tags are
    returned.
    """
    header = header_of(response, "X-Robots-Tag")
    if not isinstance(response, (HtmlResponse, XmlResponse)):
        return PageHead(header, (), has_tags=False)
    # Parse the tags only if necessary, because parsing takes as long as all of Scrapy's
    # own work for a page.
    page = response.body[:MAX_PAGE_BYTES].lower()
    if words and not any(it in page for it in (*words, *_OTHER_SPELLINGS)):
        return PageHead(header, (), has_tags=True)
    tags = meta_tags(_text(response), is_xml=isinstance(response, XmlResponse))
    return PageHead(header, tuple(tags), has_tags=True)


def header_of(response: Response, name: str) -> str:
    """Return all lines of the header *name*, joined into one line. Return an empty string
    if *response* does not have the header.
    """
    # Several lines of a header are equivalent to one joined line (RFC 9110, section 5.3).
    # A header does not state its encoding, so decode the line as Latin-1, which accepts
    # any bytes.
    lines = b", ".join(response.headers.getlist(name))
    return lines[:MAX_PAGE_BYTES].decode("latin-1")


def _text(response: TextResponse) -> str:
    """Return the first `MAX_PAGE_BYTES` of *response* as text."""
    head = response.body[:MAX_PAGE_BYTES]
    # Do not use `response.encoding`, which decodes the whole page. If the page does not
    # state an encoding, `response.encoding` guesses the encoding, which can take any
    # amount of time.
    encoding = (
        read_bom(head)[0]
        or http_content_type_encoding(header_of(response, "Content-Type"))
        or html_body_declared_encoding(head)
    )
    if encoding is None or encoding in _SLOW:
        encoding = "utf-8"
    try:
        return head.decode(encoding, "replace")
    except UNREADABLE:
        return head.decode("utf-8", "replace")


class PageMiddleware(BaseSpiderMiddleware):
    """Reads the directives or usage preferences of each page before the spider gets the
    page.

    `response.meta[key]` contains the result of `read`. The result has the attribute
    `not_understood`.
    """

    key: ClassVar[str]

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._settings = RobotsSettings.from_settings(crawler.settings)
        self._robot = RobotName(crawler)
        # `_sent` contains the signals whose asynchronous handlers are running.
        self._sent: set[Deferred[None]] = set()
        crawler.signals.connect(self._wait_for_handlers, signals.spider_closed)

    @abstractmethod
    def read(self, response: Response, robot: str | bytes) -> Any:
        """Return the directives or usage preferences of *response* for *robot*."""

    @abstractmethod
    def count(self, stated: Any) -> None:
        """Count the directives or usage preferences of a page in the stats. *stated* is
        the result of `read`.
        """

    @abstractmethod
    def reason_to_drop(self, response: Response) -> DropItem | None:
        """Return the reason to drop an item of *response*, and count the item. Return `None`
        if the item must not be dropped.
        """

    def stated(self, response: Response) -> Any:
        """Return the result of `read` for *response*, which is read only once."""
        # An errback can return items of a response that did not reach
        # `process_spider_input`, because another spider middleware has raised an
        # exception.
        if self.key not in response.meta:
            assert response.request is not None  # noqa: S101 - always set in a crawl
            robot = self._robot.of(response.request)
            response.meta[self.key] = self.read(response, robot)
        return response.meta[self.key]

    def process_spider_input(
        self,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> None:
        """Read and count the directives or usage preferences of *response* before the
        spider gets the response.
        """
        # Remove the result for an earlier page, because a spider can create a request
        # with the meta of that page.
        response.meta.pop(self.key, None)
        stated = self.stated(response)
        self.count(stated)
        for said in stated.not_understood[:_MAX_LOGGED]:
            text = "Not understood: %s of %s"
            log_line(self.crawler, DEBUG, text, str(said), response.url)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return *item*. Return `None` if the page of *item* states a reason to drop the
        item.

        If *item* is dropped, log the reason, and send the signal `item_dropped`, as Scrapy
        does for an item that a pipeline drops.
        """
        reason = None if response is None else self.reason_to_drop(response)
        if reason is None:
            return item
        log_line(self.crawler, DEBUG, "%s; its item is dropped", str(reason))
        sent = threads.send_signal(
            self.crawler,
            signals.item_dropped,
            item=item,
            response=response,
            spider=self.crawler.spider,
            exception=reason,
        )
        # This method cannot await the asynchronous handlers, because it is not a
        # coroutine function. `_wait_for_handlers` awaits them when the crawl closes.
        running = deferred_from_coro(sent)
        self._sent.add(running)
        running.addBoth(lambda _: self._sent.discard(running))
        return None

    async def _wait_for_handlers(self) -> None:
        """Wait for the asynchronous handlers of `item_dropped`."""
        for running in tuple(self._sent):
            await maybe_deferred_to_future(running)
