"""Dry run: the built-in middleware's rules decide, and ours says what it would change."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from logging import DEBUG, INFO

from cachetools import LRUCache
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import RobotParser

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.features.comparison import ShadowComparison
from scrapy_robots1994.crawl.judges import Found, Judge
from scrapy_robots1994.crawl.log import log_line, logger
from scrapy_robots1994.crawl.parser import load_parser
from scrapy_robots1994.crawl.refusals import counted
from scrapy_robots1994.crawl.requests import RobotName, built_in_name
from scrapy_robots1994.crawl.scrapy_private import urlparse_cached
from scrapy_robots1994.crawl.setting_types import BUILT_IN
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Policy

MAX_HOSTS = 1_000
"""Hosts whose file stays parsed; of the least recently used it is parsed again."""

MAX_SITES = 100_000
"""Sites that are counted one by one."""


class BuiltInRules:
    """What Scrapy's built-in middleware decides, by the responses that we fetch.

    One policy for a host and port, whatever the scheme, for the whole crawl; the status
    is ignored; a failed fetch allows everything; the parser is that of
    `ROBOTSTXT_PARSER`. It runs here as the built-in runs it, without a deadline.
    *body_of* returns the body that a policy was made from, `None` if it is not known.
    """

    def __init__(
        self, crawler: Crawler, body_of: Callable[[Policy], bytes | None]
    ) -> None:
        self._crawler = crawler
        self._body_of = body_of
        # Now: a parser that cannot be loaded must not let the crawl start.
        self._kind = load_parser(BUILT_IN, crawler)
        self._parsers = LRUCache[str, RobotParser | None](MAX_HOSTS)

    def allowed(self, request: Request, policy: Policy) -> bool | None:
        """Return its decision about *request*; `None` if the parser raises.

        `None`, too, where the body is not known, as that of a 404 from a store.
        """
        # Its key: http and https are one host to it, and each spelling is another.
        host = urlparse_cached(request).netloc
        if host not in self._parsers:
            body = self._body_of(policy)
            # A guess would hide a difference, or report one that is none.
            if body is None:
                return None
            # As the built-in: what it could not fetch or parse forbids nothing.
            self._parsers[host] = None
            with suppress(Exception):
                self._parsers[host] = self._kind.from_crawler(self._crawler, body)
        parser = self._parsers[host]
        if parser is None:
            return True
        robot = built_in_name(request, self._crawler.settings)
        # A parser of any kind, of any URL.
        with suppress(Exception):
            return bool(parser.allowed(request.url, robot))
        return None

    def note_failure(self, request: Request) -> None:
        """Note that the robots.txt for *request* could not be fetched."""
        # The built-in requests a file once: what it read before stays.
        self._parsers.setdefault(urlparse_cached(request).netloc, None)


class DryRunJudge:
    """Lets the built-in's rules decide; counts, logs and sums up what would change.

    *judge*, ours, decides only where the decision of the built-in is not known. The
    bodies that the built-in would read, and the path of the report, are *shadow*'s,
    which compares each decision.
    """

    def __init__(
        self, judge: Judge, robot: RobotName, crawler: Crawler, shadow: ShadowComparison
    ) -> None:
        self._judge = judge
        self._robot = robot
        self._crawler = crawler
        self._built_in = BuiltInRules(crawler, shadow.body_of)
        self._shadow = shadow
        self._requests = 0
        # Requests by site; those of the sites over `MAX_SITES` have none.
        self._opened: Counter[Origin | None] = Counter()
        self._refused: Counter[Origin | None] = Counter()
        crawler.signals.connect(self._closed, signals.spider_closed)

    def judge(self, request: Request, origin: Origin, found: Found) -> None:
        """Let *request* pass or raise `IgnoreRequest`, as the built-in would."""
        if isinstance(found, Exception):
            # To the built-in, any failed fetch allows everything.
            self._requests += 1
            self._built_in.note_failure(request)
            self._shadow.note_failure(origin)
            return
        names = self._robot.of(request), built_in_name(request, self._crawler.settings)
        self._shadow.compare(found, request.url, *names)
        theirs = self._built_in.allowed(request, found)
        # Unknown must not open what ours refuses.
        if theirs is None:
            self._judge.judge(request, origin, found)
            return
        self._requests += 1
        rules = found.rules(names[0])
        ours = rules.allowed_url(request.url)
        if theirs and not ours:
            self._note(self._refused, origin, stats.WOULD_REFUSE)
            if logger.isEnabledFor(DEBUG):
                verdict = rules.verdict(request.url)
                self._log("Dry run: ours would refuse <%s %s>: %s", request, verdict)
        if not theirs:
            # The built-in's own key, with its meaning.
            stats.count(self._crawler, stats.FORBIDDEN)
            if ours:
                self._note(self._opened, origin, stats.WOULD_OPEN)
            change = "ours would allow it" if ours else "as ours would"
            self._log("Forbidden by robots.txt: <%s %s>: %s", request, change)
            # Not `ForbiddenByRobots`: errbacks get what they get without the plugin.
            raise IgnoreRequest("Forbidden by robots.txt")

    def _note(self, sites: Counter[Origin | None], origin: Origin, stat: str) -> None:
        """Count one request whose decision changes."""
        stats.count(self._crawler, stat)
        # A broad crawl meets any number of sites.
        is_counted = origin in sites or len(sites) < MAX_SITES
        sites[origin if is_counted else None] += 1

    def _log(self, text: str, request: Request, why: object) -> None:
        """Log one line about *request* at DEBUG."""
        log_line(self._crawler, DEBUG, text, request.method, request.url, why)

    def _closed(self) -> None:
        """Log in one line what would change, and where the report is."""
        where = "ROBOTS1994_COMPARE_REPORT writes a report of it"
        if self._shadow.report_path is not None:
            where = f"the report is {self._shadow.report_path}"
        log_line(
            self._crawler,
            INFO,
            "Dry run: of %s that the built-in's rules decided, ours would open %d at %s "
            "and refuse %d at %s; %s",
            counted(self._requests, "request"),
            self._opened.total(),
            counted(len(self._opened), "site"),
            self._refused.total(),
            counted(len(self._refused), "site"),
            where,
        )
