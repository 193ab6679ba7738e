"""A store that cannot harm the crawl: in time, whatever it does, and one fetch for all.

Three things guard a store, which may be anybody's class:

* **a daemon thread**, in which one instance of the store lives and all its methods run,
  one after the other (`_StoreThread`);
* **a time limit**: the thread of a call that does not return is abandoned, and later calls
  go to a new thread with an instance of its own (`GuardedStore.check_time`);
* **a circuit breaker**: a store that could not be read, or was abandoned, is not called for
  `REST_SECONDS`, and each failure is reported once (`CircuitBreaker`).

A store that fails acts as if it were empty: the crawl goes on with what it knows.

If several workers share the store, the one that has the lease of an origin fetches its
policy. The others look again now and then until that policy is stored, the lease is free,
or they have waited as long as the worker would need at most; then they fetch, too. So a
worker that died costs a bounded wait, and the worst case of all is a second fetch.
"""

import logging
import math
import random
import time
import uuid
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from inspect import iscoroutine
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import CLOCK_SKEW, Policy
from scrapy_robots1994.stores.base import (
    MAX_ENTRY_BYTES,
    Lease,
    PolicyStore,
    SharedStore,
    Stored,
)
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.url import StoreUrl

logger = logging.getLogger("scrapy_robots1994")

T = TypeVar("T")

REST_SECONDS: Final = 2.0
"""Seconds for which a store that could not be read is not called again."""

MAX_REPORTED: Final = 10
"""Different failures that are warnings; all others are logged at level INFO."""

MAX_ABANDONED: Final = 3
"""Threads whose call never returned, after which no further one is started."""

LEASE_MARGIN: Final = 2.0
"""Seconds by which a lease outlasts the time limit of one robots.txt request."""

WAIT_MARGIN: Final = 5.0
"""Seconds past that time limit after which a worker fetches in spite of a lease."""

FIRST_LOOK, LONGEST_LOOK = 0.1, 1.6
"""Seconds between two looks of a waiting worker, which grow from the first to the last."""

JITTER: Final = 0.5
"""The random share of a pause, so that workers do not look all at once."""


class CircuitBreaker:
    """Lets a store that failed rest, and reports each failure once."""

    def __init__(self, url: StoreUrl) -> None:
        self.url = url
        self._rests_until = -math.inf
        # Whether a failure has been reported and stands, and whether the store rested.
        self._is_failing = self._has_rested = False
        self._reported: set[str] = set()
        self.failures = 0
        """How many calls of the store failed."""

    @property
    def is_closed(self) -> bool:
        """Whether the store may be called now."""
        return time.monotonic() >= self._rests_until

    def failed(self, error: BaseException, *, rests: bool = True) -> None:
        """Report *error*. Unless the store can still be read, let it rest."""
        self.failures += 1
        text = self.url.describe(error)
        # What fails now and then is a warning the first time only. A text may name the
        # origin, so that every one is new.
        is_new = text not in self._reported and len(self._reported) < MAX_REPORTED
        if is_new:
            self._reported.add(text)
        if not self._is_failing:
            logger.log(
                logging.WARNING if is_new else logging.INFO,
                "ROBOTS1994_STORE %s failed: %s. The crawl goes on with what this "
                "process knows, and fetches what it does not.",
                self.url,
                text,
            )
        self._is_failing = True
        if rests:
            self._has_rested = True
            self._rests_until = time.monotonic() + REST_SECONDS

    def succeeded(self) -> None:
        """Note that the store can be read."""
        if self._has_rested:
            self._is_failing = self._has_rested = False
            logger.info("ROBOTS1994_STORE %s answers again.", self.url)


class _StoreThread(Thread):
    """Makes one instance of the store of *breaker*, and calls it in one daemon thread.

    A daemon: a store that never returns does not keep the process from exiting.
    """

    def __init__(self, breaker: CircuitBreaker) -> None:
        super().__init__(name="robots1994-store", daemon=True)
        self._breaker = breaker
        self._store: PolicyStore | None = None
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.pending: set[Future[Any]] = set()
        """The futures without a result. None may stay so."""
        self.began: float | None = None
        """When the running call of the store began (`time.monotonic`)."""
        self.is_abandoned = False
        """Set by another thread: end after the running call."""

    def submit(
        self, job: Callable[[PolicyStore], T], *, rests: bool = True
    ) -> "Future[T | None]":
        """Call *job* with the store; the result is `None` if it fails.

        *rests* says that a failure lets the store rest. Call this from any thread.
        """
        future = self._pending_future()
        self._jobs.put(lambda: _set_result(future, self._call(job, rests=rests)))
        return future

    def close(self) -> "Future[Any]":
        """End the thread, after what was submitted before, and close the store."""
        future = self._pending_future()
        self._jobs.put(None)
        return future

    def _pending_future(self) -> "Future[Any]":
        """Return a future that is pending until it has a result."""
        future: Future[Any] = Future()
        self.pending.add(future)
        # Adding and discarding are atomic, in whichever threads.
        future.add_done_callback(self.pending.discard)
        return future

    def end_waits(self) -> None:
        """Let no future wait any longer: there is no answer for it."""
        for future in list(self.pending):
            _set_result(future, None)

    def run(self) -> None:
        """Run jobs, then close the store and end all waits."""
        try:
            while not self.is_abandoned and (job := self._jobs.get()):
                job()
            if self._store is not None:
                self._guarded(self._store.close, rests=False)
        finally:
            self.end_waits()

    def _call(self, job: Callable[[PolicyStore], T], *, rests: bool) -> T | None:
        """Return what *job* returns; `None` if the store fails or rests."""
        # Once abandoned, an instance is only closed: another thread uses its own.
        if self.is_abandoned or not self._breaker.is_closed:
            return None
        if self._store is None:
            self._store = self._guarded(self._new_store, rests=True)
        if self._store is None or self.is_abandoned:
            return None
        return self._guarded(partial(job, self._store), rests=rests)

    def _new_store(self) -> PolicyStore:
        """Return the store, made in the thread that uses it."""
        store: PolicyStore = _checked(self._breaker.url.new_store(), PolicyStore)
        return store

    def _guarded(self, call: Callable[[], T], *, rests: bool) -> T | None:
        """Return what *call* returns, or `None` whatever it raises."""
        self.began = time.monotonic()
        try:
            result = call()
        except BaseException as error:  # noqa: BLE001 - a store may raise SystemExit, too
            # The crawl's thread reported the call when it gave it up.
            if not self.is_abandoned:
                self._breaker.failed(error, rests=rests)
            return None
        finally:
            self.began = None
        if rests:
            self._breaker.succeeded()
        return result


@dataclass(eq=False)
class GuardedStore:
    """The store of *breaker* as the resolver sees it (`policy.backend.Store`).

    *decode* makes the policy of an entry, or `None`. *fetch_seconds* is the time limit of
    one robots.txt request. *wait* makes an awaitable of a future; *sleep* and
    *call_later* are those of the crawl's event loop. No method raises.
    """

    breaker: CircuitBreaker
    decode: Callable[[bytes, Origin], Policy | None]
    fetch_seconds: float
    wait: Callable[[Future[Any]], Awaitable[Any]]
    sleep: Callable[[float], Awaitable[None]]
    call_later: Callable[[float, Callable[[], None]], object]
    clock: Callable[[], float] = time.time
    # Private: the thread in use, those that were given up, and when to do what.
    _thread: _StoreThread | None = None
    _abandoned: list[_StoreThread] = field(default_factory=list)
    _close_by: float = math.inf
    _is_checking: bool = False
    _holder: str = field(default_factory=lambda: uuid.uuid4().hex)
    # Only the thread of the store uses it.
    _held: set[Origin] = field(default_factory=set)

    async def get(self, origin: Origin) -> Policy | None:
        """Return the stored policy of *origin*, fresh or stale."""
        policy: Policy | None = await self._submit(partial(self._read, origin))
        return policy

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until this process is to fetch *origin*, for one request.

        Return the fresh policy that another worker fetched meanwhile, or `None`: then
        this process fetches.
        """
        give_up = time.monotonic() + self.fetch_seconds + WAIT_MARGIN
        pause = FIRST_LOOK
        while True:
            take = partial(self._take_lease, origin)
            # Without leases every worker fetches for itself, and the store is still read.
            found: Policy | Lease | None = await self._submit(take, rests=False)
            if isinstance(found, Policy):
                return found
            if found is None or found.granted or time.monotonic() >= give_up:
                return None
            await self.sleep(pause * (1 + JITTER * random.random()))  # noqa: S311 - spreads load
            pause = min(2 * pause, LONGEST_LOOK)

    def release_lease(self, origin: Origin, policy: Policy | None) -> None:
        """Store the *policy* that our fetch made, and end our lease, if there is one."""
        if thread := self._running():
            if policy is not None:
                thread.submit(partial(self._write, policy), rests=False)
            thread.submit(partial(self._end_lease, origin), rests=False)

    async def close(self) -> None:
        """Store what was released before, then close the store, in its time limit."""
        thread = self._thread
        self._close_by = time.monotonic() + self.breaker.url.timeout
        if thread is not None:
            closed = thread.close()
            self.check_time()
            await self.wait(closed)

    def check_time(self) -> None:
        """Abandon the thread if a call of the store has run into the time limit.

        Check again when the limit of the running call ends, while any future is pending.
        """
        thread, now = self._thread, time.monotonic()
        self._is_checking = False
        if thread is None or not thread.pending:
            return
        # Time in our own queue is not the store's.
        began = thread.began or now
        deadline = min(began + self.breaker.url.timeout, self._close_by)
        if now < deadline:
            self._is_checking = True
            self.call_later(deadline - now, self.check_time)
        else:
            self._abandon(thread)

    async def _submit(
        self, job: Callable[[PolicyStore], Any], *, rests: bool = True
    ) -> Any:
        """Return what *job* returns in the thread of the store, or `None`."""
        thread = self._running()
        if thread is None:
            return None
        future = thread.submit(job, rests=rests)
        if not self._is_checking:
            self.check_time()
        return await self.wait(future)

    def _running(self) -> _StoreThread | None:
        """Return the thread, a new one if need be; `None` if there may be none."""
        if self._close_by < math.inf or not self.breaker.is_closed:
            return None
        if self._thread is None:
            # A call that returned late has ended its thread.
            self._abandoned = [each for each in self._abandoned if each.is_alive()]
            if len(self._abandoned) < MAX_ABANDONED:
                self._start()
        return self._thread

    def _start(self) -> None:
        """Start a thread, or let the store rest if this process may have no more."""
        thread = _StoreThread(self.breaker)
        try:
            thread.start()
        except RuntimeError as error:
            self.breaker.failed(error)
        else:
            self._thread = thread

    def _abandon(self, thread: _StoreThread) -> None:
        """Leave the thread to itself. It ends when its call returns, if ever."""
        thread.is_abandoned = True
        self._thread = None
        self._abandoned.append(thread)
        # A new thread would be abandoned, too: most stores hang for a while.
        limit = f"no answer within {self.breaker.url.timeout:g} seconds"
        self.breaker.failed(StoreError(limit))
        thread.end_waits()

    # What follows runs in the thread of the store.

    def _read(self, origin: Origin, store: PolicyStore) -> Policy | None:
        """Return the stored policy of *origin*, if it is not over."""
        entry = _checked(store.get(origin), bytes, type(None))
        policy = entry and self.decode(entry, origin)
        return policy if policy and policy.keep_until > self.clock() else None

    def _take_lease(self, origin: Origin, store: PolicyStore) -> Policy | Lease:
        """Return what another worker fetched, or whether this one is to fetch."""
        if not isinstance(store, SharedStore):
            # No other worker knows of this store.
            return Lease(granted=True)
        seconds = self.fetch_seconds + LEASE_MARGIN
        # First: a call that fails may have taken it.
        self._held.add(origin)
        lease: Lease = _checked(
            store.acquire_lease(origin, self._holder, seconds), Lease
        )
        if not lease.granted:
            self._held.discard(origin)
        # Its last holder may have stored a policy since we looked.
        policy = self._read(origin, store)
        if policy is None or not policy.is_fresh(self.clock()):
            return lease
        self._end_lease(origin, store)
        return policy

    def _end_lease(self, origin: Origin, store: PolicyStore) -> None:
        """End our lease of *origin*, if there is one."""
        if isinstance(store, SharedStore) and origin in self._held:
            self._held.discard(origin)
            store.release_lease(origin, self._holder)

    def _write(self, policy: Policy, store: PolicyStore) -> None:
        """Store *policy* for other crawls, if they can use it."""
        if not policy.may_be_shared or not self._may_replace(policy, store):
            return
        if policy.keep_until <= self.clock():
            # It is over by now; nothing older stays in its place either.
            store.forget(policy.origin)
            return
        entry = encode(policy)
        if len(entry) <= MAX_ENTRY_BYTES:
            store.put(Stored(policy.origin, entry, policy.keep_until))

    def _may_replace(self, policy: Policy, store: PolicyStore) -> bool:
        """Return whether *policy* may take the place of what is stored.

        Ours R5 (unreachable): what the origin said always may. What we set ourselves must
        not end the last good policy, which a failed read or another crawl may have hidden
        from us.
        """
        if policy.is_known and not policy.is_stale_on_error:
            return True
        entry, now = store.get(policy.origin), self.clock()
        stored = entry and self.decode(entry, policy.origin)
        if not stored:
            # Of another version, or longer than we read: it is not ours to judge.
            return entry is None
        is_good = stored.is_known and now < stored.keep_until
        # One from the future is not newer: the clock went back.
        is_newer = policy.fetched_at < stored.fetched_at <= now + CLOCK_SKEW
        return not (is_good and (is_newer or not policy.is_known))


def _set_result(future: "Future[T]", result: T) -> None:
    """Set the result of *future*, unless it was cancelled or abandoned meanwhile."""
    with suppress(InvalidStateError):
        future.set_result(result)


def _checked(result: Any, *types: type) -> Any:
    """Return *result*, or raise `StoreError` for what a store must not return."""
    if iscoroutine(result):
        # Else Python warns of a coroutine that was never awaited.
        result.close()
        raise StoreError("its methods must be plain functions, not coroutines")
    if not isinstance(result, types):
        raise StoreError(f"a method returned an object of {type(result).__name__}")
    return result
