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

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.crawl.log import counted, is_shown, log_line, log_lines
from scrapy_robots1994.crawl.scrapy_private import is_crawling
from scrapy_robots1994.crawl.start_requests import StartRequests
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

VERDICT = "robots1994"
"""Meta key of a refused request; its value is the verdict."""

_REFUSED = "Forbidden by robots.txt: <%s %s>: %s"
_ALL_REFUSED = (
    "robots.txt refused every start request (%d). The first: %s: %s. "
    "`scrapy robots-check --explain URL` explains each."
)

_REASON_STATS = {it: stats.REASONS.format(reason=it.value) for it in Reason}


@dataclass(slots=True)
class _Row:
    """Refusals of one origin: the reason of the last one, the line of the first one."""

    reason: Reason
    first: str
    refused: int = 0


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
        # As printed: a line of wildcards may be as long as its file.
        first = escape_control_chars(first, 34)
        return self._rows.setdefault(origin, _Row(verdict.reason, first))

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
            f"{escape_control_chars(str(origin), 40):40}  {row.first}"
        ).rstrip()
    if refused:
        yield f"{refused:9,}  at the other origins"
