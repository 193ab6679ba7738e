"""Two ways to run coroutines step by step: an asyncio loop, and Twisted's Deferreds.

The first resumes a waiter in a later turn of the loop, the second at once, inside
the call that releases it. The resolver must be right with both.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Generic, Protocol, TypeVar

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

TURNS = 12  # more than the longest chain of coroutines resuming each other


class Pending(Protocol[T]):
    """An awaitable that a test completes."""

    @property
    def is_open(self) -> bool:
        """Whether it is not completed yet."""

    def complete(self, value: T) -> None:
        """Complete it with *value*."""

    def fail(self, error: BaseException) -> None:
        """Complete it with *error*."""

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for the value."""


class Running(Protocol[T_co]):
    """A running coroutine."""

    @property
    def is_done(self) -> bool:
        """Whether it finished, in any way."""

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled."""

    def result(self) -> T_co:
        """Return its result, or raise its exception."""

    def cancel(self) -> None:
        """Cancel it."""

    def on_done(self, call: Callable[[], None]) -> None:
        """Call *call* when the coroutine finishes."""


class Driver(ABC):
    """Runs coroutines and makes the awaitables they wait for."""

    @abstractmethod
    def pending(self) -> Pending[Any]:
        """Make an awaitable."""

    @abstractmethod
    def run(self, work: Coroutine[Any, Any, T]) -> Running[T]:
        """Start *work*."""

    @abstractmethod
    def step(self) -> None:
        """Let each coroutine that can take one step do so."""

    def turn(self) -> None:
        """Run every coroutine as far as it can go."""
        for _ in range(TURNS):
            self.step()

    @abstractmethod
    def close(self) -> None:
        """Cancel everything that still runs."""


class _FuturePending(Generic[T]):
    """Pending on an asyncio future."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._future: asyncio.Future[T] = loop.create_future()

    @property
    def is_open(self) -> bool:
        return not self._future.done()

    def complete(self, value: T) -> None:
        self._future.set_result(value)

    def fail(self, error: BaseException) -> None:
        self._future.set_exception(error)
        self._future.exception()  # read once, so that asyncio has nothing to report

    def __await__(self) -> Generator[Any, Any, T]:
        return self._future.__await__()


class _TaskRunning(Generic[T]):
    """A coroutine in an asyncio task."""

    def __init__(self, task: asyncio.Task[T]) -> None:
        self._task = task
        # Reading the error keeps asyncio from reporting it as never retrieved.
        task.add_done_callback(lambda task: task.cancelled() or task.exception())

    @property
    def is_done(self) -> bool:
        return self._task.done()

    @property
    def is_cancelled(self) -> bool:
        return self._task.cancelled()

    def result(self) -> T:
        return self._task.result()

    def cancel(self) -> None:
        self._task.cancel()

    def on_done(self, call: Callable[[], None]) -> None:
        self._task.add_done_callback(lambda _: call())


class AsyncioDriver(Driver):
    """An asyncio loop that runs only while a test says so."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def pending(self) -> Pending[Any]:
        """Make a future."""
        return _FuturePending(self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> Running[T]:
        """Make a task; it takes its first step in the next turn."""
        return _TaskRunning(self._loop.create_task(work))

    def step(self) -> None:
        """Run one iteration of the loop."""
        self._loop.call_soon(self._loop.stop)
        self._loop.run_forever()

    def close(self) -> None:
        """Cancel what still runs, and close the loop."""
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self.turn()
        self._loop.close()


class _DeferredPending(Generic[T]):
    """Pending on a Deferred."""

    def __init__(self) -> None:
        self._deferred: Deferred[T] = Deferred()

    @property
    def is_open(self) -> bool:
        return not self._deferred.called

    def complete(self, value: T) -> None:
        self._deferred.callback(value)

    def fail(self, error: BaseException) -> None:
        failure: Failure = Failure(error)  # type: ignore[no-untyped-call]  # Twisted's
        self._deferred.errback(failure)

    def __await__(self) -> Generator[Any, Any, T]:
        return self._deferred.__await__()


class _DeferredRunning(Generic[T]):
    """A coroutine in a Deferred; its first step is taken at once."""

    def __init__(self, work: Coroutine[Any, Any, T]) -> None:
        self._end: list[T | Failure] = []
        self._calls: list[Callable[[], None]] = []
        self._deferred = Deferred.fromCoroutine(work)
        self._deferred.addBoth(self._finished)

    def _finished(self, end: T | Failure) -> None:
        self._end.append(end)
        for call in self._calls:
            call()

    @property
    def is_done(self) -> bool:
        return bool(self._end)

    @property
    def is_cancelled(self) -> bool:
        end = self._end[0] if self._end else None
        return isinstance(end, Failure) and isinstance(end.value, CancelledError)

    def result(self) -> T:
        (end,) = self._end
        if isinstance(end, Failure):
            assert end.value is not None
            raise end.value
        return end

    def cancel(self) -> None:
        self._deferred.cancel()

    def on_done(self, call: Callable[[], None]) -> None:
        if self.is_done:
            call()
        else:
            self._calls.append(call)


class TwistedDriver(Driver):
    """Deferreds without a reactor: everything happens at once."""

    def pending(self) -> Pending[Any]:
        """Make a Deferred."""
        return _DeferredPending()

    def run(self, work: Coroutine[Any, Any, T]) -> Running[T]:
        """Run *work* as far as it goes."""
        return _DeferredRunning(work)

    def step(self) -> None:
        """Do nothing: a Deferred resumes its callbacks at once."""

    def close(self) -> None:
        """Do nothing: an unreferenced Deferred is garbage."""
