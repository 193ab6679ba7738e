"""The spider middleware for robots directives (`ROBOTS1994_PAGES`) and usage preferences
(`ROBOTS1994_USAGE`) of pages.
"""

from __future__ import annotations

from functools import lru_cache, partial
from logging import DEBUG, INFO
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future

from scrapy_robots1994.crawl import setting_types as types
from scrapy_robots1994.crawl import stats, threads
from scrapy_robots1994.crawl.features.page import (
    UNREADABLE,
    page_directives,
    page_usage,
)
from scrapy_robots1994.crawl.features.usage import DroppedByUsage
from scrapy_robots1994.crawl.log import count, counted, log_line, total
from scrapy_robots1994.crawl.requests import STATED_USAGE, RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.parser.usage import PURPOSES, Answer, Usage, http_sf

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred

    from scrapy_robots1994.directives import Directives
    from scrapy_robots1994.parser.said import Said

PAGE_KEY = "robots1994_page"
"""The key of the page's `Directives` in `response.meta`."""

USAGE_KEY = "robots1994_usage"
"""The key of the page's `Usage` in `response.meta`."""

_MAX_LOGGED = 10
"""The maximum number of terms logged as not understood, for each page and each meta key."""

# By default, `LinkExtractor` skips images, archives and repeated links.
_LINKS = LinkExtractor(deny_extensions=(), unique=False)


class DroppedByPage(DropItem):
    """An item was dropped because *said*, a directive of its page, forbids indexing."""

    def __init__(self, said: Said, url: str) -> None:
        self.said = said
        super().__init__(f"Not to be indexed: {said} of {redact_and_escape(url)}")


class RobotsPages(BaseSpiderMiddleware):
    """Obeys the robots directives and usage preferences of pages.

    With `ROBOTS1994_PAGES`, it puts the `Directives` of each page into
    `response.meta["robots1994_page"]`. The value of the setting decides which of these it drops:
    items of NOINDEX pages, requests from NOFOLLOW pages, and requests for links with
    `rel=nofollow`.

    With `ROBOTS1994_USAGE`, it sets `response.meta["robots1994_usage"]` to the `Usage` stated by
    robots.txt, headers and meta tags. Unless the setting is "report", it drops items of pages
    that disallow a purpose in `ROBOTS1994_PURPOSES`.

    It must be the spider middleware nearest to the engine, so that it sees what all other spider
    middlewares return.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = RobotsSettings.from_settings(crawler.settings)
        if not settings.reads_pages:
            raise NotConfigured("ROBOTS1994_PAGES and ROBOTS1994_USAGE are False")
        self._robot = RobotName(crawler)
        self._obeyed = settings.pages
        self._purposes = settings.purposes
        self._drops_items = settings.usage in {types.ITEMS, types.REQUESTS}
        self._counters: dict[str, Callable[[Any], None]] = {}
        if self._obeyed:
            self._counters[PAGE_KEY] = self._count_directives
        if settings.usage:
            http_sf("ROBOTS1994_USAGE")
            self._counters[USAGE_KEY] = self._count_usage
            crawler.signals.connect(self._report_usage, signals.spider_closed)
        self._pages = 0
        # A cache at module level would keep the last response in memory after the crawl.
        self._closed_links = lru_cache(maxsize=1)(_closed_links)
        # Sent signals whose asynchronous handlers are still running
        self._sent: set[Deferred[None]] = set()
        crawler.signals.connect(self._wait_for_handlers, signals.spider_closed)

    def process_spider_input(
        self,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> None:
        for key, counter in self._counters.items():
            # Remove the value, because a spider may have copied the meta of an earlier page.
            response.meta.pop(key, None)
            stated = self._stated(response, key)
            counter(stated)
            for said in stated.not_understood[:_MAX_LOGGED]:
                text = "Not understood: %s of %s"
                log_line(self.crawler, DEBUG, text, str(said), response.url)

    def _stated(self, response: Response, key: str) -> Any:
        # If a spider middleware nearer to the engine raised an exception, `process_spider_input`
        # was not called and the key is missing, but an errback may still return items.
        if key not in response.meta:
            assert response.request is not None  # noqa: S101 - always set in a crawl
            read = page_directives if key == PAGE_KEY else _usage_of
            response.meta[key] = read(response, self._robot.of(response.request))
        return response.meta[key]

    def _count_directives(self, stated: Directives) -> None:
        if not stated.index:
            count(self.crawler, stats.PAGES_NOINDEX)
        if not stated.follow:
            count(self.crawler, stats.PAGES_NOFOLLOW)

    def _count_usage(self, stated: Usage) -> None:
        self._pages += 1
        for purpose in self._purposes or PURPOSES:
            answer = stated[purpose]
            if answer is not Answer.UNSTATED:
                key = stats.USAGE_PAGES
                count(self.crawler, key, purpose=purpose, answer=answer.value)
        if odd := len(stated.not_understood):
            count(self.crawler, stats.USAGE_NOT_UNDERSTOOD, odd)

    def get_processed_request(
        self, request: Request, response: Response | None
    ) -> Request | None:
        """Return *request*, or None if *response* forbids following the link to it."""
        # Pages P9
        if not self._obeyed or response is None or request.url == response.url:
            return request
        reason: object = self._stated(response, PAGE_KEY).nofollow
        kind = types.NOFOLLOW
        if reason is None or types.NOFOLLOW not in self._obeyed:
            kind, reason = types.REL_NOFOLLOW, "rel=nofollow of the links"
            is_obeyed = types.REL_NOFOLLOW in self._obeyed
            if not is_obeyed or _bare(request.url) not in self._closed_links(response):
                return request
        count(self.crawler, stats.PAGE_REQUESTS_DROPPED, reason=kind)
        where = f"<{request.method} {request.url}>: {reason}"
        log_line(self.crawler, DEBUG, "Not followed: %s of %s", where, response.url)
        return None

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return *item*. To drop it, return None and send `item_dropped`, as Scrapy does when a
        pipeline drops an item.
        """
        reason = None if response is None else self._reason_to_drop(response)
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
        # This method is not a coroutine, so await the handlers when the spider closes.
        running = deferred_from_coro(sent)
        self._sent.add(running)
        running.addBoth(lambda _: self._sent.discard(running))
        return None

    def _reason_to_drop(self, response: Response) -> DropItem | None:
        if types.NOINDEX in self._obeyed:
            said = self._stated(response, PAGE_KEY).noindex
            if said is not None:
                count(self.crawler, stats.ITEMS_DROPPED)
                return DroppedByPage(said, response.url)
        if self._drops_items:
            forbidden = self._stated(response, USAGE_KEY).forbids(self._purposes)
            if forbidden is not None:
                key = stats.USAGE_ITEMS_DROPPED
                count(self.crawler, key, purpose=forbidden.purpose)
                return DroppedByUsage(forbidden, response)
        return None

    async def _wait_for_handlers(self) -> None:
        for running in tuple(self._sent):
            await maybe_deferred_to_future(running)

    def _report_usage(self) -> None:
        found = partial(total, self.crawler)
        for purpose in self._purposes or PURPOSES:
            pages = found(stats.USAGE_PAGES, purpose=purpose, answer="disallow")
            items = found(stats.USAGE_ITEMS_DROPPED, purpose=purpose)
            requests = found(stats.USAGE_REQUESTS_DROPPED, purpose=purpose)
            if items or requests:
                log_line(
                    self.crawler,
                    INFO,
                    "Usage preferences: pages must not be used for %s, so %s dropped and "
                    '%s not sent; LOG_LEVEL = "DEBUG" names each page',
                    purpose,
                    _were(items, "item"),
                    _were(requests, "request"),
                )
            elif pages and not self._drops_items:
                of = f"all {pages:,}" if pages == self._pages > 1 else ""
                of = of or f"{pages:,} of {self._pages:,}"
                text = f"%s pages {'disallows' if pages == 1 else 'disallow'} %s"
                log_line(self.crawler, INFO, text, of, purpose)


def _were(number: int, noun: str) -> str:
    return f"{counted(number, noun)} {'was' if number == 1 else 'were'}"


def _usage_of(response: Response, robot: str | bytes) -> Usage:
    usage = page_usage(response, robot)
    # Remove the key, because a spider may copy this meta to a request for another page.
    stated = response.meta.pop(STATED_USAGE, None)
    if isinstance(stated, Usage):
        usage = stated.with_(usage)
    return usage.for_export()


def _closed_links(response: Response) -> frozenset[str]:
    """Return the URLs for which every link in *response* has `rel=nofollow`."""
    if not isinstance(response, HtmlResponse):
        return frozenset()
    if b"nofollow" not in response.body.lower():
        return frozenset()
    try:
        links = _LINKS.extract_links(response)
    except UNREADABLE:
        return frozenset()
    closed = frozenset(_bare(link.url) for link in links if link.nofollow)
    return closed.difference(_bare(link.url) for link in links if not link.nofollow)


def _bare(url: str) -> str:
    return url.partition("#")[0]
