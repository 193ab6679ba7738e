"""Protects a crawl from a slow or failing store, and coordinates fetches between workers.

A failure of the store acts as "no entry". A store may be any class, so all its methods
run in one daemon thread (`_StoreThread`), one after the other, and two limits protect the
crawl:

* **a circuit breaker** (`CircuitBreaker`): a store that could not be read is not called for
  `REST_SECONDS`, and the first failure of a crawl is a warning;
* **a time limit**: a store in which one call takes `GRACE_SECONDS` longer than the `timeout`
  of its URL is not called again in this crawl.

If several workers share the store, the one that has the lease of an origin fetches its
policy. The others check now and then whether the policy is stored or the lease is free.
After the time that one request may take, they fetch, too.
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
from typing import Any, Final, TypeAlias

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

Job: TypeAlias = Callable[[PolicyStore], Any]

REST_SECONDS: Final = 2.0
"""Seconds for which a store that could not be read is not called again."""

GRACE_SECONDS: Final = 1.0
"""Seconds past its time limit in which a call may still fail by itself on a busy machine."""

LEASE_MARGIN: Final = 2.0
"""Seconds by which a lease outlasts the time limit of one robots.txt request."""

WAIT_MARGIN: Final = 5.0
"""Seconds past the time limit of one robots.txt request after which a worker fetches
despite another worker's lease.
"""

LOOK_SECONDS: Final = 1.0
"""Mean number of seconds between two checks by a worker that waits for a lease; the
actual time varies by half.
"""


class CircuitBreaker:
    """Stops calls to a failing store for a while, and counts and logs its failures."""

    def __init__(self, url: StoreUrl) -> None:
        self._url = url
        self._rests_until = -math.inf
        self.failures = 0
        """How many calls of the store failed."""

    @property
    def is_closed(self) -> bool:
        """Whether the store may be called now."""
        return time.monotonic() >= self._rests_until

    def failed(
        self, error: BaseException, *, rests: bool, is_final: bool = False
    ) -> None:
        """Count and log *error*; the first error is logged as a warning.

        *rests* says that the store could not be read, and is not called for a while;
        *is_final*, that the store is not called again in this crawl, which is also a
        warning.
        """
        self.failures += 1
        if rests:
            self._rests_until = time.monotonic() + REST_SECONDS
        why = self._url.describe(error)
        if self.failures > 1 and not is_final:
            logger.debug("ROBOTS1994_STORE %s failed again: %s", self._url, why)
            return
        text = "ROBOTS1994_STORE %s failed: %s. The crawl "
        text += "does not call it again, and " * is_final
        text += "continues with the policies in memory, and fetches all others."
        logger.warning(text, self._url, why)


class _StoreThread(Thread):
    """The daemon thread that creates the store at *url* and calls its methods.

    It is a daemon, so that a store that never returns does not prevent the process from
    exiting.
    """

    def __init__(self, url: StoreUrl, breaker: CircuitBreaker) -> None:
        super().__init__(name="robots1994-store", daemon=True)
        self._url = url
        self._breaker = breaker
        self._store: PolicyStore | None = None
        self._jobs: SimpleQueue[tuple[Future[Any], Job | None, bool]] = SimpleQueue()
        self.pending: set[Future[Any]] = set()
        """The futures without a result."""
        self.began: float | None = None
        """When the running call of the store began (`time.monotonic`)."""
        self.has_ended = False
        """Whether the thread accepts and runs no more jobs."""

    def submit(self, job: Job | None, *, rests: bool = False) -> "Future[Any]":
        """Run *job* after all earlier jobs; return its future, whose result is `None` if
        the store fails.

        *rests* says that after a failure the store is not called for a while. If *job* is
        `None`, close the store and end the thread.
        """
        future: Future[Any] = Future()
        self.pending.add(future)
        # `set.add` and `set.discard` are atomic in all threads.
        future.add_done_callback(self.pending.discard)
        self._jobs.put((future, job, rests))
        return future

    def end(self) -> None:
        """End all pending futures. A running call cannot be stopped."""
        self.has_ended = True
        for future in tuple(self.pending):
            _set_result(future, None)

    def run(self) -> None:
        """Run jobs, then close the store."""
        try:
            while not self.has_ended:
                future, job, rests = self._jobs.get()
                if job is None:
                    break
                _set_result(future, self._call(job, rests=rests))
            if self._store is not None:
                self._call(lambda it: it.close(), rests=False, is_close=True)
        finally:
            self.end()

    def _call(self, job: Job, *, rests: bool, is_close: bool = False) -> Any:
        """Return what *job* returns; `None` if the store fails or rests."""
        if not (is_close or self._breaker.is_closed):
            return None
        self.began = time.monotonic()
        try:
            if self._store is None:
                # Create the store in this thread: some libraries require that one thread
                # creates and uses a client.
                self._store = _checked(self._url.new_store(), PolicyStore)
            return job(self._store)
        except BaseException as error:  # noqa: BLE001 - a store may raise SystemExit, too
            # If the thread has ended, the crawl has already reported that it gave up the
            # call.
            if not self.has_ended:
                self._breaker.failed(error, rests=rests)
            return None
        finally:
            self.began = None


@dataclass(eq=False)
class GuardedStore:
    """The store at *url*, with the interface that the resolver needs
    (`policy.backend.Store`).

    *decode* returns the policy of an entry, or `None`. *fetch_seconds* is the time limit
    of one robots.txt request. *wait* returns an awaitable for a future; *sleep* and
    *call_later* use the event loop of the crawl. No method raises.
    """

    url: StoreUrl
    decode: Callable[[bytes, Origin], Policy | None]
    fetch_seconds: float
    wait: Callable[[Future[Any]], Awaitable[Any]]
    sleep: Callable[[float], Awaitable[None]]
    call_later: Callable[[float, Callable[[], None]], object]
    clock: Callable[[], float] = time.time
    _is_closed: bool = False
    _is_watched: bool = False
    _holder: str = field(default_factory=lambda: uuid.uuid4().hex)
    # Origins whose lease this process acquired, or may have acquired before a call failed.
    # Only the thread of the store uses this set.
    _held: set[Origin] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Create the thread, which starts with the first call."""
        self._breaker = CircuitBreaker(self.url)
        self._thread = _StoreThread(self.url, self._breaker)

    @property
    def failures(self) -> int:
        """How many calls of the store failed."""
        return self._breaker.failures

    @property
    def _limit(self) -> float:
        """Seconds after which a call is given up."""
        return self.url.timeout + GRACE_SECONDS

    async def get(self, origin: Origin) -> Policy | None:
        """Return the stored policy of *origin*, fresh or stale; `None` if there is none
        or the store fails.
        """
        policy: Policy | None
        policy = await self._result(partial(self._read, origin), rests=True)
        return policy

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until this process may fetch the robots.txt of *origin*.

        Return the fresh policy that another worker fetched meanwhile. If that is `None`,
        this process fetches.
        """
        give_up = time.monotonic() + self.fetch_seconds + WAIT_MARGIN
        while True:
            found: Policy | Lease | None
            # Without leases every worker fetches for itself, but the store is still read.
            found = await self._result(partial(self._take_lease, origin))
            if isinstance(found, Policy):
                return found
            if found is None or found.granted or time.monotonic() >= give_up:
                return None
            # Vary the time, so that not all workers check at once.
            await self.sleep(LOOK_SECONDS * (0.5 + random.random()))  # noqa: S311 - spreads load

    def release_lease(self, origin: Origin, policy: Policy | None) -> None:
        """Store the *policy* that this process fetched, and end its lease of *origin*, if
        there is one.
        """
        if policy is not None:
            self._submit(partial(self._write, policy))
        self._submit(partial(self._end_lease, origin))

    async def close(self) -> None:
        """Store the policies of earlier `release_lease` calls, then close the store,
        within its time limit.
        """
        was_closed, self._is_closed = self._is_closed, True
        thread = self._thread
        if was_closed or thread.has_ended or not thread.ident:
            return
        closed = thread.submit(None)

        def check() -> None:
            if not closed.done():
                self._give_up()

        self.call_later(self._limit, check)
        await self.wait(closed)

    async def _result(self, job: Job, *, rests: bool = False) -> Any:
        """Return the result of *job* in the thread of the store; `None` if the store
        fails.
        """
        future = self._submit(job, rests=rests)
        return future and await self.wait(future)

    def _submit(self, job: Job, *, rests: bool = False) -> "Future[Any] | None":
        """Run *job* in the thread of the store and return its future; `None` if the store
        is not called now.
        """
        thread = self._thread
        if self._is_closed or thread.has_ended or not self._breaker.is_closed:
            return None
        if not thread.ident:
            try:
                thread.start()
            except RuntimeError as error:
                # Starting a thread may fail: a container may limit threads.
                self._give_up(error)
                return None
        future = thread.submit(job, rests=rests)
        if not self._is_watched:
            self._watch()
        return future

    def _watch(self) -> None:
        """Give up the store if its running call has reached the time limit.

        As long as a future is pending, check again when the time of the running call
        ends.
        """
        now, thread = time.monotonic(), self._thread
        # Count only the time of the call, not the time in our own queue.
        left = (thread.began or now) + self._limit - now
        self._is_watched = bool(thread.pending) and left > 0
        if self._is_watched:
            self.call_later(left, self._watch)
        elif thread.pending:
            self._give_up()

    def _give_up(self, error: Exception | None = None) -> None:
        """Do not call the store again in this crawl."""
        limit = f"no answer within {self._limit:g} seconds"
        self._breaker.failed(error or StoreError(limit), rests=True, is_final=True)
        self._thread.end()

    # The following methods run in the thread of the store.

    def _read(self, origin: Origin, store: PolicyStore) -> Policy | None:
        """Return the stored policy of *origin*; `None` if there is none or its
        `keep_until` is past.
        """
        entry = _checked(store.get(origin), bytes, type(None))
        policy = entry and self.decode(entry, origin)
        return policy if policy and policy.keep_until > self.clock() else None

    def _take_lease(self, origin: Origin, store: PolicyStore) -> Policy | Lease:
        """Return a fresh policy that another worker stored, or a lease that says whether
        this worker may fetch.
        """
        if not isinstance(store, SharedStore):
            # Workers on other machines do not share this store.
            return Lease(granted=True)
        seconds = self.fetch_seconds + LEASE_MARGIN
        # Note the lease before the call: a call that fails may have acquired it.
        self._held.add(origin)
        lease: Lease
        lease = _checked(store.acquire_lease(origin, self._holder, seconds), Lease)
        if not lease.granted:
            self._held.discard(origin)
        # The last holder of the lease may have stored a policy since the last check.
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
            # The policy has expired meanwhile, and so has any older one in the store.
            store.forget(policy.origin)
            return
        entry = encode(policy)
        if len(entry) <= MAX_ENTRY_BYTES:
            store.put(Stored(policy.origin, entry, policy.keep_until))

    def _may_replace(self, policy: Policy, store: PolicyStore) -> bool:
        """Return whether *policy* may replace the stored entry of its origin.

        A policy that the origin stated always may. Ours R5 (unreachable): a policy
        without an answer must not replace the last good policy, which this crawl may not
        know after a failed read, or if another crawl fetched it.
        """
        if policy.is_known and not policy.is_stale_on_error:
            return True
        entry, now = store.get(policy.origin), self.clock()
        stored = entry and self.decode(entry, policy.origin)
        if not stored:
            # Do not replace an entry of another version, or one that is too long to be
            # read.
            return entry is None
        is_good = stored.is_known and now < stored.keep_until
        # A stored policy with a date in the future is not newer: the clock was set back.
        is_newer = policy.fetched_at < stored.fetched_at <= now + CLOCK_SKEW
        return not (is_good and (is_newer or not policy.is_known))


def _set_result(future: "Future[Any]", result: Any) -> None:
    """Set the result of *future*, unless it was cancelled or given up meanwhile."""
    with suppress(InvalidStateError):
        future.set_result(result)


def _checked(result: Any, *types: type) -> Any:
    """Return *result*, or raise `StoreError` for what a store must not return."""
    if iscoroutine(result):
        # Close a coroutine: Python warns of one that was never awaited.
        result.close()
        raise StoreError("its methods must be plain functions, not coroutines")
    if not isinstance(result, types):
        raise StoreError(f"a method returned an object of {type(result).__name__}")
    return result
