"""Usage preferences in a crawl (`ROBOTS1994_USAGE`): what robots.txt and pages state about the use
of a page is handed to the spider, counted, and obeyed where that is wanted.
"""

from functools import partial
from logging import DEBUG, INFO
from typing import Any

from cachetools import LRUCache
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response
from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.item_marks import marks_of
from scrapy_robots1994.crawl.features.page_usage import page_usage
from scrapy_robots1994.crawl.log import log_line
from scrapy_robots1994.crawl.requests import STATED_USAGE, RobotName
from scrapy_robots1994.crawl.setting_types import REPORT
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import INLINE_BYTES, run_in_thread
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.usage import (
    NO_USAGE,
    PURPOSES,
    Answer,
    Statement,
    Usage,
)
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy

USAGE_KEY = "robots1994_usage"
"""The key of `response.meta` with the `Usage` of the page."""

_MAX_LOGGED = 10  # log lines for one page, which may hold thousands of terms

_MAX_LOGGED_ORIGINS = 10_000  # origins whose statements are logged once

_UNKNOWN = Usage()


def not_for(statement: Statement, url: str) -> str:
    """Return why a page is not for a purpose, safe to print."""
    term = escape_control_chars(statement.term, 60)
    where = escape_control_chars(statement.where, 80)
    shown = redact_and_escape(url)
    return f'Not for {statement.purpose}: "{term}" in {where} of {shown}'


class DroppedByUsage(DropItem):
    """Raised for an item of a page that must not be used for a purpose of the crawl.

    *statement* is the preference that says so.
    """

    def __init__(self, statement: Statement, url: str) -> None:
        self.statement = statement
        # Else Scrapy logs a warning with the whole item for each of them.
        super().__init__(not_for(statement, url), log_level="DEBUG")


class RefusedByUsage(IgnoreRequest):
    """Raised for a request whose robots.txt allows it, but for no purpose of the crawl's.

    *statement* is the preference that says so.
    """

    def __init__(self, statement: Statement, url: str) -> None:
        self.statement = statement
        super().__init__(not_for(statement, url))


def stated_by(policy: Policy, url: str, robot: str | bytes) -> Usage:
    """Return what the robots.txt of *policy* states about the use of *url* by *robot*."""
    if policy.robots is not None:
        return policy.robots.usage(url, robot)
    # Without a file nothing is stated; an unknown file was not read.
    return NO_USAGE if policy.outcome is Outcome.ABSENT else _UNKNOWN


class StatedUsage:
    """Looks up what robots.txt states about each request that it allows, and declines the request
    where the crawl obeys that.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._purposes = settings.request_purposes
        self._robot = RobotName(crawler)
        self._logged: LRUCache[Origin, bool] = LRUCache(_MAX_LOGGED_ORIGINS)

    async def read_in_thread(self, policy: Policy, robot: str | bytes) -> None:
        """Read the file of *policy* for *robot* before `decide` needs it, if it is large."""
        robots = policy.robots
        if robots and robots.size > INLINE_BYTES and not robots.has_usage(robot):
            await run_in_thread(partial(robots.usage, "/", robot))

    def decide(self, request: Request, origin: Origin, policy: Policy) -> None:
        """Put into the meta of *request* what *policy* states; raise `RefusedByUsage` if that
        forbids a purpose of the crawl.
        """
        usage = stated_by(policy, request.url, self._robot.of(request)).for_export()
        # attach-05: what counts is the robots.txt known when the page was fetched.
        request.meta[STATED_USAGE] = usage
        if usage.statements and origin not in self._logged:
            self._logged[origin] = True
            said = "; ".join(map(str, usage.statements))
            text = "Usage preferences of %s: %s"
            log_line(self._crawler, DEBUG, text, origin.robots_url, said)
        forbidden = usage.forbids(self._purposes)
        if forbidden is not None:
            purpose = forbidden.purpose
            stats.count(self._crawler, stats.USAGE_REQUESTS_DROPPED, purpose=purpose)
            refused = RefusedByUsage(forbidden, request.url)
            log_line(self._crawler, DEBUG, "%s; it is not requested", str(refused))
            raise refused


class UsageReader:
    """Hands over what is stated about the use of each page, and counts it.

    A spider middleware without `process_spider_output`, through which each item would pass.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        settings = RobotsSettings.from_settings(crawler.settings)
        self._purposes = settings.purposes
        self._robot = RobotName(crawler)
        self._pages = 0
        # Pages that must not be used for a purpose.
        self._forbidden: dict[str, int] = {}
        if settings.usage == REPORT:
            crawler.signals.connect(self._closed, signals.spider_closed)

    def process_spider_input(
        self,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> None:
        """Read what is stated about *response* before the spider gets it."""
        usage = self._read(response)
        self._pages += 1
        if not (usage.statements or usage.not_understood):
            return
        for purpose in self._purposes or PURPOSES:
            answer = usage[purpose]
            if answer is not Answer.UNSTATED:
                key = stats.USAGE_PAGES
                stats.count(self.crawler, key, purpose=purpose, answer=answer.value)
            if answer is Answer.DISALLOW:
                self._forbidden[purpose] = self._forbidden.get(purpose, 0) + 1
        for said in usage.not_understood[:_MAX_LOGGED]:
            text = "Not understood: %s of %s"
            log_line(self.crawler, DEBUG, text, str(said), response.url)
        if usage.not_understood:
            number = len(usage.not_understood)
            stats.count(self.crawler, stats.USAGE_NOT_UNDERSTOOD, number)

    def _read(self, response: Response) -> Usage:
        """Return what is stated about *response*, and put it into its meta."""
        assert response.request is not None  # noqa: S101 - the response of a crawl has one
        # A request made with the meta of this page must not have what is stated about it.
        stated = response.meta.pop(STATED_USAGE, None)
        page = page_usage(response, self._robot.of(response.request))
        usage = stated.with_(page) if isinstance(stated, Usage) else page
        usage = usage.for_export()
        response.meta[USAGE_KEY] = usage
        return usage

    def _closed(self) -> None:
        """Log how many pages are not for which purpose."""
        for purpose, number in self._forbidden.items():
            text = "%d of %d pages are not for %s"
            log_line(self.crawler, INFO, text, number, self._pages, purpose)


class RobotsUsage(UsageReader, BaseSpiderMiddleware):
    """Hands over what is stated about the use of each page, and marks items that must not be used
    for a purpose of the crawl.

    `response.meta["robots1994_usage"]` is the `Usage` of the page, of robots.txt, its headers and
    its meta tags, before the spider gets the response.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._marks = marks_of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Return the middleware; one that looks at no item if no item is to be dropped."""
        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.dry_run:
            raise NotConfigured("ROBOTS1994_DRY_RUN changes nothing")
        if not settings.reads_usage:
            raise NotConfigured("ROBOTS1994_USAGE is False")
        return cls(crawler) if settings.drops_items else UsageReader(crawler)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return *item*, marked if its page must not be used for a purpose of the crawl."""
        if response is not None:
            usage = response.meta.get(USAGE_KEY)
            if not isinstance(usage, Usage):
                usage = self._read(response)
            forbidden = usage.forbids(self._purposes)
            if forbidden is not None:
                dropped = DroppedByUsage(forbidden, response.url)
                stat = stats.USAGE_ITEMS_DROPPED.format(purpose=forbidden.purpose)
                self._marks.mark("usage", item, dropped, stat)
        return item
