"""Requests that wait for a robots.txt: when they count, and when the crawl closes.

A request that waits is in the downloader, and counts towards `CONCURRENT_REQUESTS` as
any other, until its robots.txt proves slow: when as many other waits have ended since it
began as requests may be concurrent, or when none has ended for a moment. From then on the
limit is one higher until the wait ends: so slow origins stop no other, and where all are
alike, few requests leave the scheduler for which there is no room yet.

In a crawl that ends after a number of pages or items, robots.txt files fetched ahead
would take the place of pages: few waits raise the limit then (`raise_for_robots`).

When the policy is known, a request that did not count goes on if there is room, and else
back to the scheduler, which owns the order of requests. The middleware sees to that.
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

LOOK_SECONDS = 0.03
"""Between two looks whether the crawl closes, for which Scrapy has no signal, and whether
no wait has ended since the last look."""

CLOSE_SECONDS = 5.0
"""The longest time that a closing crawl waits for a robots.txt of its own requests."""


@dataclass(slots=True, eq=False)
class Waiting:
    """One request that waits; with *is_raised* the limit is one higher for it."""

    request: Request
    is_raised: bool = False


@dataclass(slots=True, eq=False)
class _OriginWait:
    """The requests that wait for one robots.txt; if *is_slow*, none of them counts.

    *ended_before* is how many waits had ended when this one began.
    """

    ended_before: int
    requests: set[Waiting] = field(default_factory=set)
    is_slow: bool = False


class WaitingRequests:
    """The requests of one crawl that wait for a robots.txt.

    The limit is raised for at most *most* of them; further ones count. *on_closing* is
    called when the crawl begins to close, and again `CLOSE_SECONDS` later.
    """

    def __init__(
        self,
        crawler: Crawler,
        engine: EngineAccess,
        most: int,
        on_closing: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._most = most
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
        # How many have ended, how many had at the last look, and which ones counted then.
        self._ended = self._ended_before = 0
        self._seen: tuple[_OriginWait, ...] = ()
        self._raised = 0
        self._is_looking = self._is_closed = False
        crawler.signals.connect(self.close, signals.spider_closed)

    @contextmanager
    def waiting(self, request: Request, origin: Origin) -> Iterator[Waiting]:
        """Wait with *request* for the policy of *origin* while the block runs."""
        self._look()
        waiting, wait = Waiting(request), self._origins.get(origin)
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
                del self._origins[origin]
                self._counted.pop(wait, None)
                self._ended += 1
                self._find_overtaken()

    def may_go_on(self, waiting: Waiting) -> bool:
        """Return whether a request may go on whose policy has just become known.

        One that counted may. For the others there is room or not.
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
        """Stop counting the requests of *wait*, and those that will join it."""
        self._counted.pop(wait, None)
        wait.is_slow = True
        for waiting in wait.requests:
            self._raise(waiting)

    def _raise(self, waiting: Waiting) -> None:
        """Stop counting a request."""
        if self._raised < self._most and self._engine.raise_for_robots():
            waiting.is_raised = True
            self._raised += 1
            # There is room for one more now.
            self._engine.wake()

    def _lower(self, waiting: Waiting) -> None:
        """Count a request again."""
        if waiting.is_raised:
            waiting.is_raised = False
            self._raised -= 1
            self._engine.lower_for_robots()

    def _look(self) -> None:
        """Close with the crawl, and look for that again and again from now on."""
        if not (self.is_closing() or self._is_looking):
            self._is_looking = True
            call_later(LOOK_SECONDS, self._look_again)

    def _look_again(self) -> None:
        """Look once more; if no wait has ended since the last look, all of them are slow."""
        self._is_looking = False
        if self._ended == self._ended_before:
            for wait in self._seen:
                self._stop_counting(wait)
        self._ended_before, self._seen = self._ended, tuple(self._counted)
        self._look()
