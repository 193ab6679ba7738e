"""A clock that a test sets."""

from __future__ import annotations

from tests.policy.samples import NOW


class FakeClock:
    """Seconds since the epoch as the test says; each reading may take a while."""

    def __init__(self, now: float = NOW, *, tick: float = 0.0) -> None:
        self.now = now
        self._tick = tick

    def __call__(self) -> float:
        """Tell the time, and let *tick* seconds pass."""
        now = self.now
        self.now += self._tick
        return now
