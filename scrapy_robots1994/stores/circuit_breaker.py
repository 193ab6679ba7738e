"""Trouble with a store: said once, then the store is left alone for a while."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING

from scrapy_robots1994.escaping import escape_control_chars

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger("scrapy_robots1994")

PAUSE = 2.0
"""Seconds for which a store that failed is not asked again."""


class CircuitBreaker:
    """Whether one side of a store, reading or writing, may be asked just now.

    While it fails, one question each `PAUSE` seconds finds out whether it still does;
    all others go without an answer and wait for nothing. The log says once that a store
    fails, and once that it answers again.
    """

    def __init__(self, store: str, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._resting_until = -math.inf
        self._said: set[str] = set()
        self._other = self
        self.is_on = False
        """Whether the last answer was a failure."""
        self.failures = 0
        """Failures so far."""

    @classmethod
    def pair(
        cls, store: str, clock: Callable[[], float]
    ) -> tuple[CircuitBreaker, CircuitBreaker]:
        """Reading and writing: apart, as files may be read-only; told of as one."""
        reading, writing = cls(store, clock), cls(store, clock)
        reading._other, writing._other = writing, reading
        writing._said = reading._said
        return reading, writing

    def may_ask(self) -> bool:
        """Whether to ask the store now; while it fails, `True` for one at a time."""
        now = self._clock()
        if now < self._resting_until:
            return False
        if self.is_on:
            self._resting_until = now + PAUSE
        return True

    def failed(self, error: BaseException) -> None:
        """The store failed with *error*."""
        self.failures += 1
        self._resting_until = self._clock() + PAUSE
        is_news = not self.is_on and not self._other.is_on
        self.is_on = True
        if is_news:
            text = said(error)
            # What fails now and then in the same way is a warning the first time.
            logger.log(
                logging.INFO if text in self._said else logging.WARNING,
                "ROBOTS1994_STORE %s failed: %s. The crawl goes on with what this "
                "process knows, and fetches what it does not.",
                self._store,
                escape_control_chars(text, 500),
            )
            self._said.add(text)

    def succeeded(self) -> None:
        """The store answered."""
        if self.is_on:
            self.is_on = False
            self._resting_until = -math.inf
            if not self._other.is_on:
                logger.info("ROBOTS1994_STORE %s answers again.", self._store)


def said(error: BaseException) -> str:
    """What *error* says, on one line; its class where it says nothing, or cannot."""
    try:
        text = " ".join(str(error).split()).rstrip(".")
    except Exception:  # noqa: BLE001 - a store's own error may be anything
        text = ""
    return text or type(error).__name__
