"""The thread in which one instance of a store lives, and the guard before each call."""

from __future__ import annotations

import errno
import logging
import math
import os
import time
from contextlib import suppress
from functools import partial
from inspect import iscoroutine
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_robots1994.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_robots1994.stores.base import PolicyStore
    from scrapy_robots1994.stores.url import StoreUrl

logger = logging.getLogger("scrapy_robots1994")

T = TypeVar("T")

REST_SECONDS: Final = 2.0
"""Seconds for which a store that failed is not called again."""

MAX_JOBS: Final = 1_000
"""Jobs processed at once; the rest comes after the next tick."""

OWN_LIMIT_SECONDS: Final = 0.1
"""Pause before a call is repeated that met a limit of this process."""

OWN_LIMITS: Final = {errno.EMFILE, errno.ENFILE, errno.EADDRNOTAVAIL, errno.ENOBUFS}
"""This process or machine, not the store, has no descriptor or port left."""


class NoAnswer(Exception):  # noqa: N818 - no fault of the caller
    """The store failed, or its circuit breaker did not let the call through."""


class Abandoned(BaseException):
    """The crawl no longer waits for this thread. Only the thread itself catches it."""


class CircuitBreaker:
    """Decides whether one side of a store, reading or writing, is called now.

    While it fails, one call each `REST_SECONDS` finds out whether it still does. All
    others fail at once. The log reports once that a store fails, and that it recovered.
    """

    def __init__(
        self, url: StoreUrl, group: list[CircuitBreaker], reported: set[str]
    ) -> None:
        self._url = url
        self._rests_until = -math.inf
        self._reported = reported
        self._group = group
        group.append(self)
        self.is_open = False
        """Whether the last call failed."""
        self.failures = 0
        """Calls that failed, without those that met a limit of this process."""

    @classmethod
    def group(cls, url: StoreUrl, number: int) -> list[CircuitBreaker]:
        """Return breakers for several sides of a store, reported as one."""
        group: list[CircuitBreaker] = []
        reported: set[str] = set()
        for _ in range(number):
            cls(url, group, reported)
        return group

    def rest(self) -> None:
        """Let no call through for `REST_SECONDS`."""
        self._rests_until = time.monotonic() + REST_SECONDS

    @property
    def is_resting(self) -> bool:
        """Whether no call would be let through now."""
        return time.monotonic() < self._rests_until

    def may_call(self) -> bool:
        """Return whether to call the store now."""
        if self.is_resting:
            return False
        if self.is_open:
            self.rest()
        return True

    def failed(self, error: BaseException, *, is_own_limit: bool = False) -> None:
        """Let the store rest after *error*."""
        self.failures += not is_own_limit
        self.rest()
        is_news = not any(each.is_open for each in self._group)
        self.is_open = True
        if not is_news:
            return
        text = self._url.describe(error)
        # What fails the same way now and then is a warning the first time only.
        level = logging.INFO if text in self._reported else logging.WARNING
        self._reported.add(text)
        what = "could not be used for a limit of this process" if is_own_limit else ""
        logger.log(
            level,
            "ROBOTS1994_STORE %s %s: %s. The crawl goes on with what this process "
            "knows, and fetches what it does not.",
            self._url,
            what or "failed",
            text,
        )

    def succeeded(self) -> None:
        """Note that the store works."""
        if self.is_open:
            self.is_open = False
            self._rests_until = -math.inf
            if not any(each.is_open for each in self._group):
                logger.info("ROBOTS1994_STORE %s answers again.", self._url)


def _nothing(*_: object) -> None:
    """Do nothing."""


def _check_plain(result: object) -> None:
    """Raise `StoreError` if a method of a store is a coroutine function."""
    if iscoroutine(result):
        result.close()
        raise StoreError("its methods must be plain functions, not coroutines")


def _check_list(result: object, length: int, types: type | tuple[type, ...]) -> None:
    """Raise `StoreError` unless *result* is a list of so many objects of *types*."""
    _check_plain(result)
    if not isinstance(result, list) or len(result) != length:
        raise StoreError("a method returned something else than a list of answers")
    for each in result:
        _check_plain(each)
        if not isinstance(each, types):
            raise StoreError(f"a method returned an object of {type(each).__name__}")


class StoreWorker(Thread):
    """Calls *store* in one daemon thread, and in no other.

    A daemon: a store that never returns does not keep the process from exiting.
    *process* gets all jobs that have been submitted meanwhile, at once: a thread gets
    the interpreter only a few hundred times a second from a busy event loop, so many
    origins have to share a round trip. *tick* is called between, and returns the seconds
    until its next call, `None` for no need. *timeout* bounds the repeats of a call that
    meets a limit of this process.
    """

    def __init__(self, store: PolicyStore, timeout: float) -> None:
        super().__init__(name="robots1994-store", daemon=True)
        self.store = store
        self.process: Callable[[list[Any]], None] = _nothing
        self.tick: Callable[[], float | None] = _nothing
        self.call_began: float | None = None
        """When the running call of the store began (`time.monotonic`)."""
        self.breaker: CircuitBreaker | None = None
        """The one of the running call."""
        self.is_abandoned = False
        """Set by another thread: end after the running call."""
        self._jobs: SimpleQueue[Any] = SimpleQueue()
        self._timeout = timeout
        self._is_closed = False

    def submit(self, job: object) -> None:
        """Process *job* in this thread. Call this from any thread."""
        self._jobs.put(job)

    def run(self) -> None:
        """Process jobs until the store is closed or this thread is abandoned."""
        with suppress(Abandoned):
            while not self._is_closed:
                self._process_next()
            return
        if not self._is_closed:
            # No other thread uses this instance. It may raise anything.
            with suppress(BaseException):
                self.store.close()

    def _process_next(self) -> None:
        """Process the next jobs, or none if it is time for a tick."""
        try:
            self.process(self._take(self.tick()))
        except Exception:
            # A mistake of this package; it must not end the thread.
            logger.exception("Could not use the store of ROBOTS1994_STORE")

    def _take(self, timeout: float | None) -> list[Any]:
        """Wait for jobs; return those there are, none if it is time for a tick."""
        jobs = []
        with suppress(Empty):
            jobs.append(self._jobs.get(timeout=timeout))
            while len(jobs) < MAX_JOBS:
                jobs.append(self._jobs.get_nowait())
        return jobs

    def close(self, breaker: CircuitBreaker) -> None:
        """Close the store and end the thread. Call this in `process`."""
        self._is_closed = True
        self.call(breaker, self.store.close)

    def call_many(
        self,
        breaker: CircuitBreaker,
        function: Callable[..., Any],
        items: Sequence[object],
        *args: Any,
        returns: type | tuple[type, ...] | None = None,
    ) -> list[Any]:
        """Call *function* with as many of *items* at once as the store takes.

        Return what it returns for each, of the types *returns* if it returns anything.
        """
        results: list[Any] = []
        for first in range(0, len(items), self.store.max_batch):
            batch = items[first : first + self.store.max_batch]
            check = partial(_check_list, length=len(batch), types=returns or object)
            found = self.call(
                breaker, function, batch, *args, check=check if returns else None
            )
            results += found or ()
        return results

    def call(
        self,
        breaker: CircuitBreaker,
        function: Callable[..., T],
        *args: Any,
        check: Callable[[T], None] | None = None,
    ) -> T:
        """Return what *function* of the store returns, or raise `NoAnswer`.

        Call this in `process`. Any class can be a store: *check* raises `StoreError` for
        what it must not return.
        """
        if self.is_abandoned:
            raise Abandoned
        if not breaker.may_call():
            raise NoAnswer
        began = time.monotonic()
        self.breaker, self.call_began = breaker, began
        try:
            result = self._repeat(began + self._timeout / 2, function, *args)
            (check or _check_plain)(result)
        except BaseException as error:  # a store may raise SystemExit, too
            if self.is_abandoned:
                raise Abandoned from None
            breaker.failed(error, is_own_limit=_is_own_limit(error))
            raise NoAnswer from error
        finally:
            self.call_began = None
        if self.is_abandoned:
            raise Abandoned
        breaker.succeeded()
        return result

    def _repeat(self, give_up: float, function: Callable[..., T], *args: Any) -> T:
        """Call *function* again while it meets a limit of this process."""
        while True:
            try:
                return function(*args)
            except Exception as error:
                if not _is_own_limit(error) or time.monotonic() > give_up:
                    raise
            # A page may give its descriptor back at any moment.
            time.sleep(OWN_LIMIT_SECONDS)


def _is_own_limit(error: BaseException | None) -> bool:
    """Return whether a call failed because this process has no descriptor left.

    A store may hide the reason: SQLite says "unable to open database file".
    """
    while error is not None:
        if isinstance(error, OSError) and error.errno in OWN_LIMITS:
            return True
        error = error.__cause__ or error.__context__
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as reason:
        return reason.errno in OWN_LIMITS
    return False
