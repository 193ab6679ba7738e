"""A clock of the crawling process that a spider can set.

Importing this module replaces `time.time` for modules that are imported later. The crawling process
imports it first, so the package needs no parameter for a clock.
"""

from __future__ import annotations

import time

# Twisted's reactors need the real clock, so Twisted is imported before it is replaced.
import twisted.python.runtime  # noqa: F401


class Clock:
    """Shows the real time until a test stops it."""

    _real = staticmethod(time.time)
    _stopped_at: float | None = None
    always_runs = False

    @classmethod
    def time(cls) -> float:
        return cls._real() if cls._stopped_at is None else cls._stopped_at

    @classmethod
    def set_forward(cls, seconds: float) -> None:
        """Stop the clock, and set it forward, or back if *seconds* is negative."""
        if not cls.always_runs:
            cls._stopped_at = cls.time() + seconds


time.time = Clock.time
