"""Requests that wait for a robots.txt: when they count, and when the crawl closes.

A request that waits is in the downloader, and counts towards `CONCURRENT_REQUESTS` as
any other, and so does the request for the file, until this proves slow: when as many
other waits have ended since the wait began as requests may be concurrent, or when none has
ended for a while. From then on the limit is one higher for each of them. So slow origins
stop no other, and where all are alike, no robots.txt is fetched long before there is room
for its pages.

When its policy is known, a request that did not count goes on if there is room. If there
is none, it goes back to the scheduler, which owns the order of requests. The middleware
sees to that.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING
from weakref import WeakSet

from scrapy import signals

from scrapy_robots1994.crawl.threads import call_later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.scrapy_private import EngineAccess
    from scrapy_robots1994.origin import Origin

LOOK_SECONDS = 0.05
"""Between two looks whether the crawl closes, for which Scrapy has no signal, and whether
waits still end."""

QUIET_LOOKS = 5
"""If no wait ends for so many looks, those that count since the last look are slow."""

LIMITS = (
    "CLOSESPIDER_PAGECOUNT",
    "CLOSESPIDER_PAGECOUNT_NO_ITEM",
    "CLOSESPIDER_ITEMCOUNT",
)
"""Settings by which a crawl ends after a number of pages or items. Scrapy counts a
robots.txt as a page, so each that is fetched ahead would take the place of one."""

SHARE = 100
"""For each so many of them, the limit may be raised for one request that waits."""

CLOSE_SECONDS = 5.0
"""The longest time that a closing crawl waits for a robots.txt of its own requests."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One request that waits; with *is_raised* the limit is one higher for it."""

    is_raised: bool = False


@dataclass(slots=True, eq=False)
class _OriginWait:
    """The requests that wait for one robots.txt; if *is_slow*, none of them counts.

    *ended_before* is how many waits had ended when this one began. *is_sent* says that the
    downloader has the request for the file; with *is_raised* the limit is one higher for it.
    """

    ended_before: int
    requests: set[Waiting] = field(default_factory=set)
    is_slow: bool = False
    is_sent: bool = False
    is_raised: bool = False


class WaitingRequests:
    """The requests of one crawl that wait for a robots.txt.

    The limit is raised for at most *most* of them, and for fewer in a crawl that ends after
    a number of pages or items; further ones count. *on_closing* is called when the crawl
    begins to close, and again `CLOSE_SECONDS` later.
    """

    def __init__(
        self,
        crawler: Crawler,
        engine: EngineAccess,
        most: int,
        on_closing: Callable[[], None],
    ) -> None:
        self._engine = engine
        limits = filter(None, map(crawler.settings.getint, LIMITS))
        self._most = min([most, *(it // SHARE for it in limits)])
        self._concurrent = crawler.settings.getint("CONCURRENT_REQUESTS") or None
        self._on_closing = on_closing
        # Public: requests that a component awaits, so that they have no way back.
        self.awaited: WeakSet[Request] = WeakSet()
        # All that wait, in order of arrival, and those that a closing crawl finishes.
        self._waiting: dict[Request, None] = {}
        self._finished: frozenset[Request] = frozenset()
        # The waits for a file, and in the order in which they began those that count.
        self._origins: dict[Origin, _OriginWait] = {}
        self._counted: dict[_OriginWait, None] = {}
        # How many have ended, how many looks there were since the last end, and which ones
        # counted at the last look.
        self._ended = self._quiet = 0
        self._seen: tuple[_OriginWait, ...] = ()
        self._raised = 0
        self._is_looking = self._is_closed = False
        crawler.signals.connect(self.close, signals.spider_closed)

    @contextmanager
    def waiting(self, request: Request, origin: Origin) -> Iterator[Waiting]:
        """Wait with *request* for the policy of *origin* while the block runs."""
        self._look()
        waiting, wait = Waiting(), self._origins.get(origin)
        if not self._waiting:
            self._quiet = 0
        if wait is None:
            wait = self._origins[origin] = _OriginWait(self._ended)
            self._counted[wait] = None
        wait.requests.add(waiting)
        self._waiting[request] = None
        if wait.is_slow:
            self._raise(waiting)
        try:
            yield waiting
        finally:
            self._lower(waiting)
            self._waiting.pop(request, None)
            wait.requests.remove(waiting)
            if not wait.requests:
                self._counted.pop(wait, None)
                self._ended += 1
                self._quiet = 0
                self._find_overtaken()
                if wait.is_sent:
                    # Nothing waits for the file: a policy that was used is refreshed.
                    self._stop_counting(wait)
                else:
                    del self._origins[origin]

    def file_sent(self, origin: Origin) -> None:
        """Count the request for the file of *origin* as those that wait for it, if any do."""
        wait = self._origins.get(origin)
        if wait is None:
            wait = self._origins[origin] = _OriginWait(self._ended, is_slow=True)
        wait.is_sent = True
        if wait.is_slow and not wait.is_raised:
            wait.is_raised = self._raise_limit()

    def file_left(self, origin: Origin) -> None:
        """Count the request for the robots.txt of *origin* no more: it has ended."""
        if wait := self._origins.get(origin):
            wait.is_sent = False
            if wait.is_raised:
                wait.is_raised = False
                self._engine.lower_limit()
            if not wait.requests:
                del self._origins[origin]

    def may_go_on(self, waiting: Waiting) -> bool:
        """Return whether a request may go on whose policy has just become known.

        One that counted may. Another one may if there is room.
        """
        if not waiting.is_raised:
            return True
        # The limit is still one higher for it, so it does not count itself.
        has_room = self._engine.has_room()
        if has_room:
            self._lower(waiting)
        return has_room

    def is_finished(self, request: Request) -> bool:
        """Return whether *request* is finished although the crawl closes (R6).

        A component awaits it; or it is one of the first that came, as many as
        `CONCURRENT_REQUESTS`, which Scrapy's own middleware would finish, too.
        """
        return request in self.awaited or request in self._finished

    def is_closing(self) -> bool:
        """Return whether the crawl closes."""
        if self._engine.is_closing():
            self.close()
        return self._is_closed

    def close(self) -> None:
        """Begin to close with the crawl, if that has not happened yet."""
        if not self._is_closed:
            self._is_closed = True
            own = (it for it in self._waiting if it not in self.awaited)
            self._finished = frozenset(islice(own, self._concurrent))
            self._on_closing()
            if self._finished:
                call_later(CLOSE_SECONDS, self._close_finished)

    def _close_finished(self) -> None:
        """Let no request wait any more that has a way back."""
        self._finished = frozenset()
        self._on_closing()

    def _find_overtaken(self) -> None:
        """Stop counting the requests of waits that others have overtaken."""
        most = self._ended - (self._concurrent or 0)
        while (oldest := next(iter(self._counted), None)) and (
            oldest.ended_before <= most
        ):
            self._stop_counting(oldest)

    def _stop_counting(self, wait: _OriginWait) -> None:
        """Stop counting the requests of *wait*, those that will join it, and its file's."""
        if wait.is_slow:
            return
        wait.is_slow = True
        self._counted.pop(wait, None)
        wait.is_raised = wait.is_sent and self._raise_limit()
        for waiting in wait.requests:
            self._raise(waiting)

    def _raise(self, waiting: Waiting) -> None:
        """Stop counting a request."""
        if self._raise_limit():
            waiting.is_raised = True
            self._raised += 1
            # There is room for one more now.
            self._engine.wake()

    def _raise_limit(self) -> bool:
        """Let one more request be in the downloader, unless so many may be already."""
        return self._raised < self._most and self._engine.raise_limit()

    def _lower(self, waiting: Waiting) -> None:
        """Count a request again."""
        if waiting.is_raised:
            waiting.is_raised = False
            self._raised -= 1
            self._engine.lower_limit()

    def _look(self) -> None:
        """Close with the crawl, and look for that again and again from now on."""
        if not (self.is_closing() or self._is_looking):
            self._is_looking = True
            call_later(LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        """Look once more; if no wait has ended for long, those that count are slow."""
        self._is_looking = False
        self._quiet += 1
        if self._quiet >= QUIET_LOOKS:
            for wait in self._seen:
                self._stop_counting(wait)
        self._seen = tuple(self._counted)
        self._look()
