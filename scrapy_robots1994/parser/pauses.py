"""Pauses that a thread makes while the thread reads a large file. During a pause, the event
loop of the crawl can run.
"""

from collections.abc import Iterable, Iterator
from threading import Event, current_thread, main_thread
from typing import TypeVar

T = TypeVar("T")

# Without pauses, Python would switch to the event loop only every 5 ms, and one iteration
# of the event loop needs many switches. A short wait for an event that is never set lets
# other threads run.
_PAUSE_ITEMS, _PAUSE_SECONDS = 64, 0.000_02
_NEVER_SET = Event()


def with_pauses(items: Iterable[T]) -> Iterable[T]:
    """Return an iterable over *items*. Outside the main thread, the iteration pauses
    briefly once per 64 items.
    """
    return items if current_thread() is main_thread() else _paused(items)


def _paused(items: Iterable[T]) -> Iterator[T]:
    """Yield each of *items*, and pause once per `_PAUSE_ITEMS` items."""
    for number, item in enumerate(items, 1):
        if not number % _PAUSE_ITEMS:
            _NEVER_SET.wait(_PAUSE_SECONDS)
        yield item
