"""Two ways to run coroutines step by step: an asyncio loop, and Twisted's Deferreds.

The first resumes a waiter in a later turn of the loop, the second at once, inside
the call that releases it. The resolver must be right with both.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Generator
from typing import Any, TypeAlias

from twisted.internet.defer import CancelledError, Deferred
from twisted.python.failure import Failure

TURNS = 12  # more than the longest chain of coroutines resuming each other


class FuturePending:
    """An asyncio future that a test completes."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._future: asyncio.Future[Any] = loop.create_future()

    @property
    def is_open(self) -> bool:
        """Whether it is not completed yet."""
        return not self._future.done()

    def complete(self, value: object) -> None:
        """Complete it with *value*."""
        self._future.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Complete it with *error*."""
        self._future.set_exception(error)
        self._future.exception()  # read once, so that asyncio has nothing to report

    def __await__(self) -> Generator[Any, Any, Any]:
        """Wait for the value."""
        return self._future.__await__()


class DeferredPending:
    """The same with a Deferred."""

    def __init__(self) -> None:
        self._deferred: Deferred[Any] = Deferred()

    @property
    def is_open(self) -> bool:
        """Whether it is not completed yet."""
        return not self._deferred.called

    def complete(self, value: object) -> None:
        """Complete it with *value*."""
        self._deferred.callback(value)

    def fail(self, error: BaseException) -> None:
        """Complete it with *error*."""
        failure: Failure = Failure(error)  # type: ignore[no-untyped-call]  # Twisted's
        self._deferred.errback(failure)

    def __await__(self) -> Generator[Any, Any, Any]:
        """Wait for the value."""
        return self._deferred.__await__()


class TaskRunning:
    """A coroutine in an asyncio task."""

    def __init__(self, task: asyncio.Task[Any]) -> None:
        self._task = task
        # Reading the error keeps asyncio from reporting it as never retrieved.
        task.add_done_callback(lambda task: task.cancelled() or task.exception())
        self.cancel: Callable[[], Any] = task.cancel
        self.result = task.result

    @property
    def is_done(self) -> bool:
        """Whether it finished, in any way."""
        return self._task.done()

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self._task.cancelled()

    def on_done(self, call: Callable[[], None]) -> None:
        """Call *call* when the coroutine finishes."""
        self._task.add_done_callback(lambda _: call())


class DeferredRunning:
    """A coroutine in a Deferred; its first step is taken at once."""

    def __init__(self, work: Coroutine[Any, Any, Any]) -> None:
        self._end: list[Any] = []
        self._calls: list[Callable[[], None]] = []
        self._deferred = Deferred.fromCoroutine(work)
        self._deferred.addBoth(self._finished)
        self.cancel: Callable[[], Any] = self._deferred.cancel

    def _finished(self, end: Any) -> None:
        self._end.append(end)
        for call in self._calls:
            call()

    @property
    def is_done(self) -> bool:
        """Whether it finished, in any way."""
        return bool(self._end)

    @property
    def is_cancelled(self) -> bool:
        """Whether it was cancelled."""
        end = self._end[0] if self._end else None
        return isinstance(end, Failure) and isinstance(end.value, CancelledError)

    def result(self) -> Any:
        """Return its result, or raise its exception."""
        (end,) = self._end
        if isinstance(end, Failure):
            assert end.value is not None
            raise end.value
        return end

    def on_done(self, call: Callable[[], None]) -> None:
        """Call *call* when the coroutine finishes."""
        if self.is_done:
            call()
        else:
            self._calls.append(call)


Pending: TypeAlias = FuturePending | DeferredPending
Running: TypeAlias = TaskRunning | DeferredRunning


class Driver(ABC):
    """Runs coroutines and makes the awaitables they wait for."""

    @abstractmethod
    def pending(self) -> Pending:
        """Make an awaitable that a test completes."""

    @abstractmethod
    def run(self, work: Coroutine[Any, Any, Any]) -> Running:
        """Start *work*."""

    def step(self) -> None:  # noqa: B027 - a Deferred resumes its callbacks at once
        """Let each coroutine that can take one step do so."""

    def turn(self) -> None:
        """Run every coroutine as far as it can go."""
        for _ in range(TURNS):
            self.step()

    def close(self) -> None:  # noqa: B027 - an unreferenced Deferred is garbage
        """Cancel everything that still runs."""


class AsyncioDriver(Driver):
    """An asyncio loop that runs only while a test says so."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def pending(self) -> Pending:
        """Make a future."""
        return FuturePending(self._loop)

    def run(self, work: Coroutine[Any, Any, Any]) -> Running:
        """Make a task; it takes its first step in the next turn."""
        return TaskRunning(self._loop.create_task(work))

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


class TwistedDriver(Driver):
    """Deferreds without a reactor: everything happens at once."""

    def pending(self) -> Pending:
        """Make a Deferred."""
        return DeferredPending()

    def run(self, work: Coroutine[Any, Any, Any]) -> Running:
        """Run *work* as far as it goes."""
        return DeferredRunning(work)
