"""How many robots.txt fetches run in parallel: as many as this machine copes with.

A name is looked up in a thread pool. A fetch whose look-up has to wait in line there
spends its timeout in a queue of ours, so only a window of fetches may be in that line.
A probe, which does nothing, waits in the same line: when it comes back, the look-ups
before it have begun. A quick probe doubles the window and a slow one halves it, as in
TCP's slow start (RFC 5681) with the signal of LEDBAT (RFC 6817), the delay of a queue.
A server that is slow to answer delays no other fetch: once its name is looked up, only
descriptors and the setting limit how many run.
"""

import math
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from time import monotonic

from cachetools.func import ttl_cache
from twisted.internet.defer import maybeDeferred

from scrapy_robots1994.crawl.threads import DeferredWaiter, call_later, look_up_delay

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # no such limit there

START_WINDOW = 16
"""Fetches in line at the start: few enough for ten resolver threads and slow look-ups."""

MIN_WINDOW = 4
"""Fetches that may always be in line: without any there is no sign of recovery."""

MAX_WINDOW = 64
"""Fetches in line at most. With two probes for each of them that is 640 a second, more
than a crawl can use, and few enough that the last look-up begins within a timeout."""

SILENT_SECONDS = 2.0
"""After this time a fetch that another middleware delays is not waited for; also the
time between two probes while the network is silent."""

QUICK_SECONDS = 0.1
"""A probe that waits less than this finds no queue."""

SLOW_SECONDS = 1.0
"""A probe that waits longer than this finds more look-ups than the pool can do."""

PROBE_SECONDS = 0.05
"""Seconds between two probes, and from sending a request to its look-up at most."""

# Python does not name it: a constant of the C library.
FD_SETSIZE = 1_024
"""Descriptors that `select` can watch."""

SPARE = 32
"""Descriptors left for log files, stores, name look-ups and the like."""

# On Linux it is /proc/self/fd. The standard library cannot count descriptors.
_LISTING = Path("/dev/fd")


# Called at the end of each fetch; a thousand descriptors take 0.4 ms to list.
@ttl_cache(maxsize=1, ttl=0.05)
def _count_open() -> int:
    """Return how many descriptors the process has open."""
    return len(os.listdir(_LISTING))  # noqa: PTH208 - fastest


class Descriptors:
    """The descriptors that robots.txt fetches may take; the rest is for pages.

    *pages* is how many connections pages may need at once.
    """

    def __init__(self, pages: int) -> None:
        limit = _limit()
        # A machine with few descriptors shares them between the two.
        self._most = max(limit - pages - SPARE, limit / 2)

    def free(self, fetches: int) -> float:
        """Return how many may be opened, where *fetches* are in flight."""
        try:
            return self._most - _count_open()
        except FileNotFoundError:  # pragma: no cover - macOS and Linux list them
            return self._most - fetches
        except OSError:
            # None is left for the listing itself.
            return 0


def _limit() -> float:
    """Return how many descriptors the process, or its reactor, can have open."""
    limit = math.inf
    if resource is not None:  # pragma: no branch - as above
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = math.inf if soft == resource.RLIM_INFINITY else soft
    # Looked up, not imported: importing it would install one.
    reactor = sys.modules.get("twisted.internet.reactor")
    if type(reactor).__module__ == "twisted.internet.selectreactor":
        limit = min(limit, FD_SETSIZE)
    return limit


class FetchLimit:
    """Lets at most *max_fetches* run, in order of arrival, as fast as names are found."""

    def __init__(self, max_fetches: int, descriptors: Descriptors) -> None:
        self._max = max_fetches
        self._descriptors = descriptors
        self._window = START_WINDOW
        # Each fetch by the future that it waits for, in order of arrival.
        self._waiting: dict[DeferredWaiter[None], None] = {}
        self._running: set[DeferredWaiter[None]] = set()
        # The running ones whose look-up is not known to have begun, with the time at
        # which it must have been queued: a probe that is sent later is behind it.
        self._in_line: dict[DeferredWaiter[None], float] = {}
        self.is_network_up = True
        """Whether a server was heard since all were silent; else fetches start slowly."""
        # The time of the next probe, or of the one whose end is awaited.
        self._probe_at = math.inf
        self._slow_at = -math.inf

    @asynccontextmanager
    async def permit(self) -> AsyncIterator[Callable[[], None]]:
        """Wait for permission to fetch; it lasts while the block runs.

        What the block gets is to be called when the request reaches the downloader, on
        its way to a look-up.
        """
        permit: DeferredWaiter[None] = DeferredWaiter()
        self._waiting[permit] = None
        self._admit()
        try:
            await permit
            yield partial(self._sent, permit)
        finally:
            # A cancelled one may still wait, or may have been admitted a moment ago.
            self._waiting.pop(permit, None)
            self._running.discard(permit)
            self._in_line.pop(permit, None)
            self._admit()

    def _sent(self, permit: DeferredWaiter[None]) -> None:
        """Note that the look-up of a fetch will be queued shortly."""
        if permit in self._in_line:
            queued_at = monotonic() + PROBE_SECONDS
            self._in_line[permit] = min(self._in_line[permit], queued_at)

    def shrink(self) -> None:
        """Halve the window: descriptors run out, or look-ups wait in line."""
        self._window = max(MIN_WINDOW, self._window // 2)

    def was_slow_since(self, moment: float) -> bool:
        """Whether look-ups have waited in line since *moment* (monotonic)."""
        is_slow = monotonic() - self._probe_at > SLOW_SECONDS
        return is_slow or self._slow_at >= moment

    def _admit(self) -> None:
        """Admit as many as may run now; probe while any is in line or waits."""
        # Counted anew each time: one that is admitted may end within this very call.
        while self._waiting and self._room() > 0:
            permit = next(iter(self._waiting))
            del self._waiting[permit]
            self._running.add(permit)
            # Until it is sent; another middleware may delay it for any time.
            self._in_line[permit] = monotonic() + SILENT_SECONDS
            permit.release(None)
        if (self._in_line or self._waiting) and self._probe_at == math.inf:
            pause = PROBE_SECONDS if self.is_network_up else SILENT_SECONDS
            self._probe_at = monotonic() + pause
            call_later(pause, self._probe)

    def _room(self) -> float:
        """Return how many more may run."""
        running, in_line = len(self._running), len(self._in_line)
        # A dead network loses few requests in this way: each waits for its timeout.
        window = self._window if self.is_network_up else MIN_WINDOW
        # The sockets of those in line are not open yet.
        free = self._descriptors.free(running) - in_line
        least = max(free, MIN_WINDOW - running)
        return min(self._max - running, window - in_line, least)

    def _probe(self) -> None:
        """Measure how long work waits in the pool that looks names up."""
        if not (self._in_line or self._waiting):
            # All fetches that needed it have ended.
            self._probe_at = math.inf
            return
        now = monotonic()
        is_ahead = [permit for permit, at in self._in_line.items() if at <= now]
        # It fails where the pool is shut down: the crawl is over then.
        delay = maybeDeferred(look_up_delay).addCallback(self._adjust, is_ahead)
        delay.addBoth(self._go_on)

    def _adjust(self, delay: float, is_ahead: list[DeferredWaiter[None]]) -> None:
        """Adjust the window to the *delay* of a probe."""
        # It has come back after their look-ups began.
        for permit in is_ahead:
            self._in_line.pop(permit, None)
        if delay > SLOW_SECONDS:
            self._slow_at = monotonic()
            self.shrink()
        elif delay < QUICK_SECONDS:
            self._window = min(self._window * 2, MAX_WINDOW)

    def _go_on(self, _: object) -> None:
        """Admit more, which also sends the next probe."""
        self._probe_at = math.inf
        self._admit()
