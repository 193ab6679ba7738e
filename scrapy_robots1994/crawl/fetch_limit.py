"""How many robots.txt fetches run in parallel: as many as this machine copes with.

The limit follows TCP's congestion control (RFC 5681): slow start, then additive
increase and multiplicative decrease. The sign of congestion is the delay of a queue, as
in LEDBAT (RFC 6817): here of the thread pools that look names up. A probe, which does
nothing, waits in that queue; while it comes back at once, the limit grows, and when it
takes long, the limit shrinks. So no fetch spends its timeout in a queue of ours, and
hosts that are slow to answer, whose names are known, do not lower the limit.
"""

from __future__ import annotations

import math
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots1994.crawl.threads import call_later, look_up_delay

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # no such limit there

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

START_LIMIT = 16.0
"""Fetches at the start: few enough for ten resolver threads and slow look-ups."""

MIN_LIMIT = 4.0
"""Fetches that may always run: without any there would be no sign of recovery."""

INCREASE = 4.0
"""Fetches added with each quick probe once the slow start has ended."""

SILENT_SECONDS = 2.0
"""After this time a fetch waits for its origin, and no longer delays others."""

QUICK_SECONDS = 0.1
"""A probe that waits less than this finds no queue."""

SLOW_SECONDS = 1.0
"""A probe that waits longer than this finds more look-ups than the pool can do."""

PROBE_SECONDS = 0.05
"""Seconds between two probes while fetches wait: time for look-ups to be queued."""

IDLE_PROBE_SECONDS = 0.5
"""Seconds between two probes while fetches run and none waits."""

FD_SETSIZE = 1_024
"""Descriptors that `select` can watch."""

SPARE = 32
"""Descriptors left for log files, stores, name look-ups and the like."""

_LISTINGS = ("/proc/self/fd", "/dev/fd")
_COUNT_SECONDS = 0.05


class Descriptors:
    """The descriptors that robots.txt fetches may take; the rest is for pages.

    *pages* is how many connections pages may need at once.
    """

    def __init__(self, pages: int) -> None:
        self._limit = _limit()
        # A machine with few descriptors shares them between the two.
        self._reserved = min(pages + SPARE, self._limit / 2)
        self._listing = next(filter(os.path.isdir, _LISTINGS), None)
        self._counted_at = -math.inf
        self._open = 0

    def free(self, fetches: int) -> float:
        """Return how many may be opened, where *fetches* are in flight."""
        if self._limit == math.inf:
            return math.inf
        if self._listing is None:  # pragma: no cover - macOS and Linux list them
            return self._limit - self._reserved - fetches
        if monotonic() - self._counted_at > _COUNT_SECONDS:
            self._counted_at = monotonic()
            try:
                self._open = len(os.listdir(self._listing))  # noqa: PTH208 - fastest
            except OSError:
                # None is left for the listing itself.
                return 0
        return self._limit - self._reserved - self._open


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


@dataclass(slots=True, eq=False)
class Permit:
    """The permission of one fetch to run.

    *since* is when it was given, *sent* when the request reached the downloader.
    """

    admitted: Deferred[None] = field(default_factory=Deferred)
    since: float = 0.0
    sent: float = math.inf

    def mark_sent(self) -> None:
        """Note that the request has reached the downloader, on its way to a look-up."""
        self.sent = min(self.sent, monotonic())


class FetchLimit:
    """Lets fetches run, in order: at most *max_fetches*, and as many as go well."""

    def __init__(self, max_fetches: int, descriptors: Descriptors) -> None:
        self._max = max_fetches
        self._descriptors = descriptors
        self._limit = min(START_LIMIT, max_fetches)
        self._is_slow_start = True
        self._may_grow = True
        # In order of arrival and of admission.
        self._waiting: dict[Permit, None] = {}
        self._running: dict[Permit, None] = {}
        # Those of the running that count towards the limit.
        self._counted: dict[Permit, None] = {}
        self._is_probing = False
        self._probe_sent: float | None = None
        self._slow_at = -SLOW_SECONDS
        self._is_closed = False

    @asynccontextmanager
    async def permit(self) -> AsyncIterator[Permit]:
        """Wait for permission to fetch; it lasts while the block runs."""
        permit = Permit()
        self._waiting[permit] = None
        self._admit()
        try:
            await maybe_deferred_to_future(permit.admitted)
            yield permit
        finally:
            # A cancelled one may still wait, or may have been admitted a moment ago.
            for each in (self._waiting, self._running, self._counted):
                each.pop(permit, None)
            self._admit()

    def close(self) -> None:
        """Let no further fetch run: the crawl closes (R6)."""
        self._is_closed = True

    def shrink(self) -> None:
        """Halve the limit: descriptors run out, or look-ups wait in line."""
        self._is_slow_start = False
        self._limit = max(min(MIN_LIMIT, self._max), self._limit / 2)

    def stop_growing(self) -> None:
        """Shrink, and do not grow before a server answers: the network is silent."""
        self.shrink()
        self._may_grow = False

    def answered(self) -> None:
        """Note that a server answered."""
        self._may_grow = True

    def was_slow_since(self, moment: float) -> bool:
        """Whether look-ups have waited in line since *moment* (monotonic)."""
        return self._slow_at >= moment or self._is_slow()

    def _is_slow(self) -> bool:
        """Whether look-ups wait in line now."""
        sent = self._probe_sent
        return sent is not None and monotonic() - sent > SLOW_SECONDS

    def _admit(self) -> None:
        """Admit as many as may run now."""
        if self._is_closed:
            return
        self._uncount_silent()
        room = self._room() if self._waiting else 0
        while self._waiting and room > 0 and len(self._counted) < self._limit:
            permit = next(iter(self._waiting))
            del self._waiting[permit]
            permit.since = monotonic()
            self._running[permit] = self._counted[permit] = None
            room -= 1
            permit.admitted.callback(None)
        if self._running and not self._is_probing:
            self._is_probing = True
            call_later(PROBE_SECONDS, self._send_probe)

    def _room(self) -> float:
        """Return how many more may run, whether or not all of them count."""
        running = len(self._running)
        # The sockets of those that still count may not be open yet.
        free = self._descriptors.free(running) - len(self._counted)
        return min(self._max - running, max(free, MIN_LIMIT - running))

    def _uncount_silent(self) -> None:
        """Let fetches that wait for their origin no longer delay others.

        While look-ups wait in line, a silent fetch may wait there, too.
        """
        if self.was_slow_since(monotonic() - SLOW_SECONDS):
            return
        oldest = monotonic() - SILENT_SECONDS
        for permit in tuple(self._counted):
            if permit.since > oldest:
                break
            del self._counted[permit]

    def _send_probe(self) -> None:
        """Measure how long work waits in the pool that looks names up."""
        if not self._running:
            self._is_probing = False
            return
        if self._is_premature():
            call_later(PROBE_SECONDS, self._send_probe)
            return
        self._probe_sent = monotonic()
        probe = deferred_from_coro(look_up_delay())
        probe.addCallbacks(self._adjust, lambda _: None)
        probe.addBoth(self._probe_again)

    def _is_premature(self) -> bool:
        """Whether a probe would be ahead of look-ups that are about to be queued.

        A request that stays in another middleware for long is not waited for.
        """
        now = monotonic()
        return any(
            now - permit.sent < PROBE_SECONDS
            if permit.sent < math.inf
            else now - permit.since < SILENT_SECONDS
            for permit in self._counted
        )

    def _adjust(self, delay: float) -> None:
        """Adjust the limit to the *delay* of a probe."""
        if delay > SLOW_SECONDS:
            self._slow_at = monotonic()
            self.shrink()
        elif delay < QUICK_SECONDS and self._may_grow and self._waiting:
            more = self._limit if self._is_slow_start else INCREASE
            self._limit = min(self._limit + more, self._max)

    def _probe_again(self, _: object) -> None:
        """Admit by the new limit; go on probing while fetches run."""
        self._probe_sent = None
        self._admit()
        pause = PROBE_SECONDS if self._waiting else IDLE_PROBE_SECONDS
        call_later(pause, self._send_probe)
