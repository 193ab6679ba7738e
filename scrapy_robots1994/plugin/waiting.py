"""Waiting objects, and the room they are given: waiting costs nobody else."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from scrapy.crawler import Crawler

    from scrapy_robots1994.keeper import Found


class DeferredWaiter:
    """The waiting object of one request, on any reactor and without one.

    One for each who waits: Scrapy's built-in shares one Deferred, whose first reader
    takes the result away, so that all others read `None` and are let through.
    """

    __slots__ = ("_deferred",)

    def __init__(self) -> None:
        self._deferred: Deferred[Found] = Deferred()

    def release(self, found: Found) -> None:
        """Let the one who waits go on with *found*; of no effect a second time."""
        if not self._deferred.called:
            self._deferred.callback(found)

    def __await__(self) -> Generator[Any, Any, Found]:
        """Wait for `release`."""
        return maybe_deferred_to_future(self._deferred).__await__()


class WaitingRoom:
    """Gives back the concurrency that waiting takes.

    A request that waits for robots.txt, and the fetch it waits for, count among the
    downloader's active requests; 16 of them (`CONCURRENT_REQUESTS`) would hold up every
    healthy origin. So the limit is raised by what waits, and lowered again after.
    0 means no limit and stays 0. Past *max_seats* who waits counts as active again, so
    the scheduler holds the rest back and memory stays bounded.
    """

    def __init__(self, crawler: Crawler, max_seats: int) -> None:
        self._crawler = crawler
        self._free = max_seats

    @contextmanager
    def seat(self) -> Iterator[None]:
        """One more waits while the block runs."""
        is_seated = self.take()
        try:
            yield
        finally:
            if is_seated:
                self.give_back()

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

    def _call_next(self) -> None:
        """Let the engine look for a further request now, not at its next heartbeat.

        Scrapy has no public way to say that there is room again.
        """
        slot = getattr(self._crawler.engine, "_slot", None)
        if slot is not None:
            slot.nextcall.schedule()
