"""A count of the requests that pass only because the dialect of the crawl has no wildcards.

According to 1994 D1 (value of Disallow), a path is compared character by character. Most
authors, however, use `*` and `$` as wildcards. A request belongs to this count if it
passes, but a rule with `*` or `$` disallows its URL under RFC 9309. When the crawl closes,
a log line gives the count.
"""

from __future__ import annotations

from functools import partial
from logging import INFO, WARNING
from operator import itemgetter
from typing import TYPE_CHECKING

from cachetools import LRUCache
from scrapy import signals

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import counted, log_line
from scrapy_robots1994.crawl.threads import compute_in_thread
from scrapy_robots1994.lint.values import has_wildcard
from scrapy_robots1994.robotstxt import memory_of

if TYPE_CHECKING:
    from typing import TypeAlias

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import RobotRules
    from scrapy_robots1994.parser.clients import Clients
    from scrapy_robots1994.robotstxt import RobotsTxt

    Others: TypeAlias = tuple[RobotsTxt, RobotRules, int]

OTHER = "rfc9309"
"""The dialect with wildcards that decides which requests would be refused."""

MAX_BYTES = 4_000_000
"""Maximum memory, in bytes, for the rules in the dialect `OTHER` and their files. This
amount of memory is enough for about 1,000 origins. If a file has been removed from this
memory, the file is parsed again for the next request to its origin. Parsing a small
file takes a fraction of a millisecond. The latest large file does not count towards
this limit.
"""

MAX_COUNTED_ORIGINS = 100_000
"""Maximum number of origins that are counted. For further origins, only the requests are
counted.
"""


class IgnoredWildcards:
    """Counts the allowed requests to origins whose rules for the robot contain `*` or `$`.
    Also counts how many of these requests a rule with `*` or `$` disallows under RFC 9309.
    """

    def __init__(self, crawler: Crawler, dialect: str) -> None:
        self._crawler = crawler
        self._dialect = dialect
        # `_others` maps the rules for one robot, in the dialect of the crawl, to a tuple.
        # The tuple contains the file, the rules for the same robot in the dialect `OTHER`,
        # and a size in bytes. The size includes the file, because this cache may keep the
        # file in memory after the policy is removed.
        self._others: LRUCache[RobotRules, Others]
        self._others = LRUCache(MAX_BYTES, getsizeof=itemgetter(2))
        self._latest: tuple[RobotRules, Others] | None = None
        self._origins: set[Origin] = set()
        self._sent = self._refused = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    async def read_in_thread(self, robots: RobotsTxt, rules: RobotRules) -> None:
        """Read the large file *robots* for the robot of *rules*, in a thread. After this
        method has ended, `sent` does not need to read the file.
        """
        if rules.has_wildcards and rules not in self._others:
            reading = partial(self._read_once, robots, rules)
            self._others[rules] = await compute_in_thread(reading)

    def _read_once(self, robots: RobotsTxt, rules: RobotRules) -> Others:
        """Read *robots*, unless the last call read the same file for the same robot. Calls
        to this method never overlap.
        """
        # Storing one result is enough. The requests that waited for one file call this
        # method one after the other.
        if self._latest is None or self._latest[0] is not rules:
            self._latest = rules, _read(robots, rules)
        return self._latest[1]

    def sent(
        self,
        request: Request,
        clients: Clients,
        origin: Origin,
        robots: RobotsTxt,
        rules: RobotRules,
    ) -> None:
        """Count *request*. *rules* allow the URL of *request*, and at least one rule
        contains `*` or `$`.

        *clients* are the HTTP clients that may send *request*. *robots* is the file of
        *origin*, from which *rules* were read.
        """
        known = self._others.get(rules)
        if known is None:
            known = self._others[rules] = _read(robots, rules)
        self._sent += 1
        if len(self._origins) < MAX_COUNTED_ORIGINS:
            self._origins.add(origin)
        if not known[1].allowed(request.url, clients):
            rule = known[1].verdict(request.url, clients).rule
            # A verdict without a rule means that the URL needs too many comparisons (O28,
            # bounded matching).
            if rule is None or has_wildcard(rule):
                self._refused += 1
                stats.count(self._crawler, stats.WILDCARDS_IGNORED)

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
            f'; ROBOTS1994_DIALECT = "{OTHER}" obeys them.' if self._refused else ".",
        )


def _read(robots: RobotsTxt, rules: RobotRules) -> Others:
    """Return *robots*, its rules in the dialect `OTHER` for the robot of *rules*, and the
    size of both in bytes. The returned size is limited to `MAX_BYTES`.
    """
    other = robots.read_as(dialect=OTHER).rules(rules.robot)
    # Measure the size here, because a large file is read in a thread.
    return robots, other, min(robots.memory_bytes + memory_of(other), MAX_BYTES)
