"""A resolver with a fake network and a fake store. The test provides all answers of the
network and of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass, field
from typing import Any

from scrapy_robots1994.crawl.resolver import InFlightFetch, PolicyResolver, Resolution
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import (
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
)
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores.memory import MemoryStore
from tests.unit.resolver_drivers import Driver, Pending, Running
from tests.unit.samples import READER, FakeClock

FRESHNESS = FreshnessSettings(
    ttl=100.0, min_ttl=10.0, stale_if_error=1000.0, retry_after=30.0
)


@dataclass(frozen=True, slots=True)
class FakeCall:
    """A fetch of robots.txt, a pause before a retry, or a read of the store. The test
    completes the awaitable *answer*.
    """

    origin: Origin
    answer: Pending
    validators: dict[str, bytes] = field(default_factory=dict)
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Fetched:
    """A policy that the resolver built from *result*, and the policy in memory that the
    new policy replaced.
    """

    policy: Policy
    result: RobotsResponse | FetchError
    validators: dict[str, bytes]
    previous: Policy | None
    at: float


class RecordingMemory(MemoryStore):
    """A memory store that records every stored policy, and the policy that the last `put`
    replaced.
    """

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(100, clock)
        self.puts: list[Policy] = []
        self.replaced: Policy | None = None

    def put(self, policy: Policy) -> None:
        """Store *policy*. Record *policy*, and the policy that *policy* replaces."""
        self.puts.append(policy)
        self.replaced = self._policies.get(policy.origin)
        super().put(policy)


class FakeWaiter:
    """A waiter that counts its releases."""

    def __init__(self, pending: Pending) -> None:
        self._pending = pending
        self.releases = 0

    def release(self, resolution: Resolution) -> None:
        """Count the release, and resume the waiting request."""
        self.releases += 1
        if self._pending.is_open:
            self._pending.complete(resolution)

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait for `release`."""
        return self._pending.__await__()


@dataclass(slots=True)
class FakeBackend:
    """A backend without a network. The backend records each call, and the test answers the
    call.
    """

    driver: Driver
    now: Callable[[], float]
    memory: RecordingMemory
    reader: Reader = READER
    store: FakeBackend | None = None
    http_cache: None = None
    freshness: FreshnessSettings = FRESHNESS
    max_retries: int = 2
    listener_error: BaseException | None = None
    is_closing: bool = False
    is_loop_closed: bool = False
    fetches: list[FakeCall] = field(default_factory=list)
    retried: list[Origin] = field(default_factory=list)
    retried_before: dict[Origin, int] = field(default_factory=dict)
    pauses: list[FakeCall] = field(default_factory=list)
    reads: list[FakeCall] = field(default_factory=list)
    under_way: list[Origin] = field(default_factory=list)
    doubled: list[Origin] = field(default_factory=list)
    works: list[tuple[Origin, Running]] = field(default_factory=list)
    waiters: list[FakeWaiter] = field(default_factory=list)
    fetched: list[Fetched] = field(default_factory=list)
    cancelled_later: list[Callable[[], object]] = field(default_factory=list)
    lookups: int = 0
    leased: set[Origin] = field(default_factory=set)
    released: list[tuple[Origin, Policy | None]] = field(default_factory=list)

    def retries_of(self, context: str) -> int:
        """Return 0, because no page was retried."""
        return 0

    def count_retries(self, context: str, retries: int) -> None:
        """Count nothing, because no page is sent."""

    async def fetch(
        self, origin: Origin, context: str, last: Policy | None, *, cookies: object
    ) -> FetchResult:
        """Record the fetch, and wait until the test answers the fetch."""
        validators = {} if last is None else last.validators(origin.robots_url)
        fetch = FakeCall(origin, self.driver.pending(), validators, self.now())
        self.fetches.append(fetch)
        # With a store, each fetch needs a lease. The lease also covers the retries of the
        # fetch.
        if origin in self.under_way or (self.lookups and origin not in self.leased):
            self.doubled.append(origin)
        self.under_way.append(origin)
        try:
            result: FetchResult = await fetch.answer
            return result
        finally:
            self.under_way.remove(origin)

    async def sleep(self, seconds: float) -> None:
        """Record the pause, and wait until the test ends the pause."""
        self.pauses.append(FakeCall(self.retried[-1], self.driver.pending()))
        await self.pauses[-1].answer

    def start(
        self, work: Coroutine[Any, Any, None], ended: Callable[[], None]
    ) -> Callable[[], None]:
        """Run *work* independently of the caller."""
        if self.is_loop_closed:
            raise RuntimeError("the loop is closed")
        frame: Any = getattr(work, "cr_frame", None)
        in_flight: InFlightFetch = frame.f_locals["in_flight"]
        contexts: Any = in_flight.waiters.values()
        assert not self.is_closing or "awaited" in contexts
        self.retried_before[in_flight.origin] = self.retried.count(in_flight.origin)
        running = self.driver.run(work, ended)
        self.works.append((in_flight.origin, running))
        return running.cancel

    def new_waiter(self) -> FakeWaiter:
        """Make a new waiter."""
        self.waiters.append(FakeWaiter(self.driver.pending()))
        return self.waiters[-1]

    def retrying(self, origin: Origin, *_: object) -> None:
        """Record the retry of a fetch, before the pause. In a closing crawl, check that
        the fetch is retried only once more (R6, closing).
        """
        self.retried.append(origin)
        if self.is_closing:
            assert self.retried.count(origin) == self.retried_before[origin] + 1

    async def read(self, *_: object) -> None:
        """Read no file."""

    async def announce(
        self,
        policy: Policy,
        _known: Policy | None,
        _context: object,
        result: RobotsResponse | FetchError | None = None,
        _last: Policy | None = None,
    ) -> None:
        """Record *policy* if it was made from a *result*. Then raise the exception of a
        broken listener, if the test has set one.
        """
        if result is not None:
            last = [each for each in self.fetches if each.origin == policy.origin][-1]
            previous, at = self.memory.replaced, self.now()
            made = Fetched(policy, result, last.validators, previous, at)
            self.fetched.append(made)
        if self.listener_error is not None:
            raise self.listener_error

    def cancel_later(self, cancel: Callable[[], object]) -> None:
        """Record *cancel*. The function *cancel* ends a fetch that continues in a closing
        crawl.
        """
        self.cancelled_later.append(cancel)

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Do nothing when a fetch fails."""

    # The following methods belong to the fake store.

    async def get(self, origin: Origin) -> Policy | None:
        """Count the look-up in the store, and wait until the test answers the look-up."""
        self.lookups += 1
        return await self._read(origin)

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Record the lease, and read the stored policy."""
        self.leased.add(origin)
        return await self._read(origin)

    async def _read(self, origin: Origin) -> Policy | None:
        """Record the read of the store, and wait until the test answers the read."""
        self.reads.append(FakeCall(origin, self.driver.pending()))
        stored: Policy | None = await self.reads[-1].answer
        return stored

    def release_lease(self, origin: Origin, policy: Policy | None) -> None:
        """Record *policy* and the release of the lease."""
        self.leased.discard(origin)
        self.released.append((origin, policy))


class ResolverHarness:
    """A resolver with a fake backend and a fake clock."""

    def __init__(self, driver: Driver, *, has_store: bool = False) -> None:
        self.driver = driver
        self.clock = FakeClock()
        self.memory = RecordingMemory(self.clock)
        self.backend = FakeBackend(driver, self.clock, self.memory)
        backend: Any = self.backend
        self.backend.store = backend if has_store else None
        self.resolver = PolicyResolver(backend)
