"""Run threads, timers and coroutines, with any reactor or none, in every supported version of
Scrapy.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from threading import Lock
from types import SimpleNamespace
from typing import Any, TypeVar, cast

from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred, DeferredLock
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.robotstxt import RobotsTxt

T = TypeVar("T")

INTERRUPTED = "the fetch of robots.txt was interrupted"

INLINE_BYTES = 8_192
"""Larger files are parsed in a thread. Parsing a file of this size takes up to 10 ms."""


def _loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def run_in_thread(work: Callable[[], T]) -> T:
    # asyncio has a thread pool even without a reactor.
    if _loop():
        return await asyncio.to_thread(work)
    return await maybe_deferred_to_future(deferToThread(work))


# Two threads that compute at the same time are no faster than one, and they delay the event loop
# more.
_computing = Lock()


async def prepare(
    robots: RobotsTxt, robot: str | bytes, *, reads_usage: bool = False
) -> None:
    """Call `robots.prepare`. Large files are prepared in a thread, one at a time."""
    work = partial(robots.prepare, robot, reads_usage=reads_usage)

    def alone() -> None:
        with _computing:
            work()

    await run_in_thread(alone) if robots.size > INLINE_BYTES else work()


class Turns:
    """Lets coroutines continue in order of arrival, one in each turn of the event loop, so that the
    decisions of many requests do not block it.
    """

    def __init__(self) -> None:
        self._lock = DeferredLock()

    async def take(self) -> None:
        # Release the lock in a callback, because a cancelled coroutine would not release it.
        taken = self._lock.acquire().addCallback(
            lambda lock: call_later(0, lock.release)
        )
        if not taken.called:
            await maybe_deferred_to_future(taken)


def thread_safe_call() -> Any:
    """Return a function that schedules a call on the event loop, from any thread or from a handler
    of the module `signal`.
    """
    if loop := _loop():
        return loop.call_soon_threadsafe
    # Scrapy has installed its reactor by now.
    from twisted.internet import reactor  # noqa: PLC0415 - the import installs a reactor

    return cast("Any", reactor).callFromThread


async def result_of(work: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """Await *work*, a coroutine or (in Scrapy 2.13) a Deferred."""
    if isinstance(work, Deferred):
        return await maybe_deferred_to_future(work)
    return await work


async def send_signal(crawler: Crawler, signal: object, **arguments: object) -> None:
    """Send *signal* with *arguments*, and wait for its handlers."""
    manager: Any = crawler.signals
    # Scrapy 2.13 has only `send_catch_log_deferred`.
    send = getattr(manager, "send_catch_log_async", None)
    await result_of((send or manager.send_catch_log_deferred)(signal, **arguments))


class NotReturned(Exception):  # noqa: N818 - an expected timeout, not an error
    """A coroutine or Deferred had no result within its time limit."""


PAUSE_SECONDS = 2.5
"""The seconds between two checks of `result_within` whether the work is paused."""


async def result_within(
    work: Coroutine[Any, Any, T] | Deferred[T],
    seconds: float,
    is_paused: Callable[[], bool],
) -> T:
    """Return the result of *work*, or cancel *work* after *seconds* and raise `NotReturned`.

    The time starts again whenever *is_paused* returns True. If the caller is cancelled, raise
    `FetchAborted`. Work that ignores its cancellation continues in the background.
    """
    running: Deferred[T] = deferred_from_coro(work)
    ended: Deferred[list[Any]] = Deferred()
    # The result is wrapped in a list, so that the `await` below does not raise a `CancelledError`
    # of *work*. `addBoth` also keeps Twisted from logging an error.
    running.addBoth(lambda result: release(ended, [result]))
    timer: Any = None
    left = seconds

    def look() -> None:
        nonlocal timer, left
        # The pause may last until the next check, so the time starts again only at that check.
        left = seconds + PAUSE_SECONDS if is_paused() else left - PAUSE_SECONDS
        if left > 0:
            timer = call_later(min(left, PAUSE_SECONDS), look)
        else:
            release(ended, [])

    timer = call_later(min(left, PAUSE_SECONDS), look)
    try:
        results = await maybe_deferred_to_future(ended)
    except CancelledError:
        raise FetchAborted(INTERRUPTED) from None
    finally:
        timer.cancel()
        running.cancel()
    if not results:
        raise NotReturned
    (result,) = results
    if isinstance(result, Failure):
        result.raiseException()
    return cast("T", result)


async def future_result(future: Future[T]) -> T:
    """Await *future*, which another thread completes. It must not raise an exception, because that
    would not be delivered.

    Cancelling the coroutine cancels *future*.
    """
    done: Deferred[T] = Deferred()
    call_in_crawl = thread_safe_call()

    def deliver() -> None:
        if not future.cancelled():
            release(done, future.result())

    future.add_done_callback(lambda _: call_in_crawl(deliver))
    try:
        return await maybe_deferred_to_future(done)
    finally:
        future.cancel()


async def sleep(seconds: float) -> None:
    """Like `asyncio.sleep`, but also works without an asyncio event loop."""
    woken: Deferred[None] = Deferred()
    timer = call_later(seconds, lambda: woken.callback(None))
    try:
        await maybe_deferred_to_future(woken)
    finally:
        timer.cancel()


def call_later(seconds: float, call: Callable[[], object]) -> Any:
    """Call *call* after *seconds*. The returned timer may be cancelled at any time."""
    if loop := _loop():
        return loop.call_later(seconds, call)
    # Without asyncio, there is a reactor.
    from twisted.internet import reactor  # noqa: PLC0415 - Scrapy chooses the reactor

    timer = cast("Any", reactor).callLater(seconds, call)
    return SimpleNamespace(cancel=lambda: timer.active() and timer.cancel())


def release(waiter: Deferred[T], result: T) -> None:
    """Give *result* to *waiter*, unless it has one or was cancelled."""
    if not waiter.called:
        waiter.callback(result)
