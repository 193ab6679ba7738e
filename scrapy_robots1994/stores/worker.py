"""The thread in which one instance of a store lives, and the guard before each call."""

import logging
import os
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from inspect import iscoroutine
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Final, Literal, TypeAlias, TypeVar

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.policy.fetch_result import is_shortage
from scrapy_robots1994.stores.base import PolicyStore
from scrapy_robots1994.stores.url import StoreUrl

logger = logging.getLogger("scrapy_robots1994")

Side: TypeAlias = Literal["read", "write", "lease", "events", "close"]
Types: TypeAlias = "type | tuple[type, ...]"
T = TypeVar("T")

REST_SECONDS: Final = 2.0
"""Seconds for which a store that failed is not called again."""

MAX_REPORTED: Final = 10
"""Different failures that are warnings; all others are logged at level INFO."""

OWN_LIMIT_SECONDS: Final = 0.1
"""Pause before a call is repeated that met a limit of this process."""


class NoAnswer(Exception):  # noqa: N818 - no fault of the caller
    """The store failed, or its circuit breaker did not let the call through."""


class CircuitBreaker:
    """Lets a store that failed rest for `REST_SECONDS`, and reports it once.

    Reading, writing, leases and their events fail separately: a file that is read-only
    is still read, and a server that runs no scripts is still written to.
    """

    def __init__(self, url: StoreUrl) -> None:
        self.url = url
        # When to call each side again whose last call failed.
        self._failing: dict[Side, float] = {}
        self._reported: set[str] = set()
        self.failures = 0
        """Calls that failed, without those that met a limit of this process."""

    def may_call(self, side: Side) -> bool:
        """Return whether to call the store now."""
        return time.monotonic() >= self._failing.get(side, 0.0)

    def failed(self, side: Side, error: BaseException) -> None:
        """Let *side* rest after *error*."""
        is_own_limit = _is_own_limit(error)
        self.failures += not is_own_limit
        if not self._failing:
            text = self.url.describe(error)
            # What fails now and then is a warning the first time only. A text may name
            # the origin, so that every one is new.
            is_new = text not in self._reported and len(self._reported) < MAX_REPORTED
            if is_new:
                self._reported.add(text)
            level = logging.WARNING if is_new else logging.INFO
            what = "could not be used for a limit of this process"
            logger.log(
                level,
                "ROBOTS1994_STORE %s %s: %s. The crawl goes on with what this process "
                "knows, and fetches what it does not.",
                self.url,
                what if is_own_limit else "failed",
                text,
            )
        self._failing[side] = time.monotonic() + REST_SECONDS

    def succeeded(self, side: Side) -> None:
        """Note that *side* of the store works."""
        if self._failing.pop(side, None) is not None and not self._failing:
            logger.info("ROBOTS1994_STORE %s answers again.", self.url)


class StoreWorker(Thread):
    """Makes and calls one instance of the store of *breaker* in one daemon thread.

    A daemon: a store that never returns does not keep the process from exiting.
    """

    def __init__(self, breaker: CircuitBreaker) -> None:
        super().__init__(name="robots1994-store", daemon=True)
        self.running: tuple[Side, float] | None = None
        """The running call of the store, and when it began (`time.monotonic`)."""
        self.is_abandoned = False
        """Set by another thread: end after the running call."""
        self.is_closed = False
        """Set in a job: end after it."""
        self.pending: set[Future[Any]] = set()
        """The futures without a result. None may stay so."""
        self._breaker = breaker
        self._store: PolicyStore | None = None
        self._jobs: SimpleQueue[Callable[[], object]] = SimpleQueue()

    def submit(self, function: Callable[..., object], *args: Any) -> None:
        """Call *function* in this thread. Call this from any thread."""
        self._jobs.put(partial(function, *args))

    def request(self, function: Callable[..., object], *args: Any) -> Future[Any]:
        """Submit *function* with a further argument: the future, which is returned."""
        future: Future[Any] = Future()
        self.pending.add(future)
        # Adding and discarding are atomic, in whichever threads.
        future.add_done_callback(self.pending.discard)
        self.submit(function, *args, future)
        return future

    def end_waits(self) -> None:
        """Let no future wait any longer: there is no answer for it."""
        for future in list(self.pending):
            set_result(future, None)

    def tick(self) -> float | None:
        """Called between jobs; return the seconds until the next call, `None` for any."""
        return None

    def run(self) -> None:
        """Run jobs, then close the store and end all waits."""
        while not (self.is_closed or self.is_abandoned):
            self._run_next()
        if self._store is not None:
            with suppress(NoAnswer):
                self._guard("close", self._store.close)
        self.end_waits()

    def _run_next(self) -> None:
        """Run the next job, or none if it is time for a tick."""
        try:
            with suppress(Empty, NoAnswer):
                self._jobs.get(timeout=self.tick())()
        except Exception:
            # A mistake of this package; it must end neither the thread nor leave a wait.
            logger.exception("Could not use the store of ROBOTS1994_STORE")
            self.end_waits()

    def store(self) -> PolicyStore:
        """Return the store, made in this thread, or raise `NoAnswer`."""
        if self._store is None:
            self._store = self._guard("read", self._breaker.url.new_store, PolicyStore)
        return self._store

    def call(
        self, side: Side, name: str, *args: Any, returns: Types = object, **named: Any
    ) -> Any:
        """Return what the method *name* of the store returns, or raise `NoAnswer`.

        Call this in a job. Any class can be a store: what is not of *returns* is a
        failure.
        """
        method = getattr(self.store(), name)
        return self._guard(side, partial(method, *args, **named), returns)

    def _guard(
        self, side: Side, function: Callable[[], Any], returns: Types = object
    ) -> Any:
        """Call *function*, and raise `NoAnswer` whatever else it raises."""
        # Once abandoned, an instance is only closed: another thread uses its own.
        is_over = self.is_abandoned or not self._breaker.may_call(side)
        if is_over and side != "close":
            raise NoAnswer
        self.running = side, time.monotonic()
        try:
            result = _repeat(function, time.monotonic() + self._breaker.url.timeout / 2)
            _check(result, returns)
        except BaseException as error:  # a store may raise SystemExit, too
            # The crawl's thread reported the call when it gave it up.
            if not self.is_abandoned:
                self._breaker.failed(side, error)
            raise NoAnswer from error
        finally:
            self.running = None
        if self.is_abandoned:
            raise NoAnswer
        self._breaker.succeeded(side)
        return result


def _repeat(function: Callable[[], Any], give_up: float) -> Any:
    """Call *function* again while it meets a limit of this process."""
    while True:
        try:
            return function()
        except Exception as error:
            if not _is_own_limit(error) or time.monotonic() > give_up:
                raise
        # A page may give its descriptor back at any moment.
        time.sleep(OWN_LIMIT_SECONDS)


def set_result(future: Future[T], result: T) -> None:
    """Set the result of *future*, unless it was cancelled or abandoned meanwhile."""
    with suppress(InvalidStateError):
        future.set_result(result)


def _check(result: object, types: Types) -> None:
    """Raise `StoreError` for what a method of a store must not return."""
    if iscoroutine(result):
        # Else Python warns of a coroutine that was never awaited.
        result.close()
        raise StoreError("its methods must be plain functions, not coroutines")
    if not isinstance(result, types):
        raise StoreError(f"a method returned an object of {type(result).__name__}")


def _is_own_limit(error: BaseException) -> bool:
    """Return whether a call failed because this process has no descriptor or port left.

    A store may hide the reason: SQLite says "unable to open database file".
    """
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as reason:
        return is_shortage(reason)
    return is_shortage(error)
