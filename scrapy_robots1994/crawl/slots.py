"""Download slots, as the downloader of each Scrapy version has them.

Scrapy says in its documentation what a slot's delay and concurrency are
(`DOWNLOAD_SLOTS`), and AutoThrottle changes the delay of one while a crawl runs; there
is no public interface to do the same. So all that we touch of a slot stands here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core import downloader as scrapy_downloader

if TYPE_CHECKING:
    from collections.abc import Hashable

    from scrapy import Request
    from scrapy.crawler import Crawler

SLOT_KEY = "download_slot"
"""The meta key under which Scrapy tells the slot of a request."""

# The clock of `Slot.lastseen`: the wall clock before Scrapy 2.16.
_CLOCK = (
    getattr(scrapy_downloader, "monotonic", None) or vars(scrapy_downloader)["time"]
)

# RANDOMIZE_DOWNLOAD_DELAY is half of the delay more or less.
_RANDOMIZED = 0.5


def slots_of(crawler: Crawler) -> dict[str, Any]:
    """The slots of the crawl by their keys; none where a downloader has no such."""
    return getattr(crawler.engine.downloader, "slots", {})


def slot_key(request: Request) -> str | None:
    """The key of the slot that *request* has reached."""
    return request.meta.get(SLOT_KEY)


class HeldSlot:
    """One slot whose requests are kept apart, one at a time; it knows how it was.

    Several may ask for a pause (origins that share the slot); the longest counts. The
    slot's own delay is never made shorter, and what raised it meanwhile, as
    AutoThrottle does, stays.
    """

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        self.seated = 0
        self._pauses: dict[Hashable, float] = {}
        self._was = slot.delay, slot.concurrency, _jitter(slot)
        self._floor = 0.0

    @property
    def floor(self) -> float:
        """The seconds that its requests are kept apart at least; 0 for no pause."""
        return self._floor

    def is_asked_by(self, asker: Hashable) -> bool:
        """Whether *asker* asks for a pause."""
        return asker in self._pauses

    def ask(self, asker: Hashable, pause: float | None) -> None:
        """Keep requests *pause* seconds apart for *asker*; None takes that back."""
        if pause is None:
            self._pauses.pop(asker, None)
        else:
            self._pauses[asker] = pause
        delay, concurrency, jitter = self._was
        if self.slot.delay <= self._floor:
            self.slot.delay = delay
        self.slot.concurrency = concurrency
        _set_jitter(self.slot, jitter)
        self._floor = max(self._pauses.values(), default=0.0)
        self.keep()

    def keep(self) -> None:
        """See to it that the pause holds, whatever else changed the slot."""
        if not self._floor:
            return
        slot = self.slot
        slot.delay = max(slot.delay, self._floor)
        slot.concurrency = 1
        # A delay that is drawn anew each time must not be drawn too short.
        if slot.delay * (1 - _jitter(slot)) < self._floor:
            _set_jitter(slot, 0.0)

    def begin_pause(self) -> None:
        """Count the pause from now on: the server has just dealt with a request."""
        if self._floor and self.slot.lastseen:
            self.slot.lastseen = _CLOCK()


def _jitter(slot: Any) -> float:
    """The part of its delay by which *slot* draws it longer or shorter."""
    if hasattr(slot, "jitter"):
        return float(slot.jitter)
    # Scrapy before 2.18
    return _RANDOMIZED if slot.randomize_delay else 0.0  # pragma: no cover - as above


def _set_jitter(slot: Any, jitter: float) -> None:
    """Make *jitter* that of *slot*."""
    if hasattr(slot, "jitter"):
        slot.jitter = jitter
    else:  # pragma: no cover - Scrapy before 2.18
        slot.randomize_delay = bool(jitter)
