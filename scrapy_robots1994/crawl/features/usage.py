"""`ROBOTS1994_USAGE`: usage preferences in robots.txt."""

from logging import DEBUG

from cachetools import LRUCache
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import Response

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import count, log_line
from scrapy_robots1994.crawl.observers import Found, Observer
from scrapy_robots1994.crawl.requests import STATED_USAGE, RobotName
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.usage import NO_USAGE, Statement, Usage, http_sf
from scrapy_robots1994.parser.verdict import Verdict
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy

_MAX_LOGGED_ORIGINS = 10_000
"""Up to this many origins are remembered, so that their preferences are logged only once."""

_UNKNOWN = Usage()


class _ByUsage(Exception):  # noqa: N818 - the base class of two exceptions
    """The preference *statement* disallows the use of *page* for a purpose of the crawl. The
    message is safe to print.
    """

    def __init__(self, statement: Statement, page: Request | Response) -> None:
        self.statement = statement
        term = escape_control_chars(statement.term, 60)
        file, line, number = escape_control_chars(statement.where, 80).partition(
            " line "
        )
        where = f"line {number} of {file}" if line else file
        shown = redact_and_escape(str(page))
        super().__init__(f'{shown} is not for {statement.purpose} ("{term}", {where})')


class DroppedByUsage(_ByUsage, DropItem):
    """An item was dropped because *statement* disallows the use of its page for a purpose in
    `ROBOTS1994_PURPOSES`.
    """


class RefusedByUsage(_ByUsage, IgnoreRequest):
    """A request that robots.txt allows was not sent because *statement* disallows the use of the
    page for a purpose in `ROBOTS1994_PURPOSES`.
    """


def stated_by(policy: Policy, url: str, robot: str | bytes) -> Usage:
    if policy.robots is not None:
        return policy.robots.usage(url, robot)
    # A file that does not exist states nothing. The preferences of a file that could not be
    # fetched are unknown.
    return NO_USAGE if policy.outcome is Outcome.ABSENT else _UNKNOWN


class StatedUsage(Observer):
    def __init__(self, crawler: Crawler, settings: RobotsSettings) -> None:
        http_sf("ROBOTS1994_USAGE")
        self._crawler = crawler
        self._purposes = settings.request_purposes
        self._robot = RobotName(crawler)
        self._logged: LRUCache[Origin, bool] = LRUCache(_MAX_LOGGED_ORIGINS)

    def decided(
        self, request: Request, origin: Origin, found: Found, verdict: Verdict | None
    ) -> None:
        """Put the preferences for an allowed *request* into its meta.

        With `ROBOTS1994_USAGE = "requests"`, raise `RefusedByUsage` if they disallow a purpose in
        `ROBOTS1994_PURPOSES`.
        """
        if not isinstance(found, Policy) or verdict is None or not verdict.allowed:
            return
        usage = stated_by(found, request.url, self._robot.of(request)).for_export()
        # Usage U9: record the preferences of the robots.txt that decides about the request.
        request.meta[STATED_USAGE] = usage
        if usage.statements and origin not in self._logged:
            self._logged[origin] = True
            said = "; ".join(map(str, usage.statements))
            text = "Usage preferences of %s: %s"
            log_line(self._crawler, DEBUG, text, origin.robots_url, said)
        forbidden = usage.forbids(self._purposes)
        if forbidden is not None:
            purpose = forbidden.purpose
            count(self._crawler, stats.USAGE_REQUESTS_DROPPED, purpose=purpose)
            refused = RefusedByUsage(forbidden, request)
            log_line(self._crawler, DEBUG, "%s: not requested", str(refused))
            raise refused
