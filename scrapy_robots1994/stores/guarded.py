"""A store that cannot harm the crawl: in time, whatever it does, and one fetch for all.

The crawl's thread gets futures. What they are about happens in a thread of the store
(`worker`), which is abandoned if a call of the store does not return in time.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Final

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores.leases import LeasedPolicies, set_result
from scrapy_robots1994.stores.worker import CircuitBreaker, StoreWorker

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.stores.url import StoreUrl

MAX_ABANDONED: Final = 3
"""Threads whose call never returned, after which no further one is started."""


class GuardedStore:
    """The store at *url* with a time limit, a circuit breaker, and leases.

    Every future gets a result, `None` if the store fails; none gets an exception. The
    caller calls `check_time` again and again while a future is not done. *decode* makes
    the policy of an entry. A fetch of ours takes at most *max_fetch_seconds*.
    """

    def __init__(
        self,
        url: StoreUrl,
        decode: Callable[[bytes, Origin], Policy | None],
        max_fetch_seconds: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._url = url
        self._decode = decode
        self._max_fetch_seconds = max_fetch_seconds
        self._clock = clock
        self._breaker = CircuitBreaker(url)
        self._running: tuple[StoreWorker, LeasedPolicies] | None = None
        self._abandoned: list[StoreWorker] = []
        # What to set if the thread is abandoned: no future may stay without a result.
        self._pending: set[Future[Any]] = set()
        self._close_by: float | None = None

    @property
    def failures(self) -> int:
        """How many calls of the store failed."""
        return self._breaker.failures

    def get(self, origin: Origin) -> Future[Policy | None]:
        """Return the stored policy of *origin*, fresh or stale."""
        return self._submit(LeasedPolicies.get, origin)

    def acquire_lease(self, origin: Origin) -> Future[Policy | None]:
        """Wait until this process may fetch *origin*, or another one has fetched it."""
        return self._submit(LeasedPolicies.acquire, origin)

    def release_lease(
        self, origin: Origin, policy: Policy | None, *, aborted: bool = False
    ) -> None:
        """Store the *policy* that our fetch made, and end our lease, if there is one.

        If the fetch was *aborted*, the next worker takes it over. If it ended without
        a policy that may be shared, all workers that wait fetch at once, in parallel.
        """
        if running := self._run():
            worker, policies = running
            worker.submit(policies.release, origin, policy, aborted)

    def close(self) -> Future[None]:
        """Store what was released before, then close the store, in its time limit."""
        self._close_by = time.monotonic() + self._url.timeout
        return self._submit(LeasedPolicies.close)

    def check_time(self) -> float | None:
        """Abandon the thread of the store if its call has run into the time limit.

        Return the seconds until the next check, `None` while no future is pending.
        """
        if not self._pending or self._running is None:
            return None
        now, worker = time.monotonic(), self._running[0]
        # Time in our own queue is not the store's.
        _, began = worker.running or (None, now)
        deadline = began + self._url.timeout
        if self._close_by is not None:
            deadline = min(deadline, self._close_by)
        if now < deadline:
            return deadline - now
        self._abandon(worker)
        return None

    def _submit(self, method: Callable[..., None], *args: object) -> Future[Any]:
        """Call *method* in the thread of the store with a future, and return this."""
        future: Future[Any] = Future()
        if running := self._run():
            worker, policies = running
            self._pending.add(future)
            # Adding and discarding are atomic, in whichever threads.
            future.add_done_callback(self._pending.discard)
            worker.submit(method, policies, *args, future)
        else:
            future.set_result(None)
        return future

    def _run(self) -> tuple[StoreWorker, LeasedPolicies] | None:
        """Return the running thread, a new one if need be; `None` if there is none."""
        if self._running is None and self._close_by is None:
            # A call that returned late has ended its thread.
            self._abandoned = [each for each in self._abandoned if each.is_alive()]
            if len(self._abandoned) < MAX_ABANDONED:
                worker = StoreWorker(self._url, self._breaker)
                policies = LeasedPolicies(
                    worker, self._decode, self._max_fetch_seconds, self._clock
                )
                worker.tick = policies.tick
                worker.start()
                self._running = worker, policies
        return self._running

    def _abandon(self, worker: StoreWorker) -> None:
        """Leave the thread to itself. It ends when its call returns, if ever."""
        worker.is_abandoned = True
        running, self._running = worker.running, None
        self._abandoned.append(worker)
        error = StoreError(f"no answer within {self._url.timeout:g} seconds")
        self._breaker.failed(running[0] if running else "close", error)
        # A new thread would be abandoned, too: most stores hang for a while.
        self._breaker.rest("read", "write")
        for future in list(self._pending):
            set_result(future, None)
