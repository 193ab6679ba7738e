"""Download slots, as the downloader of each Scrapy version has them.

Scrapy documents what the delay and the concurrency of a slot are (`DOWNLOAD_SLOTS`), and
AutoThrottle changes the delay while a crawl runs. There is no public interface to do the
same, so this module has every use of a slot's attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core import downloader as scrapy_downloader

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scrapy import Request
    from scrapy.crawler import Crawler

SLOT_KEY = "download_slot"
"""The meta key in which Scrapy stores the slot of a request."""

# The clock of `Slot.lastseen`: the wall clock before Scrapy 2.16.
_CLOCK = (
    getattr(scrapy_downloader, "monotonic", None) or vars(scrapy_downloader)["time"]
)

# RANDOMIZE_DOWNLOAD_DELAY is half of the delay more or less.
_RANDOMIZED = 0.5


def slots_of(crawler: Crawler) -> dict[str, Any]:
    """Return the slots of the crawl by key; none if its downloader has none."""
    return getattr(crawler.engine.downloader, "slots", {})


def slot_key(request: Request) -> str | None:
    """Return the key of the slot that *request* has reached."""
    return request.meta.get(SLOT_KEY)


class PacedSlot:
    """One slot whose requests leave one at a time, with a pause between them.

    Several origins that share the slot may each need a pause; the longest counts. The
    slot's own delay is never shortened, also if it was raised later, as by AutoThrottle.
    Without a pause the slot is as it was before.
    """

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self.uncounted = 0
        """Its requests that do not count towards `CONCURRENT_REQUESTS`."""
        self.pause = 0.0
        """The seconds between two of its requests at least; 0 for no pause."""
        self._pauses: dict[Hashable, float] = {}
        self._original = slot.delay, slot.concurrency, _jitter(slot)

    def has_pause_for(self, origin: Hashable) -> bool:
        """Return whether *origin* needs a pause."""
        return origin in self._pauses

    def set_pause(self, origin: Hashable, seconds: float | None) -> None:
        """Set the pause that *origin* needs; `None` for no pause."""
        if seconds is None:
            self._pauses.pop(origin, None)
        else:
            self._pauses[origin] = seconds
        delay, concurrency, jitter = self._original
        if self.slot.delay <= self.pause:
            self.slot.delay = delay
        self.slot.concurrency = concurrency
        _set_jitter(self.slot, jitter)
        self.pause = max(self._pauses.values(), default=0.0)
        self.enforce()

    def enforce(self) -> None:
        """Apply the pause, whatever else changed the slot."""
        if not self.pause:
            return
        slot = self.slot
        slot.delay = max(slot.delay, self.pause)
        slot.concurrency = 1
        # No random delay may be shorter than the pause.
        if slot.delay * (1 - _jitter(slot)) < self.pause:
            _set_jitter(slot, 0.0)

    def restart_pause(self) -> None:
        """Count the pause from now on: the server has just answered a request."""
        if self.pause and self.slot.lastseen:
            self.slot.lastseen = _CLOCK()


def _jitter(slot: Any) -> float:
    """Return the part of its delay by which *slot* varies it at random."""
    if hasattr(slot, "jitter"):
        return float(slot.jitter)
    # Scrapy before 2.18
    return _RANDOMIZED if slot.randomize_delay else 0.0  # pragma: no cover - as above


def _set_jitter(slot: Any, jitter: float) -> None:
    """Set the jitter of *slot*."""
    if hasattr(slot, "jitter"):
        slot.jitter = jitter
    else:  # pragma: no cover - Scrapy before 2.18
        slot.randomize_delay = bool(jitter)
