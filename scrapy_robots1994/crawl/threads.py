"""Time and threads on any reactor and without one, on every Scrapy."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar, cast

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

try:
    from scrapy.utils.asyncio import call_later as _call_later
except ImportError:  # pragma: no cover - Scrapy before 2.14, always on a reactor
    _call_later = None  # type: ignore[assignment]  # no such function there

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


INLINE_PARSE_BYTES = 65_536
"""Bytes of a file that is read on the event loop; a larger one is read in a thread."""


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run *work* in a thread without blocking the event loop.

    The pool is the one that name look-ups use: the reactor's, or asyncio's default.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return await maybe_deferred_to_future(deferToThread(work))
    return await asyncio.to_thread(work)


async def sleep(seconds: float) -> None:
    """Return after *seconds*; cancelling the wait cancels the timer."""
    woken: Deferred[None] = Deferred(lambda _: timer.cancel())
    timer = call_later(seconds, lambda: woken.callback(None))
    await maybe_deferred_to_future(woken)


def call_later(seconds: float, call: Callable[[], object]) -> Any:
    """Call *call* in *seconds*; the result has a method `cancel`."""
    later: Callable[..., object] | None = _call_later
    if later is None:  # pragma: no cover - Scrapy before 2.14
        from twisted.internet import reactor  # noqa: PLC0415 - chosen by Scrapy

        later = cast("Any", reactor).callLater
    return later(seconds, call)
