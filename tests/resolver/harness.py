"""A resolver with a fake network whose answers are given by the test."""

from __future__ import annotations

from asyncio import CancelledError as AsyncioCancelledError
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import CancelledError

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import (
    Cancelled,
    FreshnessSettings,
    LocalFault,
    Policy,
    RobotsResponse,
)
from scrapy_robots1994.policy.resolver import PolicyResolver
from scrapy_robots1994.robotstxt import Reader, RobotsTxt
from tests.policy.samples import BODY, SITE
from tests.stores.clock import FakeClock
from tests.stores.guarded_store import ListedMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import FetchError, FetchResult, Validators
    from scrapy_robots1994.policy.backend import InFlightFetch, Resolution, Store
    from tests.resolver.drivers import Driver, Pending, Running

FRESHNESS = FreshnessSettings(
    ttl=100.0, min_ttl=10.0, stale_if_error=1000.0, retry_after=30.0
)
FILE = RobotsResponse(200, BODY)


@dataclass(frozen=True, slots=True)
class FakeFetch:
    """One GET /robots.txt: its origin, its context, and the answer to come.

    *validators* are those of a conditional request.
    """

    origin: Origin
    context: str
    answer: Pending[Any]
    validators: Validators | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    """One pause before a retry, and its end."""

    seconds: float
    end: Pending[None]


class RecordingMemory(ListedMemory):
    """A memory store that records every policy put."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(100, clock)
        self.puts: list[Policy] = []

    def put(self, policy: Policy) -> None:
        """Store *policy*, and record it."""
        self.puts.append(policy)
        super().put(policy)


class FakeWaiter:
    """A waiter that counts its releases."""

    def __init__(self, pending: Pending[Any]) -> None:
        self._pending = pending
        self.releases = 0

    def release(self, resolution: Resolution) -> None:
        """Resume the waiting request."""
        self.releases += 1
        if self._pending.is_open:
            self._pending.complete(resolution)

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait for `release`."""
        return self._pending.__await__()


@dataclass(slots=True)
class Faults:
    """The errors that the backend raises, set by the test."""

    fetch: BaseException | None = None
    read: BaseException | None = None
    listeners: BaseException | None = None
    failed: BaseException | None = None
    start: BaseException | None = None

    @staticmethod
    def raise_if_set(error: BaseException | None) -> None:
        """Raise *error*, if there is one."""
        if error is not None:
            raise error


class FakeReader(Reader):
    """A reader that records what it reads."""

    def __init__(self, faults: Faults, reads: list[bytes]) -> None:
        super().__init__("1994", "literal", 512_000)
        self.faults = faults
        self.reads = reads

    def read(self, body: bytes, *, is_truncated: bool = False) -> RobotsTxt:
        """Parse *body*."""
        self.reads.append(body)
        self.faults.raise_if_set(self.faults.read)
        return super().read(body, is_truncated=is_truncated)


@dataclass(slots=True)
class FakeBackend:
    """A backend without a network: it records each fetch, which the test answers."""

    driver: Driver
    now: Callable[[], float]
    faults: Faults = field(default_factory=Faults)
    reader: Reader = field(init=False)
    cancelled: tuple[type[BaseException], ...] = (CancelledError, AsyncioCancelledError)
    at_once: FetchResult | None = None
    listeners: Pending[Any] | None = None
    fetches: list[FakeFetch] = field(default_factory=list)
    under_way: list[Origin] = field(default_factory=list)
    doubled: list[Origin] = field(default_factory=list)
    works: list[Running[None]] = field(default_factory=list)
    waiters: list[FakeWaiter] = field(default_factory=list)
    reads: list[bytes] = field(default_factory=list)
    fetched: list[Policy] = field(default_factory=list)
    loaded: list[Policy] = field(default_factory=list)
    announced: list[Policy | None] = field(default_factory=list)
    given_up: list[tuple[Origin, LocalFault | Cancelled]] = field(default_factory=list)
    retries: list[FetchResult] = field(default_factory=list)
    retried: list[Origin] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)
    cancelled_later: list[Callable[[], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Make the reader."""
        self.reader = FakeReader(self.faults, self.reads)

    async def fetch(
        self, origin: Origin, context: str, validators: Validators | None
    ) -> FetchResult:
        """Record the fetch; the test answers it, unless `at_once` does."""
        fetch = FakeFetch(origin, context, self.driver.pending(), validators)
        self.fetches.append(fetch)
        if origin in self.under_way:
            self.doubled.append(origin)
        self.under_way.append(origin)
        try:
            self.faults.raise_if_set(self.faults.fetch)
            return self.at_once or await fetch.answer
        finally:
            self.under_way.remove(origin)

    async def sleep(self, seconds: float) -> None:
        """Record the pause; the test ends it."""
        pause = Pause(seconds, self.driver.pending())
        self.pauses.append(pause)
        await pause.end

    def start(
        self, work: Coroutine[Any, Any, None], ended: Callable[[], None]
    ) -> Callable[[], None]:
        """Run *work* independently of the caller."""
        self.faults.raise_if_set(self.faults.start)
        running = self.driver.run(work)
        self.works.append(running)
        running.on_done(ended)
        return running.cancel

    def new_waiter(self) -> FakeWaiter:
        """Make a new waiter."""
        waiter = FakeWaiter(self.driver.pending())
        self.waiters.append(waiter)
        return waiter

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Record the result that is retried."""
        self.retries.append(result)
        self.retried.append(origin)

    async def policy_fetched(
        self,
        policy: Policy,
        result: RobotsResponse | FetchError,
        in_flight: InFlightFetch[str],
    ) -> None:
        """Record the policy, and wait for the test's listeners."""
        self.fetched.append(policy)
        self.announced.append(in_flight.announced)
        self.faults.raise_if_set(self.faults.listeners)
        if self.listeners is not None:
            await self.listeners

    async def policy_loaded(
        self, policy: Policy, in_flight: InFlightFetch[str]
    ) -> None:
        """Record a policy loaded from the store, and wait for the test's listeners."""
        self.loaded.append(policy)
        self.announced.append(in_flight.announced)
        if self.listeners is not None:
            await self.listeners

    def cancel_later(self, cancel: Callable[[], object]) -> None:
        """Record what ends a fetch that goes on in a closing crawl."""
        self.cancelled_later.append(cancel)

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Record a fetch that ended without a policy."""
        self.given_up.append((origin, fault))
        self.faults.raise_if_set(self.faults.failed)


class ResolverHarness:
    """A resolver with a fake backend, a fake clock and requests that wait for it."""

    def __init__(
        self,
        driver: Driver,
        freshness: FreshnessSettings = FRESHNESS,
        store: Store | None = None,
        max_retries: int = 0,
    ) -> None:
        self.driver = driver
        self.clock = FakeClock()
        self.memory = RecordingMemory(self.clock)
        self.backend = FakeBackend(driver, self.clock)
        self.resolver: PolicyResolver[str] = PolicyResolver(
            self.backend, self.memory, freshness, store, max_retries
        )

    def resolve(
        self, origin: Origin = SITE, context: str = "direct"
    ) -> Running[Policy]:
        """Start one request that resolves the policy of *origin*."""
        request = self.driver.run(self.resolver.resolve(origin, context))
        self.driver.turn()
        return request

    def answer(self, answer: FetchResult = FILE, *, nth: int = -1) -> None:
        """Answer the *nth* fetch, the last one unless said otherwise."""
        self.backend.fetches[nth].answer.complete(answer)
        self.driver.turn()

    def fail(self, error: BaseException) -> None:
        """Let the last fetch end with *error*."""
        self.backend.fetches[-1].answer.fail(error)
        self.driver.turn()

    def wake(self) -> float:
        """End the last pause; return how long it would have been."""
        pause = self.backend.pauses[-1]
        pause.end.complete(None)
        self.driver.turn()
        return pause.seconds

    def cancel(self, running: Running[Any]) -> None:
        """Cancel *running*, a request or the work of a fetch."""
        running.cancel()
        self.driver.turn()

    def abort(
        self, reason: str = "closing", keeps: Callable[[str], bool] = lambda _: False
    ) -> None:
        """Let the crawl close, but for requests whose context *keeps*."""
        self.resolver.abort(reason, keeps)
        self.driver.turn()


def outcome_of(request: Running[Policy]) -> Policy | Exception:
    """Return the policy of *request*, or the exception it failed with."""
    try:
        return request.result()
    except Exception as error:  # noqa: BLE001 - any exception is an outcome
        return error


def reason_of(request: Running[Policy]) -> str:
    """Return the reason for which the wait of *request* was aborted."""
    error = outcome_of(request)
    assert isinstance(error, FetchAborted)
    return str(error)
