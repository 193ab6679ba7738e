"""A resolver with a fake network, which a test settles by hand."""

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
from scrapy_robots1994.policy.faults import RetrySchedule
from scrapy_robots1994.policy.resolver import PolicyResolver
from scrapy_robots1994.robotstxt import RobotsTxt
from scrapy_robots1994.stores import MemoryStore
from tests.policy.samples import BODY, SITE
from tests.stores.clock import FakeClock

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import FetchError, FetchResult, Validators
    from scrapy_robots1994.policy.backend import Resolution, Store
    from tests.resolver.drives import Drive, Pending, Running

TERMS = FreshnessSettings(
    ttl=100.0, min_ttl=10.0, stale_if_error=1000.0, retry_after=30.0
)
FILE = RobotsResponse(200, BODY)
NO_RETRIES = RetrySchedule(times=0)


@dataclass(frozen=True, slots=True)
class Question:
    """One GET /robots.txt: of which origin, in which context, and the answer to come.

    *validators* are those that a 304 would speak of.
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


class NotingMemory(MemoryStore):
    """A memory store that notes what was ever put."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(100, clock)
        self.puts: list[Policy] = []

    def put(self, policy: Policy) -> None:
        """Hold *policy*, and note it."""
        self.puts.append(policy)
        super().put(policy)


class FakeWaiter:
    """A waiting object that counts how often it was released."""

    def __init__(self, pending: Pending[Any]) -> None:
        self._pending = pending
        self.releases = 0

    def release(self, resolution: Resolution) -> None:
        """Let the one who waits go on."""
        self.releases += 1
        if self._pending.is_open:
            self._pending.settle(resolution)

    def __await__(self) -> Generator[Any, Any, Resolution]:
        """Wait for `release`."""
        return self._pending.__await__()


@dataclass(slots=True)
class Faults:
    """What goes wrong where, if a test says so."""

    fetch: BaseException | None = None
    read: BaseException | None = None
    listeners: BaseException | None = None
    failed: BaseException | None = None
    start: BaseException | None = None

    @staticmethod
    def strike(error: BaseException | None) -> None:
        """Raise *error*, if there is one."""
        if error is not None:
            raise error


@dataclass(slots=True)
class FakeBackend:
    """A crawl that asks nobody: it notes each question and waits for the test."""

    drive: Drive
    now: Callable[[], float]
    faults: Faults = field(default_factory=Faults)
    at_once: FetchResult | None = None
    listeners: Pending[Any] | None = None
    questions: list[Question] = field(default_factory=list)
    under_way: list[Origin] = field(default_factory=list)
    doubled: list[Origin] = field(default_factory=list)
    works: list[Running[None]] = field(default_factory=list)
    waiters: list[FakeWaiter] = field(default_factory=list)
    reads: list[RobotsResponse] = field(default_factory=list)
    told: list[Policy] = field(default_factory=list)
    loaded: list[Policy] = field(default_factory=list)
    given_up: list[tuple[Origin, LocalFault | Cancelled]] = field(default_factory=list)
    retries: list[FetchResult] = field(default_factory=list)
    retried: list[Origin] = field(default_factory=list)
    pauses: list[Pause] = field(default_factory=list)

    async def fetch(
        self, origin: Origin, context: str, validators: Validators | None
    ) -> FetchResult:
        """Note the question; its answer is the test's, unless one comes at once."""
        question = Question(origin, context, self.drive.pending(), validators)
        self.questions.append(question)
        if origin in self.under_way:
            self.doubled.append(origin)
        self.under_way.append(origin)
        try:
            self.faults.strike(self.faults.fetch)
            return self.at_once or await question.answer
        finally:
            self.under_way.remove(origin)

    async def read(self, answer: RobotsResponse) -> RobotsTxt:
        """Parse the body of *answer*."""
        self.reads.append(answer)
        self.faults.strike(self.faults.read)
        return RobotsTxt.parse(answer.body)

    async def sleep(self, seconds: float) -> None:
        """Note the pause; it ends when the test says so."""
        pause = Pause(seconds, self.drive.pending())
        self.pauses.append(pause)
        await pause.end

    def fault_of(self, error: Exception) -> LocalFault | Cancelled:
        """Tell a cancellation from a bug."""
        if isinstance(error, (CancelledError, AsyncioCancelledError)):
            return Cancelled("cancelled")
        return LocalFault(error, is_bug=True)

    def start(
        self, work: Coroutine[Any, Any, None], ended: Callable[[], None]
    ) -> Running[None]:
        """Run *work* on its own."""
        self.faults.strike(self.faults.start)
        running = self.drive.run(work)
        self.works.append(running)
        running.when_over(ended)
        return running

    def new_waiter(self) -> FakeWaiter:
        """Make a fresh waiting object."""
        waiter = FakeWaiter(self.drive.pending())
        self.waiters.append(waiter)
        return waiter

    def retrying(self, origin: Origin, result: FetchResult, pause: float) -> None:
        """Note what makes a retry necessary."""
        self.retries.append(result)
        self.retried.append(origin)

    async def policy_fetched(
        self,
        policy: Policy,
        result: RobotsResponse | FetchError,
        context: str,
        last: Policy | None,
    ) -> None:
        """Note the policy, and take as long as the test's listeners do."""
        self.told.append(policy)
        self.faults.strike(self.faults.listeners)
        if self.listeners is not None:
            await self.listeners

    async def policy_loaded(self, policy: Policy, context: str) -> None:
        """Note a policy of the store."""
        self.loaded.append(policy)

    def fetch_failed(self, origin: Origin, fault: LocalFault | Cancelled) -> None:
        """Note that a fetch ended without a policy."""
        self.given_up.append((origin, fault))
        self.faults.strike(self.faults.failed)


class Scene:
    """A resolver, its fake surroundings, and requests that wait for it."""

    def __init__(
        self,
        drive: Drive,
        terms: FreshnessSettings = TERMS,
        store: Store | None = None,
        retries: RetrySchedule = NO_RETRIES,
    ) -> None:
        self.drive = drive
        self.clock = FakeClock()
        self.memory = NotingMemory(self.clock)
        self.backend = FakeBackend(drive, self.clock)
        self.resolver: PolicyResolver[str] = PolicyResolver(
            self.backend, self.memory, terms, store, retries
        )

    def ask(self, origin: Origin = SITE, context: str = "direct") -> Running[Policy]:
        """Let one request look for the policy of *origin*."""
        asker = self.drive.run(self.resolver.resolve(origin, context))
        self.drive.turn()
        return asker

    def answer(self, answer: FetchResult = FILE, *, nth: int = -1) -> None:
        """Answer the *nth* question, the last one unless said otherwise."""
        self.backend.questions[nth].answer.settle(answer)
        self.drive.turn()

    def fail(self, error: BaseException) -> None:
        """Let the last question end with *error*."""
        self.backend.questions[-1].answer.fail(error)
        self.drive.turn()

    def wake(self) -> float:
        """End the last pause; return how long it would have been."""
        pause = self.backend.pauses[-1]
        pause.end.settle(None)
        self.drive.turn()
        return pause.seconds

    def cancel(self, running: Running[Any]) -> None:
        """Cancel *running*, a request or the work of a fetch."""
        running.cancel()
        self.drive.turn()

    def abort(self, reason: str = "closing") -> None:
        """Let the crawl close."""
        self.resolver.abort(reason)
        self.drive.turn()


def end_of(asker: Running[Policy]) -> Policy | Exception:
    """Return what *asker* got: a policy, or the exception it ended with."""
    try:
        return asker.result()
    except Exception as error:  # noqa: BLE001 - any is an end
        return error


def reason_of(asker: Running[Policy]) -> str:
    """Return the reason for which the wait of *asker* was aborted."""
    error = end_of(asker)
    assert isinstance(error, FetchAborted)
    return error.reason
