"""The steps of each refusal, and the summary of all refusals at the end of the crawl.

Each refusal is counted and logged. The signal `request_refused` is sent, and
`ForbiddenByRobots` is raised. When the crawl closes, a table of refusals by origin is
logged. If every start request was refused, a warning is also logged.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from logging import DEBUG, INFO, WARNING
from typing import Any

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.crawl.log import counted, is_shown, log_line, log_lines
from scrapy_robots1994.crawl.requests import has_default_name
from scrapy_robots1994.crawl.scrapy_private import is_crawling
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.parser.user_agent import EVERYBODY
from scrapy_robots1994.policy.outcomes import outcome_of_reason

request_refused = object()
"""Signal that is sent for each refused request, before the errback of the request is
called.

Arguments: *request*, the refused request; *verdict*, a `Verdict` with the reason, the line
and the record; *spider*. Like Scrapy's `request_dropped`, this signal does not support
asynchronous handlers. The signal is not sent in a dry run, because in a dry run our
middleware does not refuse requests.
"""

MAX_ROWS = 10_000
"""Maximum number of origins whose refusals are counted separately. The refusals at all
further origins are counted together.
"""

TOP_ORIGINS = 20
"""Maximum number of rows of the table, and of origins with a stat of their own."""

FIRST_WIDTH = 34
"""Width of the table's column "first line that refused", in characters."""

VERDICT = "robots1994"
"""Meta key of a refused request. The value is the verdict."""

_REFUSED = "Forbidden by robots.txt: <%s %s>: %s"
_ALL_REFUSED = (
    "robots.txt refused every start request (%d). The first: %s: %s. "
    "`scrapy robots-check%s --explain URL` explains each.%s"
)
_DEFAULT_NAME = (
    " The record is for Scrapy's default name; set USER_AGENT to the name of your "
    "robot."
)

_REASON_STATS = {it: stats.REASONS.format(reason=it.value) for it in Reason}


CLOSE_REASON = "robotstxt_denied"

START = "is_start_request"
"""The meta key that Scrapy sets on every start request."""


@dataclass(slots=True)
class _Row:
    """The refusals at one origin.

    *reason* is the reason of the last refusal. *first* describes the cause of the first
    refusal, such as a line of the file or an HTTP status. *refused* is the number of
    refusals.
    """

    reason: Reason
    first: str
    refused: int = 0


class StartRequests:
    """Counts the start requests until the first start request is sent.

    If *closes* is `True` and every start request was refused, the crawl closes with the
    reason `robotstxt_denied`.
    """

    def __init__(self, crawler: Crawler, *, closes: bool) -> None:
        self._crawler = crawler
        self.has_passed = False
        """Whether a start request was sent."""
        self.number_refused = 0
        self.first_refused: tuple[str, Verdict] | tuple[()] = ()
        self._number_scheduled = 0
        self._listeners = (
            (self._scheduled, signals.request_scheduled),
            (self._dropped, signals.request_dropped),
            (self._passed, signals.request_reached_downloader),
        )
        for listener, signal in self._listeners:
            crawler.signals.connect(listener, signal)
        if closes:
            crawler.signals.connect(self._idle, signals.spider_idle)

    def refused(self, request: Request, verdict: Verdict) -> None:
        """Count *request*, which was refused, if it is a start request."""
        # After a start request was sent, do not count further refusals. The count is used
        # only if every start request was refused.
        if request.meta.get(START) and not self.has_passed:
            self.number_refused += 1
            self.first_refused = self.first_refused or (request.url, verdict)

    @property
    def are_all_refused(self) -> bool:
        """Whether there was a start request, and robots.txt refused every start request."""
        # A start request of an earlier run (JOBDIR) is not scheduled again in this run. For
        # this reason, more start requests may be refused than were scheduled.
        refused = self.number_refused
        return not self.has_passed and refused >= max(self._number_scheduled, 1)

    def _scheduled(self, request: Request) -> None:
        """Count *request* if it is a start request and not a retry of a start request."""
        # A start request is returned to the scheduler only after another start request was
        # sent, or when the crawl closes. For this reason, no start request is counted
        # twice.
        if request.meta.get(START) and not request.meta.get("retry_times"):
            self._number_scheduled += 1

    def _dropped(self, request: Request) -> None:
        """Subtract 1 from the number of scheduled start requests if *request* is a start
        request. The duplicates filter has dropped *request*.
        """
        # With JOBDIR, do not subtract 1. An earlier run may have crawled the request. In
        # that case, not every start request was refused.
        if request.meta.get(START) and not self._crawler.settings["JOBDIR"]:
            self._number_scheduled -= 1

    def _passed(self, request: Request) -> None:
        """Remember that a start request was sent, and stop counting."""
        if request.meta.get(START) and not self.has_passed:
            self.has_passed = True
            # Disconnect later, because Scrapy skips a listener if another listener
            # disconnects while the signal is sent.
            call_later(0, self._stop)

    def _stop(self) -> None:
        """Disconnect the signal handlers, which take a few microseconds for each page."""
        for listener, signal in self._listeners:
            self._crawler.signals.disconnect(listener, signal)

    def _idle(self) -> None:
        """Close the idle crawl with the reason `robotstxt_denied` if every start request
        was refused.
        """
        if self.are_all_refused:
            raise CloseSpider(CLOSE_REASON)


class Refusals:
    """Counts, logs and signals each refusal, and logs a table of all refusals when the
    crawl closes.

    A crawl may refuse many requests, so `refuse` formats a text only if the text is logged.
    """

    def __init__(self, crawler: Crawler, *, closes: bool) -> None:
        self._crawler = crawler
        assert crawler.stats is not None  # noqa: S101 - Scrapy creates the stats before the components
        # Look up the method only once, because the method is called for each refusal.
        self._increment = crawler.stats.inc_value
        # In a shell, the user waits for the page, so log a refusal as a warning.
        self._level = DEBUG if is_crawling(crawler) else WARNING
        self._rows: dict[Origin, _Row] = {}
        self._others = _Row(Reason.RULE, "")
        self._starts = StartRequests(crawler, closes=closes)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def refuse(
        self, request: Request, verdict: Verdict, origin: Origin
    ) -> ForbiddenByRobots:
        """Count and log the refusal of *request*, send `request_refused`, and return the
        exception to raise. *verdict* is the verdict for *request*, and *origin* is the
        origin of its URL.
        """
        self._increment(stats.FORBIDDEN)
        # Export the verdict, for two reasons. Errbacks and signal handlers may put the
        # verdict into items, and a feed in UTF-8 cannot contain undecodable bytes. The
        # verdict may also be written to disk with the request, so the verdict should be
        # small.
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
        # Check the level before the call to `log_line`, because many refusals are not
        # logged.
        if is_shown(self._level):
            values = request.method, request.url, verdict
            log_line(self._crawler, self._level, _REFUSED, *values)
        return ForbiddenByRobots(exported)

    def _new_row(self, origin: Origin, verdict: Verdict) -> _Row:
        """Return a new row for *origin*. If there are already `MAX_ROWS` rows, return the
        row that all further origins share.
        """
        # Limit the number of rows, because a row stays in memory until the crawl closes. A
        # broad crawl may request any number of origins.
        if len(self._rows) >= MAX_ROWS:
            return self._others
        # Store text and not the verdict, because a verdict would keep its whole file in
        # memory.
        first = "no answer"
        if verdict.line is not None:
            first = f"{verdict.line}: Disallow: {verdict.rule}"
        elif verdict.failure is not None:
            first = verdict.failure
        elif verdict.status is not None:
            first = f"HTTP {verdict.status}"
        # Store at most twice as many characters as are printed, because a file may consist
        # of one long line.
        row = _Row(verdict.reason, first[: 2 * FIRST_WIDTH])
        return self._rows.setdefault(origin, row)

    def _closed(self) -> None:
        """Log the table of refusals, and set the stats about refused origins and start
        requests. If no request was refused, do nothing.
        """
        if not self._rows:
            return
        # Sort rows with the same number of refusals by origin, so that two identical crawls
        # log identical tables.
        rows = sorted(self._rows.items(), key=lambda it: (-it[1].refused, it[0]))
        for origin, row in rows[:TOP_ORIGINS]:
            stats.count(self._crawler, stats.REFUSED_BY, row.refused, origin=origin)
        stats.count(self._crawler, stats.REFUSING, len(rows))
        log_lines(self._crawler, INFO, "\n".join(_table(rows, self._others)))
        if self._starts.are_all_refused:
            number = self._starts.number_refused
            stats.count(self._crawler, stats.STARTS_REFUSED, number)
            first = self._starts.first_refused
            record = first[1].record if first else None
            is_named = record is not None and EVERYBODY not in record.names
            more = _DEFAULT_NAME * (is_named and has_default_name(self._crawler))
            # The command can read the settings of a spider that belongs to the project.
            spider: Any = self._crawler.spider
            places = self._crawler.settings.getlist("SPIDER_MODULES")
            module = f"{type(spider).__module__}."
            is_of_project = any(module.startswith(f"{it}.") for it in places)
            option = f" --spider {spider.name}" * is_of_project
            values = number, *first, option, more
            log_line(self._crawler, WARNING, _ALL_REFUSED, *values)


def _table(rows: list[tuple[Origin, _Row]], others: _Row) -> Iterator[str]:
    """Yield the lines of the table, at most 100 columns wide."""
    refused = sum(row.refused for _, row in rows) + others.refused
    requests, origins = counted(refused, "request"), counted(len(rows), "origin")
    more_than = "more than " * bool(others.refused)
    yield f"robots.txt refused {requests} at {more_than}{origins}"
    yield f"{'refused':>9}  {'outcome':11}  {'origin':40}  first line that refused"
    for origin, row in rows[:TOP_ORIGINS]:
        refused -= row.refused
        outcome = outcome_of_reason(row.reason)
        # Ours O25 (control characters): escape hosts and rules, which may contain any
        # character.
        yield (
            f"{row.refused:9,}  {outcome.value:11}  "
            f"{escape_control_chars(str(origin), 40):40}  "
            f"{escape_control_chars(row.first, FIRST_WIDTH)}"
        ).rstrip()
    if refused:
        yield f"{refused:9,}  at the other origins"
