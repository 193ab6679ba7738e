"""Usage preferences in a crawl (`ROBOTS1994_USAGE`): what robots.txt and a page state about
the use of the page.

The spider gets the preferences of each page, and the stats count the preferences. If the
value of the setting is "items" or "requests", the crawl obeys the preferences.
"""

from functools import partial
from logging import DEBUG, INFO

from cachetools import LRUCache
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.page_middleware import PageMiddleware
from scrapy_robots1994.crawl.features.page_usage import page_usage
from scrapy_robots1994.crawl.log import counted, log_line
from scrapy_robots1994.crawl.requests import STATED_USAGE, RobotName
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
    """The reason why an item was dropped: its page must not be used for a purpose of the
    crawl.

    *statement* is the statement that disallows the purpose.
    """

    def __init__(self, statement: Statement, url: str) -> None:
        self.statement = statement
        super().__init__(not_for(statement, url))


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
    # A missing file does not state any preference. If a file could not be fetched, its
    # preferences are not known.
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


class RobotsUsage(PageMiddleware):
    """Passes the usage preferences of each page to the spider, and counts the preferences.
    Unless `ROBOTS1994_USAGE` is "report", also drops the items of a page that must not be
    used for a purpose of the crawl.

    Before the spider gets a response, `response.meta["robots1994_usage"]` is set to the
    `Usage` of the page. The `Usage` contains the preferences that robots.txt, the headers
    and the meta tags state.
    """

    key = USAGE_KEY

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = self._settings
        if not settings.reads_usage:
            raise NotConfigured("ROBOTS1994_USAGE is False")
        self._purposes = settings.purposes
        self._drops_items = settings.drops_items
        self._pages = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def read(self, response: Response, robot: str | bytes) -> Usage:
        """Return the preferences that robots.txt and *response* state for *robot*."""
        usage = page_usage(response, robot)
        # Remove the preferences of robots.txt from the meta. A spider may create a request
        # with the meta of this page. The preferences of this page must not apply to such a
        # request.
        stated = response.meta.pop(STATED_USAGE, None)
        if isinstance(stated, Usage):
            usage = stated.with_(usage)
        return usage.for_export()

    def count(self, stated: Usage) -> None:
        """Count the answers about the purposes of the crawl, or about all purposes if the
        crawl has no purpose.
        """
        self._pages += 1
        for purpose in self._purposes or PURPOSES:
            answer = stated[purpose]
            if answer is not Answer.UNSTATED:
                key = stats.USAGE_PAGES
                stats.count(self.crawler, key, purpose=purpose, answer=answer.value)
        if stated.not_understood:
            number = len(stated.not_understood)
            stats.count(self.crawler, stats.USAGE_NOT_UNDERSTOOD, number)

    def _closed(self) -> None:
        """Log, for each purpose, how many pages must not be used for that purpose. If the
        crawl obeys the preferences, log how many items were dropped and how many requests
        were not sent.
        """
        total = partial(stats.total, self.crawler)
        for purpose in self._purposes or PURPOSES:
            pages = total(stats.USAGE_PAGES, purpose=purpose, answer="disallow")
            items = total(stats.USAGE_ITEMS_DROPPED, purpose=purpose)
            requests = total(stats.USAGE_REQUESTS_DROPPED, purpose=purpose)
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
                text = "%d of %d pages are not for %s"
                log_line(self.crawler, INFO, text, pages, self._pages, purpose)

    def reason_to_drop(self, response: Response) -> DropItem | None:
        """Return the statement that disallows a purpose of the crawl, and count the item."""
        said = self.stated(response).forbids(self._purposes)
        if said is None or not self._drops_items:
            return None
        stats.count(self.crawler, stats.USAGE_ITEMS_DROPPED, purpose=said.purpose)
        return DroppedByUsage(said, response.url)


def _were(number: int, noun: str) -> str:
    """Return *number*, *noun* and the verb, such as "2 items were"."""
    return f"{counted(number, noun)} {'was' if number == 1 else 'were'}"
