"""Two ways to run coroutines step by step: an asyncio loop, and Twisted's Deferreds.

An asyncio loop resumes a waiter in a later turn of the loop. A Deferred resumes a waiter
immediately, inside the call that releases the waiter. The resolver must work with asyncio
and with Deferreds.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeAlias

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

# `TURNS` is an upper bound for the length of a chain of coroutines that resume each
# other.
TURNS = 12


class FuturePending(asyncio.Future[Any]):
    """An asyncio future that a test completes."""

    @property
    def is_open(self) -> bool:
        """Whether the future is not completed yet."""
        return not self.done()

    def complete(self, value: object) -> None:
        """Complete the future with *value*."""
        self.set_result(value)

    def fail(self, error: BaseException) -> None:
        """Complete the future with *error*."""
        self.set_exception(error)
        # Read the exception, because asyncio reports an exception that was never read.
        self.exception()


class DeferredPending(Deferred[Any]):
    """A Deferred that a test completes."""

    @property
    def is_open(self) -> bool:
        """Whether the Deferred has not fired yet."""
        return not self.called

    def complete(self, value: object) -> None:
        """Complete the Deferred with *value*."""
        self.callback(value)

    def fail(self, error: BaseException) -> None:
        """Complete the Deferred with *error*."""
        self.errback(Failure(error))  # type: ignore[no-untyped-call]  # Twisted's


Pending: TypeAlias = FuturePending | DeferredPending


@dataclass(slots=True)
class Running:
    """A coroutine that was started. *ended* is called when the coroutine finishes."""

    cancel: Callable[[], Any]
    ended: Callable[[], None]
    is_done: bool = False

    def end(self, _: object) -> None:
        """Record that the coroutine has finished, whatever its result is."""
        self.is_done = True
        self.ended()


class Driver(ABC):
    """Runs coroutines, and makes the awaitables for which the coroutines wait."""

    @abstractmethod
    def pending(self) -> Pending:
        """Make an awaitable that a test completes."""

    @abstractmethod
    def run(
        self, work: Coroutine[Any, Any, Any], ended: Callable[[], None] = lambda: None
    ) -> Running:
        """Start *work*."""

    def step(self) -> None:  # noqa: B027 - a Deferred resumes its callbacks at once
        """Let each coroutine that is ready take one step."""

    def turn(self) -> None:
        """Run every coroutine until the coroutine finishes or has to wait."""
        for _ in range(TURNS):
            self.step()

    def close(self) -> None:  # noqa: B027 - an unreferenced Deferred is garbage
        """Cancel all coroutines that are still running."""


class AsyncioDriver(Driver):
    """An asyncio loop that runs only when the test calls `step` or `turn`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()

    def pending(self) -> Pending:
        """Make a future."""
        return FuturePending(loop=self._loop)

    def run(
        self, work: Coroutine[Any, Any, Any], ended: Callable[[], None] = lambda: None
    ) -> Running:
        """Make a task of *work*. The task takes its first step in the next turn of the
        loop.
        """
        task = self._loop.create_task(work)
        running = Running(task.cancel, ended)
        # Read the exception, because asyncio reports an exception that was never read.
        task.add_done_callback(lambda it: running.end(it.cancelled() or it.exception()))
        return running

    def step(self) -> None:
        """Run one iteration of the loop."""
        self._loop.call_soon(self._loop.stop)
        self._loop.run_forever()

    def close(self) -> None:
        """Cancel the tasks that are still running, and close the loop."""
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self.turn()
        self._loop.close()


class TwistedDriver(Driver):
    """A driver that uses Deferreds without a reactor. Each coroutine runs immediately
    until the coroutine has to wait.
    """

    def pending(self) -> Pending:
        """Make a Deferred."""
        return DeferredPending()

    def run(
        self, work: Coroutine[Any, Any, Any], ended: Callable[[], None] = lambda: None
    ) -> Running:
        """Run *work* until *work* finishes or has to wait."""
        deferred = Deferred.fromCoroutine(work)
        running = Running(deferred.cancel, ended)
        deferred.addBoth(running.end)
        return running
