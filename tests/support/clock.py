"""The clock of the crawling process, which a spider can set.

Importing this module replaces `time.time`, so import it before any module that keeps a reference to
that function.
"""

from __future__ import annotations

import time

# Imported before the clock is replaced, because Twisted's reactors need the real one.
import twisted.python.runtime  # noqa: F401


class Clock:
    """Shows the real time until it is set."""

    _real = staticmethod(time.time)
    _stopped_at: float | None = None
    always_runs = False

    @classmethod
    def time(cls) -> float:
        return cls._real() if cls._stopped_at is None else cls._stopped_at

    @classmethod
    def stop_at(cls, seconds: float) -> None:
        """Stop the clock at *seconds* since the epoch, unless it `always_runs`."""
        if not cls.always_runs:
            cls._stopped_at = seconds

    @classmethod
    def set_forward(cls, seconds: float) -> None:
        """Set the clock forward by *seconds* and stop it there, unless it `always_runs`."""
        cls.stop_at(cls.time() + seconds)


time.time = Clock.time
