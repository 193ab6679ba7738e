"""Waiting, time and threads, on any reactor or without one, with every Scrapy version."""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from functools import partial
from threading import Lock
from time import monotonic
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, cast

from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredLock, gatherResults
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from scrapy_robots1994.policy.http_answer import (
    HttpAnswer,
    ReadAnswer,
    is_quick,
    read_answer,
)

T = TypeVar("T")


SLOW_SECONDS = 1.0
"""Seconds after which work for a thread pool is taken to be waiting in the queue of the
pool.
"""

INLINE_BYTES = 8_192
"""Bytes of a body or file that is unpacked, read or examined on the event loop, which takes 10 ms
at most; a larger one takes a thread."""

LOOK_SECONDS = 1.0
"""Seconds between two checks whether work with a time limit is paused."""

# Packages whose coroutines may be between our coroutine and the one of a component.
_FRAMEWORKS = frozenset(("scrapy", "twisted", "asyncio", "scrapy_robots1994"))


def _loop() -> asyncio.AbstractEventLoop | None:
    """Return the asyncio event loop that runs the crawl, if one does."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run *work* in a thread without blocking the event loop."""
    # Asyncio has its own thread pool, which exists without a reactor, too.
    if _loop():
        return await asyncio.to_thread(work)
    return await maybe_deferred_to_future(deferToThread(work))


# Held while a thread computes. Two threads that compute take as long as one after the other,
# and the event loop would wait for both before each of its steps.
_computing = Lock()


async def compute_in_thread(work: Callable[[], T]) -> T:
    """Run *work*, which computes and waits for nothing, as `run_in_thread` does."""

    def alone() -> T:
        with _computing:
            return work()

    return await run_in_thread(alone)


class Turns:
    """Lets one coroutine go on in each turn of the event loop, in the order of arrival."""

    def __init__(self) -> None:
        self._lock = DeferredLock()

    async def take(self) -> None:
        """Wait until no other coroutine has gone on in this turn."""
        # Release in the callback, because the coroutine may be cancelled at the same time.
        taken = self._lock.acquire().addCallback(
            lambda lock: call_later(0, lock.release)
        )
        if not taken.called:
            await maybe_deferred_to_future(taken)


async def read_in_crawl(answer: HttpAnswer, limit: int, now: float) -> ReadAnswer:
    """Return what *answer* says (`read_answer`), unpacked in a thread if that takes long."""
    # Work for a thread may have to wait behind name look-ups, so most answers are read
    # here.
    work = partial(read_answer, answer, limit, now)
    return work() if is_quick(answer, INLINE_BYTES) else await compute_in_thread(work)


def thread_safe_call() -> Any:
    """Return a function that runs a call on the event loop, from a thread or a signal
    handler.
    """
    if loop := _loop():
        return loop.call_soon_threadsafe
    # Scrapy has installed the reactor by now; importing it earlier would install one.
    from twisted.internet import reactor  # noqa: PLC0415 - not before the crawl

    return cast("Any", reactor).callFromThread


async def result_of(work: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """Return the result of *work*: Scrapy 2.13 has Deferreds where later ones have coroutines."""
    if isinstance(work, Deferred):
        return await maybe_deferred_to_future(work)
    return await work


class NotReturned(Exception):  # noqa: N818 - a state of the work, not a bug
    """Work did not return within its time."""


async def result_within(
    work: Coroutine[Any, Any, T] | Deferred[T],
    seconds: float,
    is_paused: Callable[[], bool],
) -> T:
    """Return the result of *work*; cancel it and raise `NotReturned` after *seconds*.

    Time during which *is_paused* returns `True` does not count. Work that ignores its
    cancellation goes on, but its result is not used.
    """
    running: Deferred[T] = deferred_from_coro(work)
    ended: DeferredWaiter[Any] = DeferredWaiter(lambda _: running.cancel())
    # Let `release` take the result: Twisted logs an unhandled error otherwise.
    running.addBoth(ended.release)
    left = seconds
    timer: Any = None

    def look() -> None:
        nonlocal left, timer
        left -= 0 if is_paused() else LOOK_SECONDS
        if left > 0:
            timer = call_later(LOOK_SECONDS, look)
        else:
            ended.release(NotReturned())

    timer = call_later(LOOK_SECONDS, look)
    try:
        result = await ended
    finally:
        timer.cancel()
    if isinstance(result, NotReturned):
        running.cancel()
        raise result
    if isinstance(result, Failure):
        result.raiseException()
    return cast("T", result)


def awaited_component(is_wanted: Callable[[object], bool]) -> str | None:
    """Return the name of a component's coroutine that works on a request and has not returned.

    *is_wanted* says whether a request is the one in question. Return `None` if there is
    no such coroutine, or without asyncio.
    """
    for task in asyncio.all_tasks() if _loop() else ():
        work: Any = task.get_coro()
        is_found = False
        while frame := getattr(work, "cr_frame", None):
            is_found = is_found or is_wanted(frame.f_locals.get("request"))
            module = str(frame.f_globals.get("__name__"))
            if is_found and module.partition(".")[0] not in _FRAMEWORKS:
                return f"{module}.{work.__qualname__}"
            work = work.cr_await
    return None


async def future_result(future: Future[T]) -> T:
    """Wait for a future of another thread; cancelling the wait cancels *future*."""
    done: DeferredWaiter[T] = DeferredWaiter(lambda _: future.cancel())
    call_in_crawl = thread_safe_call()

    def deliver() -> None:
        # If the wait was cancelled, it has already ended.
        if not future.cancelled():
            done.release(future.result())

    future.add_done_callback(lambda _: call_in_crawl(deliver))
    return await done


async def is_look_up_slow() -> bool:
    """Return whether work waits longer than `SLOW_SECONDS` in a thread pool that looks up
    names.

    Twisted's client uses the pool of the reactor, clients on asyncio its default pool.
    Work that is sent to these pools now waits behind the look-ups of other fetches.
    """
    started: list[Deferred[Any]] = []
    # Look the reactor up in `sys.modules`: importing it would install one.
    if "twisted.internet.reactor" in sys.modules:
        started.append(deferToThread(monotonic))
    # Do not use a coroutine: asyncio logs an error for each one that the end of the crawl
    # interrupts.
    if loop := _loop():
        started.append(Deferred.fromFuture(loop.run_in_executor(None, monotonic)))
    is_slow: DeferredWaiter[bool] = DeferredWaiter()
    # Ignore errors: a pool that is shut down means that the crawl is over.
    gatherResults(started, consumeErrors=True).addBoth(lambda _: is_slow.release(False))  # noqa: FBT003 - the result
    timer = call_later(SLOW_SECONDS, lambda: is_slow.release(True))  # noqa: FBT003 - the result
    try:
        return await is_slow
    finally:
        timer.cancel()


async def sleep(seconds: float) -> None:
    """Return after *seconds*; cancelling the wait cancels the timer."""
    # Do not use `asyncio.sleep`: other reactors have no asyncio event loop.
    woken: DeferredWaiter[None] = DeferredWaiter(lambda _: timer.cancel())
    timer = call_later(seconds, lambda: woken.release(None))
    await woken


def call_later(seconds: float, call: Callable[[], object]) -> Any:
    """Call *call* in *seconds*; return an object whose method `cancel` may also be called
    later.
    """
    if loop := _loop():
        return loop.call_later(seconds, call)
    # Without asyncio there is a reactor.
    from twisted.internet import reactor  # noqa: PLC0415 - chosen by Scrapy

    timer = cast("Any", reactor).callLater(seconds, call)
    return SimpleNamespace(cancel=lambda: timer.active() and timer.cancel())


class DeferredWaiter(Generic[T]):
    """A future on any reactor or without one; *cancel* is called if the wait is
    cancelled.

    Each waiting request has its own future. Scrapy's built-in shares one Deferred: the
    first request takes its result, and all others get `None` and are let through.
    """

    __slots__ = ("_result",)

    def __init__(self, cancel: Callable[[Any], Any] | None = None) -> None:
        self._result: Deferred[T] = Deferred(cancel)

    def release(self, resolution: T) -> None:
        """Resume the coroutine that waits with *resolution*; a second call has no effect."""
        # A Deferred raises an error for a second result.
        if not self._result.called:
            self._result.callback(resolution)

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for `release`."""
        return maybe_deferred_to_future(self._result).__await__()
