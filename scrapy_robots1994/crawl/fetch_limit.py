"""How many robots.txt fetches run in parallel: a semaphore, sized by the descriptors.

A fetch needs a socket, and so does each page. A process that has few descriptors shares
them between the two. Connections that a handler keeps open between requests are closed
before descriptors run out.
"""

import math
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredSemaphore

from scrapy_robots1994.crawl.scrapy_private import close_idle_connections

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # no such limit there

# Python does not name it: a constant of the C library.
FD_SETSIZE = 1_024
"""Descriptors that `select` can watch."""

SPARE = 32
"""Descriptors left for log files, stores, name look-ups and the like; and more than the
connections that a crawl has to one origin."""

# On Linux it is /proc/self/fd. The standard library cannot count descriptors.
_LISTING = Path("/dev/fd")


def descriptor_limit() -> float:
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


def free_descriptors(limit: float) -> float:
    """Return how many descriptors of *limit* are free."""
    try:
        return limit - len(os.listdir(_LISTING))  # noqa: PTH208 - fastest
    except FileNotFoundError:  # pragma: no cover - macOS and Linux list them
        return math.inf
    except OSError:
        # None is left for the listing itself.
        return 0


class FetchLimit:
    """Lets at most *most* fetches run, in order of arrival.

    *pages* is how many connections pages may need at once; 0 means any number.
    """

    def __init__(self, crawler: Crawler, most: int, pages: int) -> None:
        self._crawler = crawler
        self._descriptors = limit = descriptor_limit()
        # A machine with few descriptors shares them between the two.
        free = max(limit - pages - SPARE, limit / 2) if pages else limit / 2
        self._semaphore = DeferredSemaphore(max(1, int(min(most, free))))
        # How many further requests cannot make descriptors short.
        self._uncounted = 0.0
        # Pages take them, too; with more descriptors, looking at each is dearer than of use.
        if limit < FD_SETSIZE:
            reached = signals.request_reached_downloader
            crawler.signals.connect(self._spare_descriptors, reached)

    @asynccontextmanager
    async def permit(self) -> AsyncIterator[None]:
        """Wait for permission to fetch; it lasts while the block runs."""
        turn = self._semaphore.acquire()
        if not turn.called:
            await maybe_deferred_to_future(turn)
        try:
            self._spare_descriptors()
            yield
        finally:
            self._semaphore.release()

    def _spare_descriptors(self) -> None:
        """Close idle connections if less than `SPARE` descriptors are free.

        They are counted only if they may be: with many, it takes longer than all else.
        """
        if self._uncounted > 0:
            self._uncounted -= 1
            return
        free = free_descriptors(self._descriptors)
        self._uncounted = free / SPARE - 1
        if free < SPARE:
            close_idle_connections(self._crawler)
