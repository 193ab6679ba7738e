"""Turns of the event loop, on any reactor and without one, on every Scrapy."""

from __future__ import annotations

import asyncio
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


async def beside(work: Callable[[], T]) -> T:
    """Do *work* in another thread; the event loop goes on meanwhile."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return await maybe_deferred_to_future(deferToThread(work))
    return await asyncio.to_thread(work)


def later(seconds: float, call: Callable[[], object]) -> None:
    """Call *call* in *seconds*."""
    call_later: Callable[..., object] | None = _call_later
    if call_later is None:  # pragma: no cover - Scrapy before 2.14
        from twisted.internet import reactor  # noqa: PLC0415 - chosen by Scrapy

        call_later = cast("Any", reactor).callLater
    call_later(seconds, call)
