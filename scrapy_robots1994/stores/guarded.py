"""A store that cannot harm the crawl: in time, whatever it does, and one fetch for all.

The crawl's thread gets futures. What they are about happens in a thread of the store
(`worker`), which is abandoned if a call of the store does not return in time.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores.leases import Ended, Leases
from scrapy_robots1994.stores.policies import StoredPolicies
from scrapy_robots1994.stores.worker import CircuitBreaker, NoAnswer, StoreWorker

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.stores.url import StoreUrl

T = TypeVar("T")

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
        # A read-only file is still read, and every store is closed.
        self._breakers = CircuitBreaker.group(url, 3)
        self._reading, self._writing, self._closing = self._breakers
        self._session: _Session | None = None
        self._abandoned: list[StoreWorker] = []
        self._pending: set[Future[Any]] = set()
        self._close_by: float | None = None

    @property
    def failures(self) -> int:
        """How many calls of the store failed."""
        return sum(each.failures for each in self._breakers)

    def get(self, origin: Origin) -> Future[Policy | None]:
        """Return the stored policy of *origin*, fresh or stale."""
        return self._submit(_Get, origin)

    def acquire_lease(self, origin: Origin) -> Future[Policy | None]:
        """Wait until this process may fetch *origin*, or another one has fetched it."""
        return self._submit(_Acquire, origin)

    def release_lease(
        self, origin: Origin, policy: Policy | None, *, aborted: bool = False
    ) -> None:
        """Store the *policy* that our fetch made, and end our lease, if there is one.

        If the fetch was *aborted*, the next worker takes it over. If it ended without
        a policy that may be shared, all workers that wait fetch at once, in parallel.
        """
        session = self._open_session()
        if session is not None:
            session.worker.submit(_Release(origin, policy, aborted))

    def close(self) -> Future[None]:
        """Store what was released before, then close the store, in its time limit."""
        self._close_by = time.monotonic() + self._url.timeout
        future: Future[None] = Future()
        if self._session is None:
            future.set_result(None)
            return future
        self._note(future)
        self._session.worker.submit(_Close(future))
        return future

    def check_time(self) -> float | None:
        """Abandon the thread of the store if its call has run into the time limit.

        Return the seconds until the next check, `None` while no future is pending.
        """
        if not self._pending or self._session is None:
            return None
        now, worker = time.monotonic(), self._session.worker
        # Time in our own queue is not the store's.
        began = worker.call_began
        deadline = (now if began is None else began) + self._url.timeout
        if self._close_by is not None:
            deadline = min(deadline, self._close_by)
        if now < deadline:
            return deadline - now
        self._abandon(worker)
        return None

    def _submit(
        self, job: type[_Get | _Acquire], origin: Origin
    ) -> Future[Policy | None]:
        """Submit a job to the thread of the store."""
        future: Future[Policy | None] = Future()
        session = self._open_session()
        if session is None:
            future.set_result(None)
        else:
            self._note(future)
            session.worker.submit(job(origin, future))
        return future

    def _note(self, future: Future[Any]) -> None:
        """Count *future* as pending until it is done."""
        self._pending.add(future)
        # Adding and discarding are atomic, in whichever threads.
        future.add_done_callback(self._pending.discard)

    def _open_session(self) -> _Session | None:
        """Return the session, a new one if need be; `None` while the store rests."""
        if self._session is None and self._close_by is None:
            self._abandoned = [each for each in self._abandoned if each.is_alive()]
            rests = self._reading.is_resting and self._writing.is_resting
            if not rests and len(self._abandoned) < MAX_ABANDONED:
                self._session = self._new_session()
        return self._session

    def _new_session(self) -> _Session | None:
        """Start a thread with an instance of its own."""
        try:
            store = self._url.new_store()
        except Exception as error:  # noqa: BLE001 - any class can be a store
            self._reading.failed(error)
            return None
        if store is None:
            return None
        worker = StoreWorker(store, self._url.timeout)
        policies = StoredPolicies(
            worker, self._reading, self._writing, self._decode, self._clock
        )
        return _Session(worker, policies, self._closing, self._max_fetch_seconds)

    def _abandon(self, worker: StoreWorker) -> None:
        """Leave the thread to itself. It ends when its call returns, if ever."""
        worker.is_abandoned = True
        self._session = None
        self._abandoned.append(worker)
        error = StoreError(f"no answer within {self._url.timeout:g} seconds")
        (worker.breaker or self._closing).failed(error)
        for breaker in self._breakers:
            breaker.rest()
        for future in list(self._pending):
            _set(future, None)


@dataclass(frozen=True, slots=True)
class _Get:
    """A job: set the stored policy."""

    origin: Origin
    future: Future[Policy | None]


@dataclass(frozen=True, slots=True)
class _Acquire:
    """A job: set `None` once this process may fetch, or a policy."""

    origin: Origin
    future: Future[Policy | None]


@dataclass(frozen=True, slots=True)
class _Release:
    """A job: store the policy and end the lease."""

    origin: Origin
    policy: Policy | None
    aborted: bool


@dataclass(frozen=True, slots=True)
class _Close:
    """A job: end all leases and close the store."""

    future: Future[None]


class _Session:
    """A thread with an instance of the store, and what is done in it."""

    def __init__(
        self,
        worker: StoreWorker,
        policies: StoredPolicies,
        closing: CircuitBreaker,
        max_fetch_seconds: float,
    ) -> None:
        self.worker = worker
        self._policies = policies
        self._closing = closing
        self._leases = Leases(policies, max_fetch_seconds)
        worker.tick, worker.process = self._leases.tick, self._process
        worker.start()

    def _process(self, jobs: list[Any]) -> None:
        """Process *jobs*. However one fails, its future is done."""
        try:
            # In this order: of one origin, a release is submitted before the next
            # `_Get`, and no `_Acquire` before its `_Get` is done.
            self._release([job for job in jobs if isinstance(job, _Release)])
            ended = [job for job in jobs if isinstance(job, Ended)]
            if ended:
                self._leases.ended({job.origin: job.failed for job in ended})
            self._get([job for job in jobs if isinstance(job, _Get)])
            wanted = [job for job in jobs if isinstance(job, _Acquire)]
            # A wait that was cancelled has been released above.
            waits = {
                j.origin: partial(_set, j.future)
                for j in wanted
                if not j.future.cancelled()
            }
            self._leases.acquire(waits)
            if any(isinstance(job, _Close) for job in jobs):
                self._close()
        except Exception:
            for job in jobs:
                if isinstance(job, (_Get, _Acquire)):
                    _set(job.future, None)
            raise
        finally:
            for job in jobs:
                if isinstance(job, _Close):
                    _set(job.future, None)

    def _get(self, jobs: list[_Get]) -> None:
        """Set the stored policies."""
        policies: dict[Origin, Policy] = {}
        with suppress(NoAnswer):
            policies = self._policies.read({job.origin for job in jobs})
        for job in jobs:
            _set(job.future, policies.get(job.origin))

    def _release(self, jobs: list[_Release]) -> None:
        """Store policies and end leases."""
        stored: set[Origin] = set()
        with suppress(NoAnswer):
            stored = self._policies.write([job.policy for job in jobs if job.policy])
        for failed in (False, True):
            with suppress(NoAnswer):
                self._leases.release(
                    [
                        job.origin
                        for job in jobs
                        if failed != (job.aborted or job.origin in stored)
                    ],
                    failed=failed,
                )

    def _close(self) -> None:
        """End all leases and close the store."""
        with suppress(NoAnswer):
            self._leases.release_all()
        with suppress(NoAnswer):
            self.worker.close(self._closing)


def _set(future: Future[T], result: T) -> None:
    """Set the result of *future*, unless it was cancelled or abandoned meanwhile."""
    with suppress(InvalidStateError):
        future.set_result(result)
