"""Refusals: what each one does, and what the crawl says of them when it closes.

Each is counted, logged and sent as a signal, and raises `ForbiddenByRobots`. At the
close there is one table of them by origin, and a warning if robots.txt refused every
start request.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydispatch import dispatcher  # type: ignore[import-untyped]
from scrapy import signals
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
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

CLOSE_REASON = "robotstxt_denied"

START = "is_start_request"
"""The meta key that Scrapy sets on every start request."""

MAX_STARTS = 10_000
"""Start requests that are told apart."""

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


# The keys of `dispatcher.connections` are the ids of senders.
_ANY_SENDER = id(dispatcher.Any)


@dataclass(slots=True)
class _Row:
    """One origin: the reason of the last refusal, the line of the first one."""

    origin: Origin
    reason: Reason
    first: str
    refused: int = 0


class Refusals:
    """Does all that belongs to a refusal, and logs those of each origin at the close.

    Crawls of large sites refuse a good part of their links, so `refuse` does little:
    it makes one call of the stats, and no text that is not logged.
    """

    def __init__(
        self, crawler: Crawler, recorder: StatsRecorder, *, closes_when_denied: bool
    ) -> None:
        self._crawler = crawler
        self._recorder = recorder
        # Where nothing crawls, as in a shell, the user waits for the very page.
        self._level = logging.DEBUG if crawler.crawling else logging.WARNING
        self._sender = id(crawler)
        self._rows: dict[Origin, _Row] = {}
        self._uncounted = 0
        self._reasons: Counter[Reason] = Counter()
        self._starts = StartRequests(crawler, recorder, closes=closes_when_denied)
        crawler.signals.connect(self._closed, signals.spider_closed)

    def refuse(
        self, request: Request, verdict: Verdict, origin: Origin
    ) -> ForbiddenByRobots:
        """Return the exception for *request*, which *verdict* of *origin* is about."""
        self._recorder.increment(stats.FORBIDDEN)
        request.meta["robots1994"] = verdict
        self._reasons[verdict.reason] += 1
        row = self._rows.get(origin) or self._new_row(origin, verdict)
        if row is None:
            self._uncounted += 1
        else:
            row.refused += 1
            row.reason = verdict.reason
        if not self._starts.has_passed:
            self._starts.refused(request, verdict)
        # Sending a signal costs more than all else here, also where nothing listens.
        # Looked up each time: a handler may be connected at any moment.
        of_sender = dispatcher.connections.get
        if request_refused in of_sender(
            self._sender, ()
        ) or request_refused in of_sender(_ANY_SENDER, ()):
            self._crawler.signals.send_catch_log(
                request_refused,
                request=request,
                verdict=verdict,
                spider=self._crawler.spider,
            )
        if logger.isEnabledFor(self._level):
            logger.log(
                self._level,
                "Forbidden by robots.txt: <%s %s>: %s",
                request.method,
                escape_control_chars(redact_credentials(request.url), 500),
                verdict,
                extra={"spider": self._crawler.spider},
            )
        return ForbiddenByRobots(verdict)

    def _new_row(self, origin: Origin, verdict: Verdict) -> _Row | None:
        """Return a new row for *origin*; `None` past `MAX_ORIGINS`."""
        if len(self._rows) >= MAX_ORIGINS:
            return None
        first = verdict.reason.value
        if verdict.line is not None:
            first = f"{verdict.line}: Disallow: {verdict.rule}"
        return self._rows.setdefault(origin, _Row(origin, verdict.reason, first))

    def _closed(self) -> None:
        """Log the table and set its stats, if there is a refusal."""
        if not self._rows:
            return
        for reason, number in self._reasons.items():
            self._recorder.set(stats.REASONS, number, reason=reason.value)
        rows = sorted(self._rows.values(), key=lambda row: (-row.refused, row.origin))
        for row in rows[:TOP_ORIGINS]:
            self._recorder.set(stats.REFUSED_BY, row.refused, origin=row.origin)
        self._recorder.set(stats.REFUSING, len(rows))
        table = "\n".join(_table(rows, self._uncounted))
        logger.info("%s", table, extra={"spider": self._crawler.spider})


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


class StartRequests:
    """Watches the start requests until the first of them passes.

    If robots.txt refused every one of them, one warning at the close says so; with
    *closes* the crawl then closes with the reason `robotstxt_denied`.
    """

    def __init__(
        self, crawler: Crawler, recorder: StatsRecorder, *, closes: bool
    ) -> None:
        self._crawler = crawler
        self._recorder = recorder
        self.has_passed = False
        """Whether a start request was sent or answered."""
        self._refused = 0
        self._first = ""
        # Fingerprints of start requests, and whether each was refused. Not a count:
        # what the duplicates filter drops is never judged. It may have dropped one that
        # another run crawled, which is not refused by this one.
        self._is_refused: dict[bytes, bool] = {}
        crawler.signals.connect(self._scheduled, signals.request_scheduled)
        self._listeners = [
            (self._passed, signals.request_reached_downloader),
            # A page that the HTTP cache has never reaches the downloader.
            (self._passed, signals.response_received),
        ]
        for listener, signal in self._listeners:
            crawler.signals.connect(listener, signal)
        crawler.signals.connect(self._closed, signals.spider_closed)
        if closes:
            crawler.signals.connect(self._idle, signals.spider_idle)

    def refused(self, request: Request, verdict: Verdict) -> None:
        """Note that *request*, perhaps a start request, was refused."""
        if not request.meta.get(START):
            return
        self._refused += 1
        if not self._first:
            url = escape_control_chars(redact_credentials(request.url), 200)
            self._first = f"{url}: {verdict}"
        fingerprint = self._fingerprint(request)
        if fingerprint in self._is_refused:
            self._is_refused[fingerprint] = True

    @property
    def _are_all_refused(self) -> bool:
        return (
            not self.has_passed and self._refused > 0 and all(self._is_refused.values())
        )

    def _scheduled(self, request: Request) -> None:
        """Note a start request, which is judged later unless it is dropped."""
        if self.has_passed:
            # Not in `_passed`: disconnecting from a signal while it is being sent makes
            # Scrapy skip the next listener.
            while self._listeners:
                self._crawler.signals.disconnect(*self._listeners.pop())
            self._is_refused.clear()
        elif request.meta.get(START) and len(self._is_refused) < MAX_STARTS:
            self._is_refused.setdefault(self._fingerprint(request), False)

    def _fingerprint(self, request: Request) -> bytes:
        fingerprinter = self._crawler.request_fingerprinter
        assert fingerprinter is not None  # noqa: S101 - set before the crawl starts
        return fingerprinter.fingerprint(request)

    def _passed(self, request: Request) -> None:
        """Note that a start request was sent or answered."""
        self.has_passed = self.has_passed or bool(request.meta.get(START))

    def _idle(self) -> None:
        """Close the crawl, which has nothing more to do, for its true reason."""
        if self._are_all_refused:
            raise CloseSpider(CLOSE_REASON)

    def _closed(self) -> None:
        """Warn that nothing was crawled because robots.txt permits nothing."""
        if self._are_all_refused:
            self._recorder.set(stats.STARTS_REFUSED, self._refused)
            logger.warning(
                "robots.txt refused every start request (%d), so nothing was crawled. "
                "The first: %s. `scrapy robots-check --explain URL` explains the others.",
                self._refused,
                self._first,
                extra={"spider": self._crawler.spider},
            )
