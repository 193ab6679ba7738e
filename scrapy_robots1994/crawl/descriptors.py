"""How many file descriptors this process may still open."""

from __future__ import annotations

import math
import os
import sys
from time import monotonic

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # no such limit there

FD_SETSIZE = 1_024
"""Descriptors that `select` can watch."""

SPARE = 32
"""Descriptors left for log files, stores, name look-ups and the like."""

_LISTINGS = ("/proc/self/fd", "/dev/fd")
_COUNT_SECONDS = 0.05


class Descriptors:
    """The descriptors that robots.txt fetches may take; pages keep theirs.

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
