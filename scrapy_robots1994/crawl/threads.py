"""Waits, timers and threads that work with any reactor or without one, in every supported
Scrapy.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from threading import Lock
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, cast

from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred, DeferredLock
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from scrapy_robots1994.errors import FetchAborted

T = TypeVar("T")

INTERRUPTED = "the fetch of robots.txt was interrupted"

INLINE_BYTES = 8_192
"""A larger file is read in a thread. This much takes at most 10 ms on the event loop."""


def _loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run *work* in a thread without blocking the event loop."""
    # The pool of asyncio also exists without a reactor.
    if _loop():
        return await asyncio.to_thread(work)
    return await maybe_deferred_to_future(deferToThread(work))


# Two threads that compute at once are no faster than one, and delay the event loop more.
_computing = Lock()


async def compute(work: Callable[[], T], size: int) -> T:
    """Return the result of *work*, which reads *size* bytes: on the event loop if they are
    few, else in a thread, one at a time.
    """

    def alone() -> T:
        with _computing:
            return work()

    return await run_in_thread(alone) if size > INLINE_BYTES else work()


class Turns:
    """Lets coroutines continue in order of arrival, one in each turn of the event loop."""

    def __init__(self) -> None:
        self._lock = DeferredLock()

    async def take(self) -> None:
        """Wait for a turn in which no other caller continues."""
        # In a callback, because a cancelled coroutine would not release the lock.
        taken = self._lock.acquire().addCallback(
            lambda lock: call_later(0, lock.release)
        )
        if not taken.called:
            await maybe_deferred_to_future(taken)


def thread_safe_call() -> Any:
    """Return a function that schedules a call on the event loop from any thread or signal
    handler.
    """
    if loop := _loop():
        return loop.call_soon_threadsafe
    # Scrapy has installed the reactor by now. An earlier import would install one.
    from twisted.internet import reactor  # noqa: PLC0415 - the import installs a reactor

    return cast("Any", reactor).callFromThread


async def result_of(work: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """Return the result of *work*. Some functions of Scrapy return a Deferred in 2.13 and a
    coroutine later.
    """
    if isinstance(work, Deferred):
        return await maybe_deferred_to_future(work)
    return await work


async def send_signal(crawler: Crawler, signal: object, **arguments: object) -> None:
    """Send *signal* with *arguments*, and wait for its handlers."""
    manager: Any = crawler.signals
    # Scrapy 2.13 has only `send_catch_log_deferred`.
    send = getattr(manager, "send_catch_log_async", None)
    await result_of((send or manager.send_catch_log_deferred)(signal, **arguments))


class NotReturned(Exception):  # noqa: N818 - a state of the work, not a bug
    """Raised if work did not return within its time limit."""


async def result_within(
    work: Coroutine[Any, Any, T] | Deferred[T],
    seconds: float,
    is_paused: Callable[[], bool],
) -> T:
    """Return the result of *work*. After *seconds*, cancel it and raise `NotReturned`; if
    *is_paused* returns True then, allow as much again. Raise `FetchAborted` if the wait
    itself is cancelled.

    Work that ignores its cancellation goes on, but nobody waits for it.
    """
    running: Deferred[T] = deferred_from_coro(work)
    ended: DeferredWaiter[Any] = DeferredWaiter(lambda _: running.cancel())
    # In a list, or an error would be raised where the wait itself is cancelled. Twisted
    # would log an error that nobody takes.
    running.addBoth(lambda result: ended.release([result]))
    timer: Any = None

    def look() -> None:
        nonlocal timer
        if is_paused():
            timer = call_later(seconds, look)
        else:
            ended.release([])

    timer = call_later(seconds, look)
    try:
        results = await ended
    except CancelledError:
        raise FetchAborted(INTERRUPTED) from None
    finally:
        timer.cancel()
    if not results:
        running.cancel()
        raise NotReturned
    (result,) = results
    if isinstance(result, Failure):
        result.raiseException()
    return cast("T", result)


async def future_result(future: Future[T]) -> T:
    """Return the result of *future*, which another thread sets. Cancelling the wait cancels
    *future*.
    """
    done: DeferredWaiter[T] = DeferredWaiter(lambda _: future.cancel())
    call_in_crawl = thread_safe_call()

    def deliver() -> None:
        if not future.cancelled():
            done.release(future.result())

    future.add_done_callback(lambda _: call_in_crawl(deliver))
    return await done


async def sleep(seconds: float) -> None:
    """Return after *seconds*. Cancelling the wait cancels the timer."""
    # Not every crawl has an asyncio event loop.
    woken: DeferredWaiter[None] = DeferredWaiter(lambda _: timer.cancel())
    timer = call_later(seconds, lambda: woken.release(None))
    await woken


def call_later(seconds: float, call: Callable[[], object]) -> Any:
    """Call *call* after *seconds*. The returned timer has `cancel`, which may be called
    even after its end.
    """
    if loop := _loop():
        return loop.call_later(seconds, call)
    # Without asyncio, there is a reactor.
    from twisted.internet import reactor  # noqa: PLC0415 - Scrapy chooses the reactor

    timer = cast("Any", reactor).callLater(seconds, call)
    return SimpleNamespace(cancel=lambda: timer.active() and timer.cancel())


class DeferredWaiter(Generic[T]):
    """A future that works with any reactor or without one. *cancel* is called if the wait
    is cancelled.

    Each waiting request has its own. In the built-in middleware all share one Deferred: the
    first takes its result, and the others get None and pass unchecked.
    """

    __slots__ = ("_result",)

    def __init__(self, cancel: Callable[[Any], Any] | None = None) -> None:
        self._result: Deferred[T] = Deferred(cancel)

    def release(self, resolution: T) -> None:
        """Resume the waiting coroutine with *resolution*. A second call has no effect."""
        if not self._result.called:
            self._result.callback(resolution)

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for `release`."""
        return maybe_deferred_to_future(self._result).__await__()
