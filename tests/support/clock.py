"""The clock of a crawling process, which a spider can set.

Importing this module replaces `time.time`, for all modules that are imported later. The
crawling process imports it first, so what it crawls with needs no way in for it.
"""

from __future__ import annotations

import time

# Imported before the clock is replaced: the reactors of Twisted go by the real one.
import twisted.python.runtime  # noqa: F401


class Clock:
    """The seconds by which the clock of this process is ahead of the real one."""

    ahead = 0.0
    real = staticmethod(time.time)

    @classmethod
    def time(cls) -> float:
        """Return the seconds since the epoch, by this clock."""
        return cls.real() + cls.ahead


time.time = Clock.time
