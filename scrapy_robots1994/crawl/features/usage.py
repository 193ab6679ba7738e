"""Usage preferences in a crawl (`ROBOTS1994_USAGE`): what robots.txt and a page state about
the use of the page.

The spider gets the preferences of each page, and the stats count the preferences. If the
value of the setting is "items" or "requests", the crawl obeys the preferences.
"""

from collections import Counter
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
from scrapy_robots1994.crawl.log import counted, log_line
from scrapy_robots1994.crawl.requests import STATED_USAGE, RobotName
from scrapy_robots1994.crawl.setting_types import REPORT
from scrapy_robots1994.crawl.settings import RobotsSettings
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
"""The key in `response.meta` for the `Usage` of the page."""

# Log at most `_MAX_LOGGED` terms for one page, because a page may contain thousands of
# terms.
_MAX_LOGGED = 10

# Remember up to `_MAX_LOGGED_ORIGINS` origins whose statements were logged. The statements
# of a remembered origin are not logged again.
_MAX_LOGGED_ORIGINS = 10_000

_UNKNOWN = Usage()


def not_for(statement: Statement, url: str) -> str:
    """Return the reason why the page at *url* must not be used for the purpose of
    *statement*. The returned message is safe to print.
    """
    term = escape_control_chars(statement.term, 60)
    where = escape_control_chars(statement.where, 80)
    shown = redact_and_escape(url)
    return f'Not for {statement.purpose}: "{term}" in {where} of {shown}'


class DroppedByUsage(DropItem):
    """Raised for an item if its page must not be used for a purpose of the crawl.

    *statement* is the statement that disallows the purpose.
    """

    def __init__(self, statement: Statement, url: str) -> None:
        self.statement = statement
        # Set the level, because by default Scrapy logs each dropped item as a warning, with
        # all values of the item.
        super().__init__(not_for(statement, url), log_level="DEBUG")


class RefusedByUsage(IgnoreRequest):
    """Raised for a request that robots.txt allows, if the page must not be used for a
    purpose of the crawl.

    *statement* is the statement that disallows the purpose.
    """

    def __init__(self, statement: Statement, url: str) -> None:
        self.statement = statement
        super().__init__(not_for(statement, url))


def stated_by(policy: Policy, url: str, robot: str | bytes) -> Usage:
    """Return the preferences that the robots.txt of *policy* states about the use of
    *url* by *robot*.
    """
    if policy.robots is not None:
        return policy.robots.usage(url, robot)
    # A missing file does not state any preference. The preferences in a file that could not
    # be fetched are not known.
    return NO_USAGE if policy.outcome is Outcome.ABSENT else _UNKNOWN


class StatedUsage:
    """Looks up the usage preferences in robots.txt for each request that robots.txt allows.

    If `ROBOTS1994_USAGE` is "requests", a request is refused if its page must not be used
    for a purpose of the crawl.
    """

    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        self._crawler = crawler
        self._purposes = settings.request_purposes
        self._robot = RobotName(crawler)
        self._logged: LRUCache[Origin, bool] = LRUCache(_MAX_LOGGED_ORIGINS)
        self._obeyed = settings.purposes if settings.drops_items else ()
        crawler.signals.connect(self._closed, signals.spider_closed)

    def _closed(self) -> None:
        """Log how many items were dropped and how many requests were not sent, for each
        purpose of the crawl.
        """
        assert self._crawler.stats is not None  # noqa: S101 - set before components are made
        count = self._crawler.stats.get_value
        for purpose in self._obeyed:
            items = count(stats.USAGE_ITEMS_DROPPED.format(purpose=purpose), 0)
            requests = count(stats.USAGE_REQUESTS_DROPPED.format(purpose=purpose), 0)
            if items or requests:
                log_line(
                    self._crawler,
                    INFO,
                    "Usage preferences: pages must not be used for %s, so %s dropped and "
                    '%s not sent; LOG_LEVEL = "DEBUG" names each page',
                    purpose,
                    _were(items, "item"),
                    _were(requests, "request"),
                )

    def decide(self, request: Request, origin: Origin, policy: Policy) -> None:
        """Store in the meta of *request* the preferences that *policy* states.

        Raise `RefusedByUsage` if the preferences disallow a purpose for which the crawl
        refuses requests.
        """
        usage = stated_by(policy, request.url, self._robot.of(request)).for_export()
        # Store the preferences now, before the page is fetched. According to
        # draft-ietf-aipref-attach-05, the robots.txt at the time of the fetch applies to
        # the page.
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


class RobotsUsage(BaseSpiderMiddleware):
    """Passes the usage preferences of each page to the spider, and counts the preferences.
    Marks the items of a page that must not be used for a purpose of the crawl.

    Before the spider gets a response, `response.meta["robots1994_usage"]` is set to the
    `Usage` of the page. The `Usage` contains the preferences that robots.txt, the headers
    and the meta tags state.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = RobotsSettings.from_settings(crawler.settings)
        if settings.dry_run:
            raise NotConfigured("ROBOTS1994_DRY_RUN changes nothing")
        if not settings.reads_usage:
            raise NotConfigured("ROBOTS1994_USAGE is False")
        self._purposes = settings.purposes
        self._drops_items = settings.drops_items
        self._robot = RobotName(crawler)
        self._marks = marks_of(crawler)
        self._pages = 0
        # `_forbidden` counts, for each purpose, the pages that must not be used for that
        # purpose.
        self._forbidden: Counter[str] = Counter()
        if settings.usage == REPORT:
            crawler.signals.connect(self._closed, signals.spider_closed)

    def process_spider_input(
        self,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> None:
        """Read and count the usage preferences of *response* before the spider gets
        *response*.
        """
        # A spider may create a request with the meta of another page.
        response.meta.pop(USAGE_KEY, None)
        usage = self._usage(response)
        self._pages += 1
        if not (usage.statements or usage.not_understood):
            return
        for purpose in self._purposes or PURPOSES:
            answer = usage[purpose]
            if answer is not Answer.UNSTATED:
                key = stats.USAGE_PAGES
                stats.count(self.crawler, key, purpose=purpose, answer=answer.value)
            if answer is Answer.DISALLOW:
                self._forbidden[purpose] += 1
        for said in usage.not_understood[:_MAX_LOGGED]:
            text = "Not understood: %s of %s"
            log_line(self.crawler, DEBUG, text, str(said), response.url)
        if usage.not_understood:
            number = len(usage.not_understood)
            stats.count(self.crawler, stats.USAGE_NOT_UNDERSTOOD, number)

    def _usage(self, response: Response) -> Usage:
        """Return the usage preferences of *response*, which are read only once."""
        # If another spider middleware raises an exception for *response*, the response does
        # not reach `process_spider_input`, but an errback may still return items.
        if USAGE_KEY not in response.meta:
            assert response.request is not None  # noqa: S101 - always set in a crawl
            usage = page_usage(response, self._robot.of(response.request))
            # Remove the preferences of robots.txt from the meta. A spider may create a
            # request with the meta of this page. The preferences of this page must not
            # apply to such a request.
            stated = response.meta.pop(STATED_USAGE, None)
            if isinstance(stated, Usage):
                usage = stated.with_(usage)
            response.meta[USAGE_KEY] = usage.for_export()
        found: Usage = response.meta[USAGE_KEY]
        return found

    def _closed(self) -> None:
        """Log, for each purpose, how many pages must not be used for that purpose."""
        for purpose, number in self._forbidden.items():
            text = "%d of %d pages are not for %s"
            log_line(self.crawler, INFO, text, number, self._pages, purpose)

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """Return *item*. Mark *item* first if its page must not be used for a purpose of
        the crawl.
        """
        if response is not None and self._drops_items:
            forbidden = self._usage(response).forbids(self._purposes)
            if forbidden is not None:
                dropped = DroppedByUsage(forbidden, response.url)
                stat = stats.USAGE_ITEMS_DROPPED.format(purpose=forbidden.purpose)
                self._marks.mark("usage", item, dropped, stat)
        return item


def _were(number: int, noun: str) -> str:
    """Return *number*, *noun* and the verb, such as "2 items were"."""
    return f"{counted(number, noun)} {'was' if number == 1 else 'were'}"
