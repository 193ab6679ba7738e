"""The base class of the spider middlewares that read the directives or usage
preferences of a page.
"""

from abc import abstractmethod
from logging import DEBUG
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from scrapy_robots1994.crawl import threads
from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.requests import RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings

if TYPE_CHECKING:
    from twisted.internet.defer import Deferred

# Log at most `_MAX_LOGGED` terms for one page, because a page may contain thousands of
# terms.
_MAX_LOGGED = 10


class PageMiddleware(BaseSpiderMiddleware):
    """Reads the directives or usage preferences of each page before the spider gets the
    page.

    `response.meta[key]` is set to the result of `read`, which has the attribute
    `not_understood`.
    """

    key: ClassVar[str]

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._settings = RobotsSettings.from_settings(crawler.settings)
        if self._settings.dry_run:
            raise NotConfigured("ROBOTS1994_DRY_RUN changes nothing")
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
        # If another spider middleware raises an exception for *response*, the response does
        # not reach `process_spider_input`, but an errback may still return items.
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
        spider gets *response*.
        """
        # A spider may create a request with the meta of another page.
        response.meta.pop(self.key, None)
        stated = self.stated(response)
        self.count(stated)
        for said in stated.not_understood[:_MAX_LOGGED]:
            text = "Not understood: %s of %s"
            log_line(self.crawler, DEBUG, text, str(said), response.url)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return *item*. Return `None` if the page of *item* states a reason to drop *item*.

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
        # This method is not a coroutine, so asynchronous handlers run until the crawl closes.
        running = deferred_from_coro(sent)
        self._sent.add(running)
        running.addBoth(lambda _: self._sent.discard(running))
        return None

    async def _wait_for_handlers(self) -> None:
        """Wait for the asynchronous handlers of `item_dropped`."""
        for running in tuple(self._sent):
            await maybe_deferred_to_future(running)
