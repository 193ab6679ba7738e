"""Start requests: whether robots.txt let any of them through."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.parser import Verdict

logger = logging.getLogger("scrapy_robots1994")

CLOSE_REASON = "robotstxt_denied"

HELD = 10_000
"""Start requests that are known again when they are repeated."""

# Scrapy marks them with it.
META_KEY = "is_start_request"


class Starts:
    """Watches the start requests until the first gets through; then it costs one short
    call a request.

    When the crawl closes and robots.txt refused each of them, one warning says so; with
    *closes* the crawl then has the reason `robotstxt_denied`.
    """

    def __init__(self, crawler: Crawler, tally: StatsRecorder, *, closes: bool) -> None:
        self._crawler = crawler
        self._tally = tally
        self._scheduled = 0
        self._refused = 0
        self._first = ""
        self._is_through = False
        self._times: Counter[bytes] = Counter()
        crawler.signals.connect(self._was_scheduled, signals.request_scheduled)
        # A page that a cache holds never reaches the downloader.
        self._watched = [
            (self._was_dropped, signals.request_dropped),
            (self._got_through, signals.request_reached_downloader),
            (self._got_through, signals.response_received),
        ]
        for listener, signal in self._watched:
            crawler.signals.connect(listener, signal)
        crawler.signals.connect(self._closed, signals.spider_closed)
        if closes:
            crawler.signals.connect(self._idle, signals.spider_idle)

    def refused(self, request: Request, verdict: Verdict) -> None:
        """Note that *request* was refused."""
        if not self._is_through and request.meta.get(META_KEY):
            self._refused += 1
            if not self._first:
                url = escape_control_chars(redact_credentials(request.url), 200)
                self._first = f"{url}: {verdict}"

    @property
    def are_all_refused(self) -> bool:
        """Whether there were start requests, and robots.txt refused each of them.

        A resumed crawl may refuse some that another run has scheduled.
        """
        return not self._is_through and 0 < self._refused >= self._scheduled

    def _was_scheduled(self, request: Request) -> None:
        """Count a start request that is about to be judged, unless it is dropped."""
        if self._is_through:
            # Not before: who disconnects from a signal while it is being sent makes it
            # pass over the next who listens.
            while self._watched:
                listener, signal = self._watched.pop()
                self._crawler.signals.disconnect(listener, signal)
            self._times.clear()
            return
        if request.meta.get(META_KEY):
            self._scheduled += 1
            if len(self._times) < HELD:
                self._times[self._mark_of(request)] += 1

    def _was_dropped(self, request: Request) -> None:
        """Count a duplicate no more: what it repeats is judged in its place.

        What is dropped the first time was scheduled by another run or process: it stays
        in the count, as nobody here knows that it was refused.
        """
        if self._is_through or not request.meta.get(META_KEY):
            return
        mark = self._mark_of(request)
        if self._times[mark] > 1:
            self._times[mark] -= 1
            self._scheduled -= 1

    def _mark_of(self, request: Request) -> bytes:
        """What *request* has in common with its duplicates."""
        fingerprinter = self._crawler.request_fingerprinter
        assert fingerprinter is not None  # noqa: S101 - set before anything is asked
        return fingerprinter.fingerprint(request)

    def _got_through(self, request: Request) -> None:
        """Stop watching once a start request is sent or answered."""
        if request.meta.get(META_KEY):
            self._is_through = True

    def _idle(self) -> None:
        """Close the crawl, which has nothing more to do, for its true reason."""
        if self.are_all_refused:
            raise CloseSpider(CLOSE_REASON)

    def _closed(self) -> None:
        """Say that nothing was crawled because nothing may be."""
        if not self.are_all_refused:
            return
        self._tally.starts_refused(self._refused)
        logger.warning(
            "robots.txt refused every start request (%d), so nothing was crawled. The "
            "first: %s. `scrapy robots-check URL` tells more of each.",
            self._refused,
            self._first,
            extra={"spider": self._crawler.spider},
        )
