"""Waiting objects, and the room they are given: waiting costs nobody else."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scrapy import signals
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots1994.crawl.threads import call_later

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator, Iterator

    from scrapy import Request
    from scrapy.crawler import Crawler

T = TypeVar("T")

META_KEY = "_robots1994_progress"
"""In the meta of every robots.txt request, and of nothing else."""

LOOK_AGAIN = 0.1
"""Seconds between two looks for a place while somebody wants to leave."""


class DeferredWaiter(Generic[T]):
    """The waiting object of one who waits, on any reactor and without one.

    One for each who waits: Scrapy's built-in shares one Deferred, whose first reader
    takes the result away, so that all others read `None` and are let through.
    """

    __slots__ = ("_deferred",)

    def __init__(self) -> None:
        self._deferred: Deferred[T] = Deferred()

    def release(self, found: T) -> None:
        """Let the one who waits go on with *found*; of no effect a second time."""
        if not self._deferred.called:
            self._deferred.callback(found)

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for `release`."""
        return maybe_deferred_to_future(self._deferred).__await__()


class Line:
    """Lets in so many at once; who comes later stands in line, first come first in."""

    def __init__(self, places: int) -> None:
        self._free = places
        self._waiting: dict[DeferredWaiter[None], None] = {}

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place and hold it while the block runs."""
        if self._free:
            self._free -= 1
        else:
            await self._stand()
        try:
            yield
        finally:
            self._pass_on()

    async def _stand(self) -> None:
        """Wait until a place is handed over."""
        waiter: DeferredWaiter[None] = DeferredWaiter()
        self._waiting[waiter] = None
        try:
            await waiter
        except BaseException:
            # Cancelled: either still in line, or with a place that nobody will use.
            if waiter in self._waiting:
                del self._waiting[waiter]
            else:
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Hand a place to the next in line, or keep it free."""
        for waiter in self._waiting:
            del self._waiting[waiter]
            waiter.release(None)
            return
        self._free += 1


@dataclass(slots=True, eq=False)
class Credit:
    """What one in the waiting room sits on; not taken when there was none left."""

    is_taken: bool


class ConcurrencyCredits:
    """Gives back the concurrency that waiting takes, and takes it again in order.

    A request that waits for robots.txt, and the fetch it waits for, count among the
    downloader's active requests; 16 of them (`CONCURRENT_REQUESTS`) would hold up every
    healthy origin. So the limit is raised by what waits, and lowered again after.
    0 means no limit and stays 0. Past *max_seats* who waits counts as active again, so
    the scheduler holds the rest back and memory stays bounded.

    When a robots.txt comes, all who waited for it could go on at once; but no more
    pages than `CONCURRENT_REQUESTS` are to be on their way. So they go out as others
    come back, in turns with what the scheduler holds: neither holds the other up.
    """

    def __init__(self, crawler: Crawler, max_seats: int) -> None:
        self._crawler = crawler
        self._free = max_seats
        self._leaving: dict[DeferredWaiter[None], Credit] = {}
        self._is_our_turn = False
        self._is_watching = False

    @contextmanager
    def seat(self) -> Iterator[Credit]:
        """One more waits while the block runs."""
        seat = Credit(is_taken=self.take())
        try:
            yield seat
        finally:
            self.stand_up(seat)

    def take(self) -> bool:
        """One more waits, until `give_back`; False where it counts as active."""
        downloader = self._crawler.engine.downloader
        # A downloader of the user's own (`DOWNLOADER`) may have no such limit.
        if self._free <= 0 or not getattr(downloader, "total_concurrency", 0):
            return False
        self._free -= 1
        downloader.total_concurrency += 1
        self._call_next()
        return True

    def give_back(self) -> None:
        """One that `take` let wait waits no more."""
        self._free += 1
        self._crawler.engine.downloader.total_concurrency -= 1

    async def way_out(self, seat: Credit) -> None:
        """Wait until one more page may be on its way, and stand up.

        Who has no seat was counted among the active all the time and goes at once.
        """
        if not seat.is_taken:
            return
        if not self._leaving and not self._crawler.engine.downloader.needs_backout():
            self.stand_up(seat)
            return
        waiter: DeferredWaiter[None] = DeferredWaiter()
        self._leaving[waiter] = seat
        self._watch()
        try:
            await waiter
        finally:
            # A cancelled one leaves the line; one that was let out has left it.
            self._leaving.pop(waiter, None)

    def stand_up(self, seat: Credit) -> None:
        """Free *seat*; of no effect a second time."""
        if seat.is_taken:
            seat.is_taken = False
            self.give_back()

    def _watch(self) -> None:
        """Look for places for as long as somebody wants to leave."""
        if self._is_watching:
            return
        self._is_watching = True
        self._crawler.signals.connect(
            self._page_came_back, signals.request_left_downloader
        )
        call_later(LOOK_AGAIN, self._look)

    def _look(self) -> None:
        """Use the places that nobody took.

        Not every request that was let out comes back through the downloader: an HTTP
        cache answers it, another middleware drops it. And on an idle engine nothing
        comes back at all.
        """
        self._fill()
        if self._leaving:
            call_later(LOOK_AGAIN, self._look)
        else:
            self._is_watching = False
            self._crawler.signals.disconnect(
                self._page_came_back, signals.request_left_downloader
            )

    def _page_came_back(self, request: Request) -> None:
        """Give its place to one of us, and the next time leave it to the scheduler."""
        if META_KEY in request.meta:
            return
        self._is_our_turn = not self._is_our_turn
        if self._leaving and (self._is_our_turn or not self._has_others()):
            self._let_out()
            self._fill()

    def _fill(self) -> None:
        """Let as many go on as there are places."""
        while self._leaving and not self._crawler.engine.downloader.needs_backout():
            self._let_out()

    def _let_out(self) -> None:
        """Let the one go on who waited longest."""
        waiter = next(iter(self._leaving))
        self.stand_up(self._leaving.pop(waiter))
        waiter.release(None)

    def _has_others(self) -> bool:
        """Whether the engine has requests of its own for a free place."""
        engine = self._crawler.engine
        slot = getattr(engine, "_slot", None)
        return getattr(engine, "_start", None) is not None or (
            slot is not None and slot.scheduler.has_pending_requests()
        )

    def _call_next(self) -> None:
        """Let the engine look for a further request now, not at its next heartbeat.

        Scrapy has no public way to say that there is room again.
        """
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()
