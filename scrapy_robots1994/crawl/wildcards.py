"""A count of the requests that pass only because the dialect of the crawl has no wildcards.

According to 1994 D1 (value of Disallow), a path is compared character by character. Most
authors, however, use `*` and `$` as wildcards. A request that passes is counted if a rule
with `*` or `$` disallows its URL under RFC 9309. When the crawl closes, a log line gives
the count.
"""

from logging import INFO, WARNING

from scrapy import Request, signals
from scrapy.crawler import Crawler

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import count, counted, log_line
from scrapy_robots1994.lint.values import has_wildcard
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import RobotRules
from scrapy_robots1994.parser.clients import Clients

MAX_COUNTED_ORIGINS = 100_000
"""Maximum number of origins that are counted. Requests to further origins are counted,
but the further origins are not.
"""


class IgnoredWildcards:
    """Counts the allowed requests to origins whose rules for the robot contain `*` or
    `$`. A second count contains only the requests that a rule with `*` or `$` disallows
    under RFC 9309.
    """

    def __init__(self, crawler: Crawler, dialect: str) -> None:
        self._crawler = crawler
        self._dialect = dialect
        self._origins: set[Origin] = set()
        self._sent = self._refused = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def sent(
        self, request: Request, clients: Clients, origin: Origin, rules: RobotRules
    ) -> None:
        """Count *request*, and whether RFC 9309 would disallow its URL. The dialect of the
        crawl must allow the URL.

        *clients* are the HTTP clients that may send *request*. *rules* are the rules of
        *origin* in the dialect rfc9309.
        """
        self._sent += 1
        if len(self._origins) < MAX_COUNTED_ORIGINS:
            self._origins.add(origin)
        if not rules.allowed(request.url, clients):
            rule = rules.verdict(request.url, clients).rule
            # A verdict without a rule means that the URL needs too many comparisons (O28,
            # bounded matching).
            if rule is None or has_wildcard(rule):
                self._refused += 1
                count(self._crawler, stats.WILDCARDS_IGNORED)

    def _closed(self) -> None:
        """Log the number of counted requests and origins, if a request was counted."""
        if not self._sent:
            return
        log_line(
            self._crawler,
            WARNING if self._refused else INFO,
            "robots.txt of %s has rules for this robot with * or $, which mean nothing "
            "in the dialect %s. Under RFC 9309, these rules would have refused %d of the "
            "%s sent there%s",
            counted(len(self._origins), "origin"),
            self._dialect,
            self._refused,
            counted(self._sent, "request"),
            '; ROBOTS1994_DIALECT = "rfc9309" obeys them.' if self._refused else ".",
        )
