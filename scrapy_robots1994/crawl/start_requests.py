"""The start requests of a crawl: whether robots.txt refuses every one of them."""

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider

from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.parser import Verdict

CLOSE_REASON = "robotstxt_denied"

START = "is_start_request"
"""The meta key that Scrapy sets on every start request."""

MAX_STARTS = 10_000
"""Start requests that are remembered one by one."""


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
