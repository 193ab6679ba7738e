"""A clock of the crawling process that a spider can set.

The import of this module replaces `time.time` for all modules that are imported later. The
crawling process imports this module first. Therefore, our package needs no parameter for a
clock.
"""

from __future__ import annotations

import time

# Import Twisted before the clock is replaced, because Twisted's reactors need the real clock.
import twisted.python.runtime  # noqa: F401


class Clock:
    """The clock of the crawling process. The clock shows the real time until a test stops
    the clock.
    """

    _real = staticmethod(time.time)
    _stopped_at: float | None = None

    @classmethod
    def time(cls) -> float:
        """Return the seconds since the epoch according to this clock."""
        return cls._real() if cls._stopped_at is None else cls._stopped_at

    @classmethod
    def set_forward(cls, seconds: float) -> None:
        """Stop the clock, and set it forward, or back if *seconds* is negative.

        A stopped clock shows a time that does not depend on the speed of the machine.
        """
        cls._stopped_at = cls.time() + seconds


time.time = Clock.time
