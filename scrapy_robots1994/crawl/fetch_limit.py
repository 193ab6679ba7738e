"""How many robots.txt fetches run in parallel: a semaphore, sized once by the descriptors.

A fetch needs a socket, and so does each page. A process that has few descriptors shares
them between the two.
"""

import math
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import DeferredSemaphore

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # no such limit there

# Python does not name it: a constant of the C library.
FD_SETSIZE = 1_024
"""Descriptors that `select` can watch."""

SPARE = 32
"""Descriptors left for log files, stores, name look-ups and the like."""


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


class FetchLimit:
    """Lets at most *most* fetches run, in order of arrival.

    *pages* is how many connections pages may need at once; 0 means any number.
    """

    def __init__(self, most: int, pages: int) -> None:
        limit = descriptor_limit()
        # A machine with few descriptors shares them between the two.
        free = max(limit - pages - SPARE, limit / 2) if pages else limit / 2
        self._semaphore = DeferredSemaphore(max(1, int(min(most, free))))

    @asynccontextmanager
    async def permit(self) -> AsyncIterator[None]:
        """Wait for permission to fetch; it lasts while the block runs."""
        turn = self._semaphore.acquire()
        if not turn.called:
            await maybe_deferred_to_future(turn)
        try:
            yield
        finally:
            self._semaphore.release()
