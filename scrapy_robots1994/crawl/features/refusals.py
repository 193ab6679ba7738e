"""Refusals: a signal for each, and one table of them by origin when the crawl closes."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydispatch import dispatcher  # type: ignore[import-untyped]
from scrapy import signals

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.parser import Reason
from scrapy_robots1994.policy import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict

logger = logging.getLogger("scrapy_robots1994")

request_refused = object()
"""Sent for each request that is refused, before its errback is called.

Arguments: *request*, the refused request; *verdict*, a `Verdict` with the reason, the
line and the record; *spider*. Like Scrapy's `request_dropped` it does not support
asynchronous handlers. A dry run does not send it: ours refuses nothing there.
"""

MAX_ORIGINS = 10_000
"""Origins with a row; refusals at further ones are counted together."""

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
    """One origin: the reason of the last refusal, the line of the first one."""

    origin: Origin
    reason: Reason
    first: str
    refused: int = 0


class RefusalLog:
    """Sends `request_refused`, and logs the refusals of each origin at the close."""

    def __init__(self, crawler: Crawler, recorder: StatsRecorder) -> None:
        self._crawler = crawler
        self._recorder = recorder
        self._rows: dict[Origin, _Row] = {}
        self._uncounted = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def refused(self, request: Request, verdict: Verdict, origin: Origin) -> None:
        """Count the refusal of *request*, and send the signal."""
        row = self._rows.get(origin) or self._new_row(origin, verdict)
        if row is None:
            self._uncounted += 1
        else:
            row.refused += 1
            row.reason = verdict.reason
        # Sending a signal costs more than all else here, also where nothing listens.
        sender, get_receivers = self._crawler, dispatcher.getReceivers
        if get_receivers(sender, request_refused) or get_receivers(
            dispatcher.Any, request_refused
        ):
            self._crawler.signals.send_catch_log(
                request_refused,
                request=request,
                verdict=verdict,
                spider=self._crawler.spider,
            )

    def _new_row(self, origin: Origin, verdict: Verdict) -> _Row | None:
        """Return a new row for *origin*; `None` past `MAX_ORIGINS`."""
        if len(self._rows) >= MAX_ORIGINS:
            return None
        row = _Row(origin, verdict.reason, _line_of(verdict))
        return self._rows.setdefault(origin, row)

    def _closed(self) -> None:
        """Log the table and set its stats, if there is a refusal."""
        if not self._rows:
            return
        rows = sorted(self._rows.values(), key=lambda row: (-row.refused, row.origin))
        for row in rows[:TOP_ORIGINS]:
            self._recorder.set(stats.REFUSED_BY, row.refused, origin=row.origin)
        self._recorder.set(stats.REFUSING, len(rows))
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
            f"{row.refused:9,}  {_OUTCOMES.get(row.reason, Outcome.PARSED.value):11}  "
            f"{escape_control_chars(str(row.origin), 40):40}  "
            f"{escape_control_chars(row.first, 34)}"
        ).rstrip()
    others = sum(row.refused for row in rows[TOP_ORIGINS:]) + uncounted
    if others or len(rows) > TOP_ORIGINS:
        yield f"{others:9,}  at the other origins"
