"""A clock that a test sets."""

from __future__ import annotations

from tests.unit.samples import NOW


class FakeClock:
    """Return seconds since the epoch, set by the test, and advance by *tick* on each call."""

    def __init__(self, now: float = NOW, *, tick: float = 0.0) -> None:
        self.now = now
        self._tick = tick

    def __call__(self) -> float:
        """Return the time, and advance it by *tick* seconds."""
        now = self.now
        self.now += self._tick
        return now
