"""A keeper before a fake network, which a test settles by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.policy.resolver import Found, PolicyResolver
from scrapy_robots1994.robotstxt import RobotsTxt
from scrapy_robots1994.stores import MemoryStore
from tests.policy.samples import BODY, SITE
from tests.stores.clock import FakeClock

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Answer, FetchError, Validators
    from scrapy_robots1994.policy.backend import Store
    from tests.resolver.drives import Drive, Pending, Running

TERMS = FreshnessSettings(ttl=100.0, min_ttl=10.0, stale_ttl=1000.0, retry_after=30.0)
FILE = RobotsResponse(200, BODY)


@dataclass(frozen=True, slots=True)
class Question:
    """One GET /robots.txt: whom, by which way, and the answer to come.

    *validators* are those that a 304 would speak of.
    """

    origin: Origin
    way: str
    answer: Pending[Any]
    validators: Validators | None = None


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

    def release(self, found: Found) -> None:
        """Let the one who waits go on."""
        self.releases += 1
        if self._pending.is_open:
            self._pending.settle(found)

    def __await__(self) -> Generator[Any, Any, Found]:
        """Wait for `release`."""
        return self._pending.__await__()


@dataclass(slots=True)
class Faults:
    """What goes wrong where, if a test says so."""

    fetch: BaseException | None = None
    read: BaseException | None = None
    settled: BaseException | None = None
    released: BaseException | None = None
    start: BaseException | None = None

    @staticmethod
    def strike(error: BaseException | None) -> None:
        """Raise *error*, if there is one."""
        if error is not None:
            raise error


@dataclass(slots=True)
class FakeOutside:
    """A crawl that asks nobody: it notes each question and waits for the test."""

    drive: Drive
    now: Callable[[], float]
    faults: Faults = field(default_factory=Faults)
    at_once: Answer | None = None
    listeners: Pending[Any] | None = None
    questions: list[Question] = field(default_factory=list)
    under_way: list[Origin] = field(default_factory=list)
    doubled: list[Origin] = field(default_factory=list)
    works: list[Running[None]] = field(default_factory=list)
    waiters: list[FakeWaiter] = field(default_factory=list)
    reads: list[RobotsResponse] = field(default_factory=list)
    told: list[Policy] = field(default_factory=list)
    recalls: list[Policy] = field(default_factory=list)
    given_up: list[tuple[Origin, str]] = field(default_factory=list)

    async def fetch(
        self, origin: Origin, way: str, validators: Validators | None
    ) -> Answer:
        """Note the question; its answer is the test's, unless one comes at once."""
        question = Question(origin, way, self.drive.pending(), validators)
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

    def start(self, work: Coroutine[Any, Any, None], ended: Callable[[], None]) -> None:
        """Run *work* beside everything else."""
        self.faults.strike(self.faults.start)
        running = self.drive.run(work)
        self.works.append(running)
        running.when_over(ended)

    def new_waiter(self) -> FakeWaiter:
        """Make a fresh waiting object."""
        waiter = FakeWaiter(self.drive.pending())
        self.waiters.append(waiter)
        return waiter

    async def settled(
        self,
        policy: Policy,
        answer: RobotsResponse | FetchError,
        way: str,
        last: Policy | None,
    ) -> None:
        """Note the policy, and take as long as the test's listeners do."""
        self.told.append(policy)
        self.faults.strike(self.faults.settled)
        if self.listeners is not None:
            await self.listeners

    async def recalled(self, policy: Policy, way: str) -> None:
        """Note a policy that the store held."""
        self.recalls.append(policy)

    def released(self, origin: Origin, why: str) -> None:
        """Note that a fetch ended without a policy."""
        self.given_up.append((origin, why))
        self.faults.strike(self.faults.released)


class Scene:
    """A keeper, its fake surroundings, and requests that ask it."""

    def __init__(
        self, drive: Drive, terms: FreshnessSettings = TERMS, store: Store | None = None
    ) -> None:
        self.drive = drive
        self.clock = FakeClock()
        self.memory = NotingMemory(self.clock)
        self.outside = FakeOutside(drive, self.clock)
        self.keeper: PolicyResolver[str] = PolicyResolver(
            self.outside, self.memory, terms, store
        )

    def ask(self, origin: Origin = SITE, way: str = "direct") -> Running[Found]:
        """Let one request look for the policy of *origin*."""
        asker = self.drive.run(self.keeper.find(origin, way))
        self.drive.turn()
        return asker

    def answer(self, answer: Answer = FILE, *, nth: int = -1) -> None:
        """Answer the *nth* question, the last one unless said otherwise."""
        self.outside.questions[nth].answer.settle(answer)
        self.drive.turn()

    def fail(self, error: BaseException) -> None:
        """Let the last question end with *error*."""
        self.outside.questions[-1].answer.fail(error)
        self.drive.turn()

    def cancel(self, running: Running[Any]) -> None:
        """Cancel *running*, a request or the work of a fetch."""
        running.cancel()
        self.drive.turn()
