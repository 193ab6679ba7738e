"""Start requests: a warning, and a close reason, if robots.txt refused every one."""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict

logger = logging.getLogger("scrapy_robots1994")

CLOSE_REASON = "robotstxt_denied"

MAX_FINGERPRINTS = 10_000
"""Start requests whose duplicates are recognised."""

META_KEY = "is_start_request"
"""Set by Scrapy on every start request."""


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
        self._scheduled = 0
        self._refused = 0
        self._first = ""
        self._has_passed = False
        self._fingerprints: Counter[bytes] = Counter()
        crawler.signals.connect(self._was_scheduled, signals.request_scheduled)
        self._listeners = [
            (self._was_dropped, signals.request_dropped),
            (self._passed, signals.request_reached_downloader),
            # A page that the HTTP cache has never reaches the downloader.
            (self._passed, signals.response_received),
        ]
        for listener, signal in self._listeners:
            crawler.signals.connect(listener, signal)
        crawler.signals.connect(self._closed, signals.spider_closed)
        if closes:
            crawler.signals.connect(self._idle, signals.spider_idle)

    def refused(
        self,
        request: Request,
        verdict: Verdict,
        origin: Origin,  # noqa: ARG002 - of all listeners
    ) -> None:
        """Note that *request* was refused."""
        if not self._has_passed and request.meta.get(META_KEY):
            self._refused += 1
            if not self._first:
                url = escape_control_chars(redact_credentials(request.url), 200)
                self._first = f"{url}: {verdict}"

    @property
    def are_all_refused(self) -> bool:
        """Whether there were start requests, and robots.txt refused each of them."""
        # Not equal: a resumed crawl may refuse some that another run has scheduled.
        return not self._has_passed and 0 < self._refused >= self._scheduled

    def _was_scheduled(self, request: Request) -> None:
        """Count a start request, which is judged later unless it is dropped."""
        if self._has_passed:
            # Not in `_passed`: disconnecting from a signal while it is being sent makes
            # Scrapy skip the next listener.
            while self._listeners:
                self._crawler.signals.disconnect(*self._listeners.pop())
            self._fingerprints.clear()
        elif request.meta.get(META_KEY):
            self._scheduled += 1
            if len(self._fingerprints) < MAX_FINGERPRINTS:
                self._fingerprints[self._fingerprint(request)] += 1

    def _was_dropped(self, request: Request) -> None:
        """Count a duplicate no more: the first of its kind is judged in its place.

        A request that is dropped the first time was scheduled by another run or process.
        It stays in the count, for nothing here shows that it was refused.
        """
        if self._has_passed or not request.meta.get(META_KEY):
            return
        fingerprint = self._fingerprint(request)
        if self._fingerprints[fingerprint] > 1:
            self._fingerprints[fingerprint] -= 1
            self._scheduled -= 1

    def _fingerprint(self, request: Request) -> bytes:
        fingerprinter = self._crawler.request_fingerprinter
        assert fingerprinter is not None  # noqa: S101 - set before the crawl starts
        return fingerprinter.fingerprint(request)

    def _passed(self, request: Request) -> None:
        """Note that a start request was sent or answered."""
        self._has_passed = self._has_passed or bool(request.meta.get(META_KEY))

    def _idle(self) -> None:
        """Close the crawl, which has nothing more to do, for its true reason."""
        if self.are_all_refused:
            raise CloseSpider(CLOSE_REASON)

    def _closed(self) -> None:
        """Warn that nothing was crawled because robots.txt permits nothing."""
        if self.are_all_refused:
            self._recorder.set(stats.STARTS_REFUSED, self._refused)
            logger.warning(
                "robots.txt refused every start request (%d), so nothing was crawled. "
                "The first: %s. `scrapy robots-check --explain URL` explains the others.",
                self._refused,
                self._first,
                extra={"spider": self._crawler.spider},
            )
