"""Refusals: what each one does, and what the crawl says of them when it closes.

Each is counted, logged and sent as a signal, and makes a `ForbiddenByRobots`. At the
close there is one table of them by origin, and a warning if robots.txt refused every
start request.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from logging import DEBUG, INFO, WARNING

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.crawl.log import counted, is_shown, log_line, log_lines
from scrapy_robots1994.crawl.scrapy_private import is_crawling
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.policy.outcomes import outcome_of_reason

request_refused = object()
"""Sent for each request that is refused, before its errback is called.

Arguments: *request*, the refused request; *verdict*, a `Verdict` with the reason, the
line and the record; *spider*. Like Scrapy's `request_dropped` it does not support
asynchronous handlers. A dry run does not send it: ours refuses nothing there.
"""

MAX_ROWS = 10_000
"""Origins with a row; refusals at further ones are counted together."""

TOP_ORIGINS = 20
"""Rows of the table, and origins with a stat of their own."""

FIRST_WIDTH = 34
"""Columns of the first line that refused."""

VERDICT = "robots1994"
"""Meta key of a refused request; its value is the verdict."""

_REFUSED = "Forbidden by robots.txt: <%s %s>: %s"
_ALL_REFUSED = (
    "robots.txt refused every start request (%d). The first: %s: %s. "
    "`scrapy robots-check --explain URL` explains each."
)

_REASON_STATS = {it: stats.REASONS.format(reason=it.value) for it in Reason}


CLOSE_REASON = "robotstxt_denied"

START = "is_start_request"
"""The meta key that Scrapy sets on every start request."""

MAX_STARTS = 10_000
"""Start requests that are remembered one by one."""


@dataclass(slots=True)
class _Row:
    """Refusals of one origin: the reason of the last one, the line of the first one."""

    reason: Reason
    first: str
    refused: int = 0


class StartRequests:
    """Watches the start requests until the first of them passes.

    If robots.txt refused every one of them, with *closes* the crawl closes with the
    reason `robotstxt_denied`.
    """

    def __init__(self, crawler: Crawler, *, closes: bool) -> None:
        self._crawler = crawler
        self.has_passed = False
        """Whether a start request was sent."""
        self.number_refused = 0
        self.first_refused: tuple[str, Verdict] | tuple[()] = ()
        # Fingerprints of start requests, and whether each was refused. Not a count:
        # what the duplicates filter drops is never judged. It may have dropped one that
        # another run crawled, which is not refused by this one.
        self._is_refused: dict[bytes, bool] = {}
        self._listeners = (
            (self._scheduled, signals.request_scheduled),
            (self._passed, signals.request_reached_downloader),
        )
        for listener, signal in self._listeners:
            crawler.signals.connect(listener, signal)
        if closes:
            crawler.signals.connect(self._idle, signals.spider_idle)

    def refused(self, request: Request, verdict: Verdict) -> None:
        """Note that *request*, perhaps a start request, was refused."""
        # Once one has passed, they are not all refused.
        if self.has_passed or not request.meta.get(START):
            return
        self.number_refused += 1
        self.first_refused = self.first_refused or (request.url, verdict)
        fingerprint = self._fingerprint(request)
        if fingerprint in self._is_refused:
            self._is_refused[fingerprint] = True

    @property
    def are_all_refused(self) -> bool:
        """Whether there were start requests, and robots.txt refused each of them."""
        is_any_refused = self.number_refused > 0 and not self.has_passed
        return is_any_refused and all(self._is_refused.values())

    def _scheduled(self, request: Request) -> None:
        """Note a start request, which is judged later unless it is dropped."""
        if request.meta.get(START) and len(self._is_refused) < MAX_STARTS:
            self._is_refused.setdefault(self._fingerprint(request), False)

    def _fingerprint(self, request: Request) -> bytes:
        fingerprinter = self._crawler.request_fingerprinter
        assert fingerprinter is not None  # noqa: S101 - set before the crawl starts
        return fingerprinter.fingerprint(request)

    def _passed(self, request: Request) -> None:
        """Note that a start request was sent."""
        if request.meta.get(START) and not self.has_passed:
            self.has_passed = True
            # Disconnecting from a signal while it is sent makes Scrapy skip the next
            # listener.
            call_later(0, self._stop)

    def _stop(self) -> None:
        """Watch no longer: a listener costs each page some microseconds."""
        for listener, signal in self._listeners:
            self._crawler.signals.disconnect(listener, signal)

    def _idle(self) -> None:
        """Close the crawl, which has nothing more to do, for its true reason."""
        if self.are_all_refused:
            raise CloseSpider(CLOSE_REASON)


class Refusals:
    """Does all that belongs to a refusal, and logs those of each origin at the close.

    A crawl may be refused a good part of the links that it follows, so `refuse` makes no
    text that is not logged.
    """

    def __init__(self, crawler: Crawler, *, closes: bool) -> None:
        self._crawler = crawler
        assert crawler.stats is not None  # noqa: S101 - set before components are made
        # Prepared once, for each refusal calls it.
        self._increment = crawler.stats.inc_value
        # Where nothing crawls, as in a shell, the user waits for the very page.
        self._level = DEBUG if is_crawling(crawler) else WARNING
        self._rows: dict[Origin, _Row] = {}
        self._others = _Row(Reason.RULE, "")
        self._starts = StartRequests(crawler, closes=closes)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def refuse(
        self, request: Request, verdict: Verdict, origin: Origin
    ) -> ForbiddenByRobots:
        """Return the exception for *request*, which *verdict* of *origin* is about."""
        self._increment(stats.FORBIDDEN)
        # For errbacks and signal handlers, who put it into items: a feed in UTF-8 cannot have
        # undecodable bytes. Written to disk with the request, it is small.
        exported = request.meta[VERDICT] = verdict.for_export()
        row = self._rows.get(origin) or self._new_row(origin, verdict)
        row.refused += 1
        row.reason = verdict.reason
        self._increment(_REASON_STATS[verdict.reason])
        self._starts.refused(request, verdict)
        self._crawler.signals.send_catch_log(
            request_refused,
            request=request,
            verdict=exported,
            spider=self._crawler.spider,
        )
        # Also looked up here: below DEBUG a refusal pays for no further call.
        if is_shown(self._level):
            values = request.method, request.url, verdict
            log_line(self._crawler, self._level, _REFUSED, *values)
        return ForbiddenByRobots(exported)

    def _new_row(self, origin: Origin, verdict: Verdict) -> _Row:
        """Return a new row for *origin*; past `MAX_ROWS` the one of all others."""
        # A broad crawl meets any number of origins, and a row stays until the close.
        if len(self._rows) >= MAX_ROWS:
            return self._others
        # As text: the verdict would keep its whole file in memory.
        first = "no answer"
        if verdict.line is not None:
            first = f"{verdict.line}: Disallow: {verdict.rule}"
        elif verdict.failure is not None:
            first = verdict.failure
        elif verdict.status is not None:
            first = f"HTTP {verdict.status}"
        # No more than is printed: a line of wildcards may be as long as its file.
        row = _Row(verdict.reason, first[: 2 * FIRST_WIDTH])
        return self._rows.setdefault(origin, row)

    def _closed(self) -> None:
        """Log the table and set its stats, if there is a refusal."""
        if not self._rows:
            return
        # By origin, too, so that equal crawls log equal tables.
        rows = sorted(self._rows.items(), key=lambda it: (-it[1].refused, it[0]))
        for origin, row in rows[:TOP_ORIGINS]:
            stats.count(self._crawler, stats.REFUSED_BY, row.refused, origin=origin)
        stats.count(self._crawler, stats.REFUSING, len(rows))
        log_lines(self._crawler, INFO, "\n".join(_table(rows, self._others)))
        if self._starts.are_all_refused:
            number = self._starts.number_refused
            stats.count(self._crawler, stats.STARTS_REFUSED, number)
            first = self._starts.first_refused
            log_line(self._crawler, WARNING, _ALL_REFUSED, number, *first)


def _table(rows: list[tuple[Origin, _Row]], others: _Row) -> Iterator[str]:
    """Yield the lines of the table, at most 100 columns wide."""
    refused = sum(row.refused for _, row in rows) + others.refused
    requests, origins = counted(refused, "request"), counted(len(rows), "origin")
    yield f"robots.txt refused {requests} at {origins}"
    yield f"{'refused':>9}  {'outcome':11}  {'origin':40}  first line that refused"
    for origin, row in rows[:TOP_ORIGINS]:
        refused -= row.refused
        outcome = outcome_of_reason(row.reason)
        # Ours O25: hosts and rules may hold anything.
        yield (
            f"{row.refused:9,}  {outcome.value:11}  "
            f"{escape_control_chars(str(origin), 40):40}  "
            f"{escape_control_chars(row.first, FIRST_WIDTH)}"
        ).rstrip()
    if refused:
        yield f"{refused:9,}  at the other origins"
