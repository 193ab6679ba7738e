"""Count, signal and log refusals, and log a table of them when the spider closes."""

from collections.abc import Iterator
from logging import DEBUG, INFO, WARNING

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.crawl.log import count, counted, log_line, log_lines
from scrapy_robots1994.crawl.scrapy_private import is_crawling
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.policy.outcomes import outcome_of_reason

request_refused = object()
"""Sent for each refused request, before its errback is called.

Arguments: *request*, *verdict* (a `Verdict`) and *spider*. This signal does not support
asynchronous handlers.
"""

MAX_ROWS = 10_000
"""The refusals of up to this many origins are counted separately. Further origins share one row."""

TOP_ORIGINS = 20
"""The maximum number of origins in the table, and in the stats."""

FIRST_WIDTH = 34
"""The width of the table's column "first line that refused"."""

VERDICT = "robots1994"
"""Meta key for the verdict on a refused request."""

_REFUSED = "Forbidden by robots.txt: <%s %s>: %s"
_ALL_REFUSED = (
    "robots.txt refused all start requests (%d), first %s: %s. To see why, run "
    "`scrapy robots-check --explain URL`, with `--spider NAME` if the spider has "
    "custom_settings."
)

CLOSE_REASON = "robotstxt_denied"


class _Row:
    def __init__(self, reason: Reason, first: str) -> None:
        # The reason for the first refusal, and its cause: a line, a status or a failure
        self.reason = reason
        self.first = first
        self.refused = 0


class Refusals:
    """Counts and reports the refusals of a crawl. If *closes* is true and every start request was
    refused, the crawl closes with `CLOSE_REASON`.
    """

    def __init__(self, crawler: Crawler, *, closes: bool) -> None:
        self._crawler = crawler
        # In a shell, log refusals as warnings, so that the user sees why there is no page.
        self._level = DEBUG if is_crawling(crawler) else WARNING
        self._rows: dict[Origin, _Row] = {}
        self._others = _Row(Reason.RULE, "")
        self.has_passed = False
        """Set by the middleware when a request from the scheduler passes."""
        # The number of refused requests from the scheduler, and the URL and verdict of the first
        self._scheduled = 0
        self._first: tuple[str, Verdict] | None = None
        crawler.signals.connect(self._closed, signals.spider_closed)
        if closes:
            crawler.signals.connect(self._idle, signals.spider_idle)

    def refuse(
        self, request: Request, verdict: Verdict, origin: Origin, *, is_awaited: bool
    ) -> ForbiddenByRobots:
        """Count and log a refusal, send `request_refused`, and return the exception to raise.

        A request that a component awaits (*is_awaited*) does not count as a start request.
        """
        count(self._crawler, stats.FORBIDDEN)
        count(self._crawler, stats.REASONS, reason=verdict.reason.value)
        # A spider may put the verdict into items, and feeds cannot contain undecodable bytes.
        exported = request.meta[VERDICT] = verdict.for_export()
        row = self._rows.get(origin) or self._new_row(origin, verdict)
        row.refused += 1
        if not is_awaited:
            self._scheduled += 1
            self._first = self._first or (request.url, exported)
        self._crawler.signals.send_catch_log(
            request_refused,
            request=request,
            verdict=exported,
            spider=self._crawler.spider,
        )
        values = request.method, request.url, verdict
        log_line(self._crawler, self._level, _REFUSED, *values)
        return ForbiddenByRobots(exported)

    def _new_row(self, origin: Origin, verdict: Verdict) -> _Row:
        # Bounded, because a broad crawl may have any number of origins.
        if len(self._rows) >= MAX_ROWS:
            return self._others
        # Keep only text, because a verdict would keep the whole robots.txt in memory.
        first = "no answer"
        if verdict.line is not None:
            first = f"{verdict.line}: Disallow: {verdict.rule}"
        elif verdict.failure is not None:
            first = verdict.failure
        elif verdict.status is not None:
            first = f"HTTP {verdict.status}"
        # Cut the text, because a rule may be as long as the file that contains it.
        row = _Row(verdict.reason, first[: 2 * FIRST_WIDTH])
        return self._rows.setdefault(origin, row)

    @property
    def _are_starts_refused(self) -> bool:
        # Until the crawl is idle, a start request may still pass. If JOBDIR is set, one may have
        # passed in an earlier run.
        is_whole_crawl = not self._crawler.settings["JOBDIR"]
        return self._first is not None and not self.has_passed and is_whole_crawl

    def _idle(self) -> None:
        if self._are_starts_refused:
            raise CloseSpider(CLOSE_REASON)

    def _closed(self, reason: str) -> None:
        if not self._rows:
            return
        # Sort ties by origin, so that the table is reproducible.
        rows = sorted(self._rows.items(), key=lambda it: (-it[1].refused, it[0]))
        for origin, row in rows[:TOP_ORIGINS]:
            count(self._crawler, stats.REFUSED_BY, row.refused, origin=origin)
        count(self._crawler, stats.REFUSING, len(rows))
        log_lines(self._crawler, INFO, "\n".join(_table(rows, self._others)))
        # If the crawl was closed early, some start requests may not have been decided.
        was_idle = reason in {"finished", CLOSE_REASON}
        if self._first is not None and self._are_starts_refused and was_idle:
            count(self._crawler, stats.STARTS_REFUSED, self._scheduled)
            values = self._scheduled, *self._first
            log_line(self._crawler, WARNING, _ALL_REFUSED, *values)


def _table(rows: list[tuple[Origin, _Row]], others: _Row) -> Iterator[str]:
    """Yield the lines of the table, up to 100 columns wide."""
    refused = sum(row.refused for _, row in rows) + others.refused
    requests, origins = counted(refused, "request"), counted(len(rows), "origin")
    more_than = "more than " * bool(others.refused)
    yield f"robots.txt refused {requests} at {more_than}{origins}"
    yield f"{'refused':>9}  {'outcome':11}  {'origin':40}  first line that refused"
    for origin, row in rows[:TOP_ORIGINS]:
        refused -= row.refused
        outcome = outcome_of_reason(row.reason)
        # Ours O25
        yield (
            f"{row.refused:9,}  {outcome.value:11}  "
            f"{escape_control_chars(str(origin), 40):40}  "
            f"{escape_control_chars(row.first, FIRST_WIDTH)}"
        ).rstrip()
    if refused:
        yield f"{refused:9,}  at the other origins"
