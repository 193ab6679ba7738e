"""Turns of the event loop, on any reactor and without one, on every Scrapy; and of the
threads beside it.
"""

from __future__ import annotations

import asyncio
from sys import getswitchinterval, setswitchinterval
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar, cast

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.threads import deferToThread

try:
    from scrapy.utils.asyncio import call_later as _call_later
except ImportError:  # pragma: no cover - Scrapy before 2.14, always on a reactor
    _call_later = None  # type: ignore[assignment]  # no such function there

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


LARGE = 65_536
"""Bytes of a file that is read beside the event loop, not on it."""


SHORT_TURN = 0.0005
"""Seconds for which a thread may hold the interpreter while another one waits."""


async def beside(work: Callable[[], T]) -> T:
    """Do *work* in another thread; the event loop goes on meanwhile."""
    with _short_turns:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return await maybe_deferred_to_future(deferToThread(work))
        return await asyncio.to_thread(work)


class _ShortTurns:
    """While anybody waits for work in it, threads take short turns.

    The event loop hands the interpreter over with each read and each write, and waits
    for a whole turn of the other thread to get it back: by default 5 ms each time.
    """

    def __init__(self) -> None:
        # Reentrant, for the collector may close a coroutine at any time.
        self._lock = RLock()
        self._working = 0
        self._usual = self._short = 0.0

    def __enter__(self) -> None:
        with self._lock:
            self._working += 1
            if self._working == 1:
                self._usual = getswitchinterval()
                setswitchinterval(min(SHORT_TURN, self._usual))
                self._short = getswitchinterval()

    def __exit__(self, *_raised: object) -> None:
        with self._lock:
            self._working -= 1
            if not self._working and getswitchinterval() == self._short:
                # Else somebody has chosen another one meanwhile.
                setswitchinterval(self._usual)


_short_turns = _ShortTurns()


def later(seconds: float, call: Callable[[], object]) -> None:
    """Call *call* in *seconds*."""
    call_later: Callable[..., object] | None = _call_later
    if call_later is None:  # pragma: no cover - Scrapy before 2.14
        from twisted.internet import reactor  # noqa: PLC0415 - chosen by Scrapy

        call_later = cast("Any", reactor).callLater
    call_later(seconds, call)
