"""Requests that wait for a robots.txt: how many, in which order they leave, and what
becomes of them when the crawl closes.
"""

from __future__ import annotations

from contextlib import contextmanager
from heapq import heapify, heappop, heappush
from itertools import count
from typing import TYPE_CHECKING

from scrapy import signals

from scrapy_robots1994.crawl.concurrency import META_KEY
from scrapy_robots1994.crawl.places import Places, Waiting
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.errors import FetchAborted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.concurrency import EngineState, UncountedRequests
    from scrapy_robots1994.origin import Origin

RETURNED = "_robots1994_dont_filter"
"""Meta key of a request that went back to the scheduler: its own `dont_filter`."""

LOOK_SECONDS = 0.1
"""Seconds between two looks at the engine while requests wait."""

SOON_SECONDS = 0.005
"""The same right after a request left."""

FOR_US = 8
"""Free places that waiting requests take in a row before the scheduler gets one."""

CLOSING = "the crawl is closing"


class WaitingRequests:
    """The requests of one crawl that wait for a robots.txt.

    At most *places* of them do not count towards `CONCURRENT_REQUESTS`. No origin has
    more than half of these places while a request of another one wants a place.

    Once their policy is known, requests leave in the order of their priority, as other
    pages come back: never more than `CONCURRENT_REQUESTS` are on their way. A request
    of the scheduler that is more urgent than they are goes first.

    *on_closing* is called once, when the crawl begins to close.
    """

    def __init__(
        self,
        crawler: Crawler,
        engine: EngineState,
        uncounted: UncountedRequests,
        places: int,
        on_closing: Callable[[], None],
    ) -> None:
        self._signals = crawler.signals
        self._engine = engine
        self._uncounted = uncounted
        uncounted.on_first = self.watch
        self._places = Places(uncounted, places)
        self._on_closing = on_closing
        self._numbers = count()
        self.leaving: list[Waiting] = []
        """Those whose policy is known, as a heap; while it is empty, no request has to
        let others go first."""
        self._is_looking = self._is_listening = self._is_closed = False
        self._is_filling = False
        self._pause = LOOK_SECONDS
        # Whether a free place was left to the scheduler, and how many go to us first.
        self._is_reserved = False
        self._for_us = 0
        crawler.signals.connect(self._close, signals.spider_closed)

    @contextmanager
    def waiting(self, request: Request, origin: Origin) -> Iterator[Waiting]:
        """Let *request* wait while the block runs."""
        waiting = Waiting(request, origin, next(self._numbers))
        self._places.enter(waiting)
        self.watch()
        try:
            yield waiting
        finally:
            self._forget(waiting)

    async def let_others_first(self, request: Request, origin: Origin) -> None:
        """Let a *request* that did not wait take its turn among those that leave."""
        waiting = Waiting(request, origin, next(self._numbers))
        try:
            await self.turn(waiting)
        finally:
            self._forget(waiting)

    async def turn(self, waiting: Waiting) -> None:
        """Return when *waiting* may leave.

        Raises `FetchAborted` once the crawl closes.
        """
        if self._engine.is_closing():
            raise FetchAborted(CLOSING)
        waiting.is_due = True
        self._places.counting.pop(waiting, None)
        heappush(self.leaving, waiting)
        if waiting.counts:
            self._exchange(waiting)
        elif not self._is_filling:
            # Not before all that wait for the same file are due: the first to be due
            # is the first to have come, not the most urgent.
            self._is_filling = True
            call_later(0, self._fill)
        if waiting.has_left:
            return
        self._listen()
        if await waiting.left:
            raise FetchAborted(CLOSING)

    def watch(self) -> None:
        """Look at the engine, a few times a second, while a request is uncounted."""
        if not self._is_looking and not self._is_closed:
            self._is_looking = True
            call_later(self._pause, self._look)

    def _forget(self, waiting: Waiting) -> None:
        """Forget *waiting*, also where it was cancelled."""
        if not waiting.has_left and waiting in self.leaving:
            self.leaving.remove(waiting)
            heapify(self.leaving)
        self._places.leave(waiting)

    def _let_go(self, waiting: Waiting) -> None:
        """Let *waiting*, which is out of the heap, leave: it counts from now on."""
        waiting.has_left = True
        self._places.leave(waiting)
        waiting.left.release(found=False)

    def _exchange(self, waiting: Waiting) -> None:
        """Let the first of all leave for *waiting*, which counts already."""
        self._is_reserved = False
        if self.leaving[0] is waiting or not self._places.hold(waiting):
            # More urgent than the others: the scheduler may have more of its kind.
            self._for_us = 0
            self.leaving.remove(waiting)
            heapify(self.leaving)
            self._let_go(waiting)
        else:
            self._let_go(heappop(self.leaving))

    def _fill(self) -> None:
        """Let as many leave as there are places on their way."""
        self._is_filling = False
        while self.leaving and (self._engine.has_room() or self._can_exchange()):
            self._let_go(heappop(self.leaving))

    def _can_exchange(self) -> bool:
        """Return whether one could leave for one that waits and counts."""
        counting = next(iter(self._places.counting), None)
        return counting is not None and self._engine.has_room_without(counting.request)

    def _listen(self) -> None:
        """Listen to pages that come back for as long as requests leave."""
        if not self._is_listening:
            self._is_listening = True
            connect = self._signals.connect
            connect(self._page_left, signals.request_left_downloader)
            connect(self._page_received, signals.response_received)

    def _page_left(self, request: Request) -> None:
        """Use the place of a page that is about to leave the downloader."""
        if META_KEY in request.meta or not self.leaving:
            return
        if self._engine.has_room_without(request):
            self._use_room()

    def _page_received(self) -> None:
        """Use the place of a page that never was in the downloader, as of a cache."""
        if self.leaving and self._engine.has_room():
            self._use_room()

    def _use_room(self) -> None:
        """Let the first leave, or leave the place to what the scheduler has.

        The scheduler may have requests that are more urgent. It gets one place in some,
        and more for as long as it has such.
        """
        if self._is_reserved:
            return
        if self._for_us > 0 or not self._engine.has_others():
            self._for_us -= 1
            self._let_go(heappop(self.leaving))
        else:
            self._is_reserved = True
            self._for_us = FOR_US

    def _look(self) -> None:
        """Notice that the crawl closes, and use room that no signal announced.

        A request that another middleware drops leaves without a signal, and so does the
        place that the scheduler did not use.
        """
        if self._engine.is_closing():
            self._close()
            return
        before, self._is_reserved = len(self.leaving), False
        self._fill()
        is_moving = len(self.leaving) < before
        self._pause = SOON_SECONDS if is_moving else min(self._pause * 2, LOOK_SECONDS)
        if not self.leaving:
            self._stop_listening()
        self._is_looking = bool(self._places or len(self._uncounted))
        if self._is_looking:
            call_later(self._pause, self._look)

    def _stop_listening(self) -> None:
        """Listen no more; not while a signal is being sent."""
        if self._is_listening:
            self._is_listening = False
            disconnect = self._signals.disconnect
            disconnect(self._page_left, signals.request_left_downloader)
            disconnect(self._page_received, signals.response_received)

    def _close(self) -> None:
        """Let nothing wait any more: the crawl closes."""
        if self._is_closed:
            return
        self._is_closed = True
        leaving, self.leaving[:] = list(self.leaving), []
        for waiting in leaving:
            waiting.left.release(found=True)
        self._on_closing()
