"""Refusals: the signal for each, and their sum, origin by origin, at the close."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

from scrapy import signals

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason
from scrapy_robots1994.policy import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.parser import Verdict

logger = logging.getLogger("scrapy_robots1994")

request_refused = object()
"""Sent for each request that is refused, before its errback is called.

Arguments: *request*, the refused request; *verdict*, a `Verdict` with the reason, the
line and the record; *spider*. Like Scrapy's `request_dropped` it does not support
asynchronous handlers. In a dry run it is not sent, as nothing is refused by us.
"""

MAX_ORIGINS = 10_000
"""Origins that are counted one by one; refusals of further ones are only added up."""

TOP_ORIGINS = 20
"""Rows of the table, and origins with a stat of their own."""

# With any other reason, a file decided.
_OUTCOMES = {
    Reason.FORBIDDEN: Outcome.FORBIDDEN.value,
    Reason.UNREACHABLE: Outcome.UNREACHABLE.value,
    Reason.CANCELLED: "cancelled",
}


@dataclass(slots=True)
class _Row:
    """One origin: refusals, the outcome at the last one, the line of the first one."""

    origin: Origin
    outcome: str
    refused: int = 0
    first: str = ""


class RefusalLog:
    """Sends `request_refused`, and logs the refusals of each origin at the close."""

    def __init__(self, crawler: Crawler, recorder: StatsRecorder) -> None:
        self._crawler = crawler
        self._recorder = recorder
        self._rows: dict[Origin, _Row] = {}
        self._uncounted = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def refused(self, request: Request, verdict: Verdict) -> None:
        """Note that *request* is refused, and report it to the listeners."""
        self._count(request, verdict)
        self._crawler.signals.send_catch_log(
            request_refused,
            request=request,
            verdict=verdict,
            spider=self._crawler.spider,
        )

    def _count(self, request: Request, verdict: Verdict) -> None:
        """Count one refusal for the origin of *request*."""
        origin = Origin.of(request.url)
        outcome = _OUTCOMES.get(verdict.reason, Outcome.PARSED.value)
        row = None if origin is None else self._row(origin, outcome)
        if row is None:
            self._uncounted += 1
            return
        row.refused += 1
        row.outcome = outcome
        if not row.first:
            row.first = _line_of(verdict)

    def _row(self, origin: Origin, outcome: str) -> _Row | None:
        """Return the row of *origin*; `None` past `MAX_ORIGINS`."""
        row = self._rows.get(origin)
        if row is None and len(self._rows) < MAX_ORIGINS:
            row = self._rows[origin] = _Row(origin, outcome)
        return row

    def _closed(self) -> None:
        """Log the table, where there is a refusal."""
        rows = sorted(self._rows.values(), key=attrgetter("origin"))
        rows.sort(key=attrgetter("refused"), reverse=True)
        self._recorder.refused_by_origin(
            {str(row.origin): row.refused for row in rows[:TOP_ORIGINS]}, len(rows)
        )
        if rows:
            table = "\n".join(_table(rows, self._uncounted))
            logger.info("%s", table, extra={"spider": self._crawler.spider})


def _line_of(verdict: Verdict) -> str:
    """Return the line that refused, with its number, or the reason without a line."""
    if verdict.line is None:
        return verdict.reason.value
    return f"{verdict.line}: Disallow: {verdict.rule}"


def counted(number: int, noun: str) -> str:
    """Return *number* with *noun* in its plural: `1 request`, `2 requests`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _table(rows: list[_Row], uncounted: int) -> Iterator[str]:
    """Yield the lines of the table, at most 100 columns wide."""
    refused = sum(row.refused for row in rows) + uncounted
    requests, origins = counted(refused, "request"), counted(len(rows), "origin")
    yield f"robots.txt refused {requests} at {origins}"
    yield f"{'refused':>9}  {'outcome':11}  {'origin':40}  first line that refused"
    for row in rows[:TOP_ORIGINS]:
        yield (
            f"{row.refused:9,}  {row.outcome:11}  "
            f"{escape_control_chars(str(row.origin), 40):40}  "
            f"{escape_control_chars(row.first, 34)}"
        ).rstrip()
    others = sum(row.refused for row in rows[TOP_ORIGINS:]) + uncounted
    if others or len(rows) > TOP_ORIGINS:
        yield f"{others:9,}  at the other origins"
