"""Protects a crawl from a slow or failing store, and coordinates fetches between workers.

If the store fails, the crawl continues as if the store had no entry. The store may be an
instance of any class. Therefore all methods of the store run in one daemon thread, one
after the other. Two mechanisms protect the crawl:

* **A pause**: after a failed read, the store is not called for `REST_SECONDS`.
* **A time limit**: if a call takes longer than the `timeout` of the store URL plus
  `GRACE_SECONDS`, the store is not called again in this crawl.

If several workers share the store, the worker that has the lease of an origin fetches the
policy of that origin. The other workers check about once a second whether the policy has
been stored or the lease is free. If a worker has waited `WAIT_MARGIN` longer than the time
limit of one robots.txt request, that worker fetches the policy without the lease.
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
    PolicyStore,
    SharedStore,
    Stored,
)
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.url import StoreUrl

logger = logging.getLogger("scrapy_robots1994")

Job: TypeAlias = Callable[[Any], Any]
"""A function that calls the store."""

REST_SECONDS: Final = 2.0
"""Number of seconds for which the store is not called after a failed read."""

GRACE_SECONDS: Final = 1.0
"""Number of extra seconds that the crawl waits after the time limit of a call. On a busy
machine, the store may need the extra seconds to raise its own error.
"""

LEASE_MARGIN: Final = 2.0
"""Number of seconds by which a lease is longer than the time limit of one robots.txt
request.
"""

WAIT_MARGIN: Final = 5.0
"""Number of seconds by which the wait for a lease may exceed the time limit of one
robots.txt request. A worker that has waited this long fetches the robots.txt without the
lease.
"""

LOOK_SECONDS: Final = 1.0
"""Mean number of seconds between two checks by a worker that waits for a lease. The actual
number of seconds is random, between 50% and 150% of the mean.
"""


@dataclass(eq=False)
class GuardedStore:
    """The store at *url*, with the interface that the policy resolver needs.

    *decode* returns the policy in an entry, or `None` if the entry cannot be decoded.
    *fetch_seconds* is the time limit of one robots.txt request. *wait* returns an awaitable
    for a future. *sleep* and *call_later* use the event loop of the crawl. No public method
    raises an exception. *failures* is the number of calls to the store that failed.
    """

    url: StoreUrl
    decode: Callable[[bytes, Origin], Policy | None]
    fetch_seconds: float
    wait: Callable[[Future[Any]], Awaitable[Any]]
    sleep: Callable[[float], Awaitable[None]]
    call_later: Callable[[float, Callable[[], None]], object]
    clock: Callable[[], float] = time.time
    failures: int = 0
    # `_pending` contains the futures without a result. `_began` is the time when the
    # running call to the store began, or `None` if no call is running. After `_is_over` was
    # set, no further job is run.
    _pending: set[Future[Any]] = field(default_factory=set)
    _began: float | None = None
    _rests_until: float = -math.inf
    _is_closed: bool = False
    _is_over: bool = False
    _holder: str = field(default_factory=lambda: uuid.uuid4().hex)
    # Only the thread of the store uses the following attributes. `_held` contains the
    # origins whose lease this process has acquired, or may have acquired in a call that
    # failed.
    _store: PolicyStore | None = None
    _held: set[Origin] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Create the thread of the store. The first call to the store starts the thread."""
        # `_limit` is the number of seconds after which the crawl stops waiting for a call.
        self._limit = self.url.timeout + GRACE_SECONDS
        self._jobs: SimpleQueue[tuple[Future[Any], Job | None]] = SimpleQueue()
        # The thread is a daemon, so that a call that never returns does not prevent the
        # process from exiting.
        self._thread = Thread(target=self._run, name="robots1994-store", daemon=True)

    async def get(self, origin: Origin) -> Policy | None:
        """Return the stored policy of *origin*, fresh or stale. Return `None` if no policy
        is stored, or if the store fails.
        """
        policy: Policy | None
        policy = await self.wait(self._submit(partial(self._read, origin)))
        return policy

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until this process may fetch the robots.txt of *origin*.

        If another worker has stored a fresh policy meanwhile, return that policy. Return
        `None` if this process must fetch the robots.txt.
        """
        give_up = time.monotonic() + self.fetch_seconds + WAIT_MARGIN
        while True:
            found = await self.wait(self._submit(partial(self._take_lease, origin)))
            if isinstance(found, Policy):
                return found
            if found is not False or time.monotonic() >= give_up:
                return None
            # Vary the interval, so that the workers do not all check at the same time.
            await self.sleep(LOOK_SECONDS * (0.5 + random.random()))  # noqa: S311 - spreads load

    def release_lease(self, origin: Origin, policy: Policy | None) -> None:
        """Store *policy*, which this process has fetched. Release the lease of *origin* if
        this process has the lease.

        *policy* is `None` if the fetch ended without a policy.
        """
        if policy is not None:
            self._submit(partial(self._write, policy))
        self._submit(partial(self._end_lease, origin))

    async def close(self) -> None:
        """Close the store after the policies of earlier `release_lease` calls have been
        stored.

        If the store exceeds its time limit, do not wait any longer.
        """
        if self._is_over or not self._thread.ident:
            self._is_closed = True
            return
        closed = self._submit(None)
        self._is_closed = True

        def check() -> None:
            if not closed.done():
                self._give_up()

        self.call_later(self._limit, check)
        await self.wait(closed)

    def _submit(self, job: Job | None) -> "Future[Any]":
        """Queue *job* for the thread of the store, and return the future of *job*. If *job*
        is `None`, the thread closes the store and ends.

        If the store fails, the result of the future is `None`. During the pause after a
        failure, the store is not called, and the result is also `None`.
        """
        future: Future[Any] = Future()
        if self._is_closed or self._is_over:
            future.set_result(None)
            return future
        self._pending.add(future)
        # No lock is needed, because `set.add` and `set.discard` are atomic.
        future.add_done_callback(self._pending.discard)
        self._jobs.put((future, job))
        if not self._thread.ident:
            try:
                self._thread.start()
            except RuntimeError as error:
                # A thread may fail to start, for example because a container limits the
                # number of threads.
                self._give_up(error)
        self._watch(future)
        return future

    def _watch(self, future: "Future[Any]") -> None:
        """Stop using the store if *future* is pending and the running call to the store has
        reached the time limit. Check again when the running call would reach the limit.
        """
        if future.done():
            return
        now = time.monotonic()
        # Measure only the time of the running call, not the time that jobs spend in our
        # queue.
        left = (self._began or now) + self._limit - now
        if left > 0:
            self.call_later(left, partial(self._watch, future))
        else:
            self._give_up()

    def _give_up(self, error: Exception | None = None) -> None:
        """Log that the store failed, and do not call the store again in this crawl."""
        error = error or StoreError(f"no answer within {self._limit:g} seconds")
        self._failed(error, "does not call the store again, and ")
        self._end()

    def _end(self) -> None:
        """Set the result of each pending future to `None`. Do not start any further job.

        This method cannot stop a call to the store that is already running.
        """
        self._is_over = True
        for future in tuple(self._pending):
            _set_result(future, None)

    def _failed(self, error: BaseException, consequence: str = "") -> None:
        """Count and log *error*. The first error, and an error with a *consequence* for the
        rest of the crawl, are logged as warnings.
        """
        self.failures += 1
        why = self.url.describe(error)
        if self.failures > 1 and not consequence:
            logger.debug("ROBOTS1994_STORE %s failed again: %s", self.url, why)
            return
        text = (
            "ROBOTS1994_STORE %s failed: %s. The crawl %scontinues with the policies in "
            "memory, and fetches all other policies."
        )
        logger.warning(text, self.url, why, consequence)

    # The following methods run in the thread of the store.

    def _run(self) -> None:
        """Run jobs, then close the store."""
        while not self._is_over:
            future, job = self._jobs.get()
            if job is None:
                break
            is_paused = time.monotonic() < self._rests_until
            _set_result(future, None if is_paused else self._call(job))
        if self._store is not None:
            self._call(lambda store: store.close())
        self._end()

    def _call(self, job: Job) -> Any:
        """Return the result of *job*, or `None` if the store fails."""
        self._began = time.monotonic()
        try:
            if self._store is None:
                # Create the store in this thread, because some libraries require that a
                # client is created in the thread that uses the client.
                self._store = self.url.new_store()
            return job(self._store)
        except BaseException as error:  # noqa: BLE001 - a store may raise SystemExit, too
            # After `_end`, do not report the error, because the crawl has already reported
            # that the store failed.
            if not self._is_over:
                self._failed(error)
            return None
        finally:
            self._began = None

    def _read(self, origin: Origin, store: PolicyStore) -> Policy | None:
        """Return the stored policy of *origin*. Return `None` if no policy is stored, or if
        the `keep_until` of the policy has passed.
        """
        try:
            entry: Any = store.get(origin)
        except BaseException:
            self._rests_until = time.monotonic() + REST_SECONDS
            raise
        if iscoroutine(entry):
            # Close the coroutine, because Python warns about a coroutine that was never
            # awaited.
            entry.close()
            raise StoreError("its methods must be plain functions, not coroutines")
        policy = entry and self.decode(entry, origin)
        return policy if policy and policy.keep_until > self.clock() else None

    def _take_lease(self, origin: Origin, store: PolicyStore) -> Policy | bool:
        """Return a fresh policy that another worker has stored, or whether this worker may
        fetch the robots.txt of *origin*.
        """
        if not isinstance(store, SharedStore):
            # Without leases, the store does not coordinate the fetches of several workers,
            # so each worker may fetch.
            return True
        seconds = self.fetch_seconds + LEASE_MARGIN
        # Add the origin to `_held` before the call. A call that fails may have acquired
        # the lease.
        self._held.add(origin)
        is_granted = store.acquire_lease(origin, self._holder, seconds).granted
        if not is_granted:
            self._held.discard(origin)
        # Read the store now, because the previous holder of the lease may have stored a
        # policy since our last check.
        policy = self._read(origin, store)
        if policy is None or not policy.is_fresh(self.clock()):
            return is_granted
        self._end_lease(origin, store)
        return policy

    def _end_lease(self, origin: Origin, store: PolicyStore) -> None:
        """Release the lease of *origin* if this process may have acquired the lease."""
        if isinstance(store, SharedStore) and origin in self._held:
            self._held.discard(origin)
            store.release_lease(origin, self._holder)

    def _write(self, policy: Policy, store: PolicyStore) -> None:
        """Store *policy* if other crawls can use *policy*, and if *policy* may replace the
        stored policy.
        """
        if not policy.may_be_shared or not self._may_replace(policy, store):
            return
        entry = encode(policy)
        if len(entry) <= MAX_ENTRY_BYTES:
            store.put(Stored(policy.origin, entry, policy.keep_until))

    def _may_replace(self, policy: Policy, store: PolicyStore) -> bool:
        """Return whether *policy* may replace the stored entry of its origin.

        A policy from a new usable answer may always replace the entry. Ours R5
        (unreachable): a policy without a usable answer must not replace the last good
        policy. The last good policy may exist only in the store, for example because
        another crawl fetched that policy.
        """
        if policy.is_known and not policy.is_stale_on_error:
            return True
        entry, now = store.get(policy.origin), self.clock()
        stored = entry and self.decode(entry, policy.origin)
        if not stored:
            # Do not replace an entry that this crawl cannot decode. The entry may have
            # another version, or contain a file that exceeds the download limit of this
            # crawl.
            return entry is None
        is_good = stored.is_known and now < stored.keep_until
        # A date in the future is wrong, for example because a clock was set back. A stored
        # policy with a date in the future does not count as newer.
        is_newer = policy.fetched_at < stored.fetched_at <= now + CLOCK_SKEW
        return not (is_good and (is_newer or not policy.is_known))


def _set_result(future: "Future[Any]", result: Any) -> None:
    """Set the result of *future*. Do nothing if *future* already has a result or was
    cancelled.
    """
    with suppress(InvalidStateError):
        future.set_result(result)
