"""The sum of a crawl at its close: what robots.txt refused, origin by origin."""

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

HELD = 10_000
"""Origins that are counted one by one; the refusals of further ones are added up."""

TOLD = 20
"""Rows of the table, and origins with a stat of their own."""

# Any other reason is in a file.
_OUTCOMES = {
    Reason.FORBIDDEN: Outcome.FORBIDDEN.value,
    Reason.UNREACHABLE: Outcome.UNREACHABLE.value,
    Reason.CANCELLED: "cancelled",
}


@dataclass(slots=True)
class _Row:
    """One origin: its outcome at the last refusal, refusals, the first line of them."""

    origin: Origin
    outcome: str
    refused: int = 0
    first: str = ""


class Summary:
    """Counts refusals by origin, and tells them when the crawl closes."""

    def __init__(self, crawler: Crawler, tally: StatsRecorder) -> None:
        self._crawler = crawler
        self._tally = tally
        self._rows: dict[Origin, _Row] = {}
        self._elsewhere = 0
        crawler.signals.connect(self._closed, signals.spider_closed)

    def refused(self, request: Request, verdict: Verdict) -> None:
        """Note that *request* was refused."""
        origin = Origin.of(request.url)
        outcome = _OUTCOMES.get(verdict.reason, Outcome.PARSED.value)
        row = None if origin is None else self._row(origin, outcome)
        if row is None:
            self._elsewhere += 1
            return
        row.refused += 1
        row.outcome = outcome
        if not row.first:
            row.first = _line_of(verdict)

    def _row(self, origin: Origin, outcome: str) -> _Row | None:
        """The row of *origin*; none when there are too many to hold a further one."""
        row = self._rows.get(origin)
        if row is None and len(self._rows) < HELD:
            row = self._rows[origin] = _Row(origin, outcome)
        return row

    def _closed(self) -> None:
        """Tell the sum, where there is anything to tell."""
        rows = sorted(self._rows.values(), key=attrgetter("origin"))
        rows.sort(key=attrgetter("refused"), reverse=True)
        self._tally.refused_by_origin(
            {str(row.origin): row.refused for row in rows[:TOLD]}, len(rows)
        )
        if rows:
            table = "\n".join(_table(rows, self._elsewhere))
            logger.info("%s", table, extra={"spider": self._crawler.spider})


def _line_of(verdict: Verdict) -> str:
    """What refused: the line with its number, or why there is none."""
    if verdict.line is None:
        return verdict.reason.value
    return f"{verdict.line}: Disallow: {verdict.rule}"


def _counted(number: int, noun: str) -> str:
    """*number* of what *noun* names: `1 request`, `2 requests`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _table(rows: list[_Row], elsewhere: int) -> Iterator[str]:
    """Yield the lines of the table, at most 100 columns wide."""
    refused = sum(row.refused for row in rows) + elsewhere
    requests, origins = _counted(refused, "request"), _counted(len(rows), "origin")
    yield f"robots.txt refused {requests} at {origins}"
    yield f"{'refused':>9}  {'outcome':11}  {'origin':40}  first line that refused"
    for row in rows[:TOLD]:
        yield (
            f"{row.refused:9,}  {row.outcome:11}  {escape_control_chars(str(row.origin), 40):40}  "
            f"{escape_control_chars(row.first, 34)}"
        ).rstrip()
    others = sum(row.refused for row in rows[TOLD:]) + elsewhere
    if others or len(rows) > TOLD:
        yield f"{others:9,}  at the other origins"
