"""Waits, timers and threads that work with any reactor or without a reactor, in every
supported version of Scrapy.
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future
from functools import partial
from threading import Lock
from time import monotonic
from types import SimpleNamespace
from typing import Any, Generic, TypeVar, cast

from scrapy.crawler import Crawler
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredLock, gatherResults
from twisted.internet.threads import deferToThread
from twisted.python.failure import Failure

from scrapy_robots1994.policy.fetch_result import (
    HttpAnswer,
    ReadAnswer,
    codings_of,
    read_answer,
)
from scrapy_robots1994.policy.outcomes import outcome_of

T = TypeVar("T")


SLOW_SECONDS = 1.0
"""Time limit, in seconds, for a short piece of work in a thread pool. If the work takes
longer, it probably waits in the queue of the pool.
"""

INLINE_BYTES = 8_192
"""Maximum size, in bytes, of a body or file that is processed on the event loop.
Processing a body or file of this size takes at most 10 ms. A larger body or file is
processed in a thread.
"""

LOOK_SECONDS = 1.0
"""The interval, in seconds, at which `result_within` checks whether the work is paused."""

# `_FRAMEWORKS` contains the packages whose coroutines do not belong to a component. The
# chain of awaited coroutines may lead from our coroutine through these packages to the
# coroutine of a component.
_FRAMEWORKS = frozenset(("scrapy", "twisted", "asyncio", "scrapy_robots1994"))


def _loop() -> asyncio.AbstractEventLoop | None:
    """Return the asyncio event loop that runs the crawl, or `None` without asyncio."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


async def run_in_thread(work: Callable[[], T]) -> T:
    """Run *work* in a thread without blocking the event loop."""
    # Prefer the thread pool of asyncio, because it also exists without a reactor.
    if _loop():
        return await asyncio.to_thread(work)
    return await maybe_deferred_to_future(deferToThread(work))


# Each thread acquires `_computing` before it computes. Two threads that compute at once
# are not faster than one thread, and delay the event loop more.
_computing = Lock()


async def compute_in_thread(work: Callable[[], T]) -> T:
    """Run the CPU-bound function *work* in a thread. Only one thread computes at a time."""

    def alone() -> T:
        with _computing:
            return work()

    return await run_in_thread(alone)


async def compute(work: Callable[[], T], size: int) -> T:
    """Return the result of *work*, which reads *size* bytes. If *size* is large, run *work*
    in a thread, so that other requests do not wait.
    """
    return await compute_in_thread(work) if size > INLINE_BYTES else work()


class Turns:
    """Lets coroutines continue in order of arrival, one in each turn of the event loop."""

    def __init__(self) -> None:
        self._lock = DeferredLock()

    async def take(self) -> None:
        """Wait for a turn of the event loop in which no other caller continues."""
        # Release the lock in a callback of the Deferred, because a cancelled coroutine
        # would not release the lock.
        taken = self._lock.acquire().addCallback(
            lambda lock: call_later(0, lock.release)
        )
        if not taken.called:
            await maybe_deferred_to_future(taken)


async def read_in_crawl(answer: HttpAnswer, limit: int, now: float) -> ReadAnswer:
    """Return the meaning of *answer* (`read_answer`). Read *answer* in a thread if reading
    may take a long time.
    """
    work = partial(read_answer, answer, limit, now)
    codings = codings_of(answer.headers)
    # If the outcome does not depend on the body, the body is not unpacked. Unpacking 80
    # bytes of brotli can take 40 ms, because the window may be large. Unpacking a few KB
    # of zstd can take 6 ms.
    is_packed = bool(codings) and outcome_of(answer.status).row.reads_body
    is_slow = len(codings) > 1 or not {"br", "zstd"}.isdisjoint(codings)
    # Read most answers on the event loop, because a thread pool may still be busy with name
    # look-ups.
    if is_packed and (is_slow or len(answer.body) > INLINE_BYTES):
        return await compute_in_thread(work)
    return work()


def thread_safe_call() -> Any:
    """Return a function that schedules a call on the event loop. A thread or a signal
    handler may call the returned function.
    """
    if loop := _loop():
        return loop.call_soon_threadsafe
    # Import the reactor only here, because Scrapy has installed the reactor by now. An
    # earlier import would itself install a reactor.
    from twisted.internet import reactor  # noqa: PLC0415 - the import installs a reactor

    return cast("Any", reactor).callFromThread


async def result_of(work: Coroutine[Any, Any, T] | Deferred[T]) -> T:
    """Return the result of *work*, which is a coroutine or a Deferred. Some functions of
    Scrapy return a Deferred in version 2.13 and a coroutine in later versions.
    """
    if isinstance(work, Deferred):
        return await maybe_deferred_to_future(work)
    return await work


async def send_signal(crawler: Crawler, signal: object, **arguments: object) -> None:
    """Send *signal* with *arguments*, and wait for its handlers."""
    manager: Any = crawler.signals
    # Scrapy 2.13 has only `send_catch_log_deferred`, which returns a Deferred.
    send = getattr(manager, "send_catch_log_async", None)
    send = send or manager.send_catch_log_deferred
    await result_of(send(signal, **arguments))


class NotReturned(Exception):  # noqa: N818 - a state of the work, not a bug
    """Raised if work did not return within its time limit."""


async def result_within(
    work: Coroutine[Any, Any, T] | Deferred[T],
    seconds: float,
    is_paused: Callable[[], bool],
) -> T:
    """Return the result of *work*. After *seconds*, cancel *work* and raise `NotReturned`.

    *seconds* is rounded up to a multiple of `LOOK_SECONDS`. Time during which *is_paused*
    returns `True` does not count. If *work* ignores the cancellation, *work* goes on, but
    the result of *work* is not used.
    """
    running: Deferred[T] = deferred_from_coro(work)
    ended: DeferredWaiter[Any] = DeferredWaiter(lambda _: running.cancel())
    # Let `release` take the result, even if the result is an error, because Twisted logs an
    # unhandled error of a Deferred.
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
    """Return the name of the coroutine in which a component still works on a request.

    *is_wanted* returns whether an object is the request. Return `None` if no coroutine of a
    component works on the request, or if the crawl does not use asyncio.
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
    """Wait for the result of *future*, which another thread sets. Return the result.
    Cancelling the wait cancels *future*.
    """
    done: DeferredWaiter[T] = DeferredWaiter(lambda _: future.cancel())
    call_in_crawl = thread_safe_call()

    def deliver() -> None:
        # If *future* was cancelled, the wait has already ended.
        if not future.cancelled():
            done.release(future.result())

    future.add_done_callback(lambda _: call_in_crawl(deliver))
    return await done


async def is_look_up_slow() -> bool:
    """Return whether work waits longer than `SLOW_SECONDS` in the queue of a thread pool
    that looks up names.

    Twisted's client uses the pool of the reactor, and clients on asyncio use the default
    pool of the event loop. Work that is sent to a pool waits until the pool has done the
    look-ups that are already in its queue.
    """
    started: list[Deferred[Any]] = []
    # Look the reactor up in `sys.modules`, because importing the module would install a
    # reactor.
    if "twisted.internet.reactor" in sys.modules:
        started.append(deferToThread(monotonic))
    # Use Deferreds instead of a coroutine, because asyncio would log an error if the
    # crawl ended while a coroutine ran.
    if loop := _loop():
        started.append(Deferred.fromFuture(loop.run_in_executor(None, monotonic)))
    is_slow: DeferredWaiter[bool] = DeferredWaiter()
    # Ignore errors, because a pool only raises an error if the pool was shut down at the end
    # of the crawl.
    gatherResults(started, consumeErrors=True).addBoth(lambda _: is_slow.release(False))  # noqa: FBT003 - the argument is the result
    timer = call_later(SLOW_SECONDS, lambda: is_slow.release(True))  # noqa: FBT003 - the argument is the result
    try:
        return await is_slow
    finally:
        timer.cancel()


async def sleep(seconds: float) -> None:
    """Return after *seconds*. Cancelling the wait cancels the timer."""
    # Use `call_later` instead of `asyncio.sleep`, because not every crawl has an asyncio
    # event loop.
    woken: DeferredWaiter[None] = DeferredWaiter(lambda _: timer.cancel())
    timer = call_later(seconds, lambda: woken.release(None))
    await woken


def call_later(seconds: float, call: Callable[[], object]) -> Any:
    """Call *call* after *seconds*. Return a timer. The method `cancel` of the timer may be
    called even after the timer has ended.
    """
    if loop := _loop():
        return loop.call_later(seconds, call)
    # Without asyncio, there is a reactor.
    from twisted.internet import reactor  # noqa: PLC0415 - Scrapy chooses the reactor

    timer = cast("Any", reactor).callLater(seconds, call)
    return SimpleNamespace(cancel=lambda: timer.active() and timer.cancel())


class DeferredWaiter(Generic[T]):
    """A future that works with any reactor or without a reactor. *cancel* is called if the
    wait is cancelled.

    Each waiting request has a future of its own, unlike in Scrapy's built-in middleware.
    In the built-in middleware, all requests that wait for a robots.txt share one
    Deferred. The first waiting request takes the result of the shared Deferred. All
    further waiting requests get `None` and pass unchecked.
    """

    __slots__ = ("_result",)

    def __init__(self, cancel: Callable[[Any], Any] | None = None) -> None:
        self._result: Deferred[T] = Deferred(cancel)

    def release(self, resolution: T) -> None:
        """Resume the waiting coroutine with *resolution* as its result. A second call to
        `release` has no effect.
        """
        # Ignore a second result, because a Deferred raises an error for a second result.
        if not self._result.called:
            self._result.callback(resolution)

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for `release`."""
        return maybe_deferred_to_future(self._result).__await__()
