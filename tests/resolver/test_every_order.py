"""Arrivals, answers, failures, cancellations and clock changes, in every order.

Coroutines do not run on their own: `run_all` is one rule among the others, so that
on asyncio several events may happen before any coroutine resumes.
"""

from __future__ import annotations

from asyncio import CancelledError
from dataclasses import dataclass
from typing import TYPE_CHECKING

import hypothesis.strategies as st
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import (
    Cancelled,
    LocalFault,
    Policy,
    RobotsResponse,
)
from tests.policy.samples import TIMEOUT
from tests.resolver.drivers import AsyncioDriver, Driver, TwistedDriver
from tests.resolver.harness import FILE, FakeFetch, Pause, ResolverHarness

if TYPE_CHECKING:
    from scrapy_robots1994.policy import FetchResult
    from tests.resolver.drivers import Running

ORIGINS = [Origin("http", "site.example", 80), Origin("https", "site.example", 443)]

ANSWERS: list[FetchResult] = [
    FILE,
    RobotsResponse(200, b"", freshness_lifetime=10.0),
    RobotsResponse(403),
    RobotsResponse(404),
    RobotsResponse(503, retry_after=60.0),
    TIMEOUT,
    Cancelled("withdrawn"),
    LocalFault(OSError(24, "Too many open files")),
]

CONTEXTS = ["direct", "proxy 1", "proxy 2"]

ERRORS: list[type[BaseException]] = [ZeroDivisionError, CancelledError]


@dataclass(slots=True)
class Request:
    """One request: the policy in memory when it arrived, and its result."""

    origin: Origin
    context: str = "direct"
    in_memory: Policy | None = None
    resolved_at: float = 0.0
    puts_before: int = 0
    result: Policy | Exception | None = None
    running: Running[None] | None = None

    async def resolve(self, harness: ResolverHarness) -> None:
        """Resolve the policy of the origin, and record what a check needs."""
        self.in_memory = harness.memory.get(self.origin)
        self.resolved_at = harness.clock.now
        self.puts_before = len(harness.memory.puts)
        try:
            self.result = await harness.resolver.resolve(self.origin, self.context)
        except (FetchAborted, OSError, ZeroDivisionError) as error:
            self.result = error

    def is_right(self, puts: list[Policy]) -> bool:
        """Whether the result was in memory, or made while the request waited."""
        if self.in_memory is not None and self.in_memory.is_usable(self.resolved_at):
            return self.result is self.in_memory
        if isinstance(self.result, Exception):
            return True
        return any(policy is self.result for policy in puts[self.puts_before :])


class EveryOrder(RuleBasedStateMachine):
    """A crawl of two origins in which anything may happen at any time."""

    driver_class: type[Driver]
    max_releases = 1

    def __init__(self) -> None:
        super().__init__()
        self.harness = self.new_harness()
        self.backend = self.harness.backend
        self.requests: list[Request] = []
        self.is_aborted = False

    def new_harness(self) -> ResolverHarness:
        """Make the harness under test."""
        return ResolverHarness(self.driver_class(), max_retries=2)

    def policies(self) -> list[Policy]:
        """Return every policy that was built from a response."""
        return self.backend.fetched

    def in_progress(self) -> set[Origin]:
        """Return the origins with an open fetch or pause."""
        paused = {
            origin
            for origin, pause in zip(
                self.backend.retried, self.backend.pauses, strict=False
            )
            if pause.end.is_open
        }
        return set(self.backend.under_way) | paused

    def complete_others(self) -> None:
        """Complete everything but the fetches and pauses."""

    def open_fetches(self) -> list[FakeFetch]:
        """Return the fetches without an answer."""
        return [q for q in self.backend.fetches if q.answer.is_open]

    def waiting(self) -> list[Request]:
        """Return the requests that are still waiting."""
        return [r for r in self.requests if r.running and not r.running.is_done]

    def open_pauses(self) -> list[Pause]:
        """Return the pauses before a retry that have not ended."""
        return [pause for pause in self.backend.pauses if pause.end.is_open]

    @rule(
        origin=st.sampled_from(ORIGINS),
        count=st.integers(1, 4),
        context=st.sampled_from(CONTEXTS),
    )
    def arrive(self, origin: Origin, count: int, context: str) -> None:
        """Some requests of one origin arrive."""
        for _ in range(count):
            request = Request(origin, context)
            self.requests.append(request)
            request.running = self.harness.driver.run(request.resolve(self.harness))

    @rule()
    def step_once(self) -> None:
        """Each coroutine that can takes one step."""
        self.harness.driver.step()

    @rule()
    def run_all(self) -> None:
        """Every coroutine runs as far as it can."""
        self.harness.driver.turn()

    @precondition(lambda self: self.open_fetches())
    @rule(data=st.data(), answer=st.sampled_from(ANSWERS))
    def answer(self, data: st.DataObject, answer: FetchResult) -> None:
        """A fetch is answered or cancelled."""
        data.draw(st.sampled_from(self.open_fetches())).answer.complete(answer)

    @precondition(lambda self: self.open_fetches())
    @rule(data=st.data(), error=st.sampled_from(ERRORS))
    def fail(self, data: st.DataObject, error: type[BaseException]) -> None:
        """A fetch raises."""
        data.draw(st.sampled_from(self.open_fetches())).answer.fail(error())

    @precondition(lambda self: self.open_pauses())
    @rule(data=st.data())
    def end_a_pause(self, data: st.DataObject) -> None:
        """A pause before a retry ends."""
        data.draw(st.sampled_from(self.open_pauses())).end.complete(None)

    @precondition(lambda self: not self.is_aborted and len(self.requests) > 10)
    @rule()
    def close(self) -> None:
        """The crawl closes; nothing is fetched afterwards."""
        self.harness.resolver.abort("closing")
        self.is_aborted = True
        self.fetches_before = len(self.backend.fetches)
        self.harness.driver.turn()
        assert self.waiting() == []

    @precondition(lambda self: self.waiting())
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        """A request is cancelled."""
        running = data.draw(st.sampled_from(self.waiting())).running
        assert running is not None
        running.cancel()

    @precondition(lambda self: any(not w.is_done for w in self.backend.works))
    @rule(data=st.data())
    def cancel_work(self, data: st.DataObject) -> None:
        """The work of a fetch is cancelled."""
        works = [work for work in self.backend.works if not work.is_done]
        data.draw(st.sampled_from(works)).cancel()

    @rule(broken=st.booleans())
    def listeners(self, *, broken: bool) -> None:
        """Listeners raise from now on, or work again."""
        self.backend.faults.listeners = ZeroDivisionError() if broken else None

    @rule(seconds=st.sampled_from([1.0, 9.0, 31.0, 100.0, 1000.0, -30.0, -90.0]))
    def pass_time(self, seconds: float) -> None:
        """Time passes, or the clock is set back."""
        self.harness.clock.now += seconds

    @rule(origin=st.sampled_from(ORIGINS))
    def expire(self, origin: Origin) -> None:
        """A policy is removed from memory."""
        self.harness.memory.forget(origin)

    @invariant()
    def one_fetch_an_origin_at_a_time(self) -> None:
        """No fetch starts while another one of its origin runs."""
        assert self.backend.doubled == []

    @invariant()
    def each_policy_was_built_from_an_answer(self) -> None:
        """Every policy that a request got was built from an answer of its origin."""
        for request in self.requests:
            if request.result is not None:
                assert request.is_right(self.harness.memory.puts)
            if isinstance(request.result, Policy):
                assert request.result.origin == request.origin
                assert any(request.result is policy for policy in self.policies())

    @invariant()
    def nothing_is_fetched_after_the_close(self) -> None:
        """Ours R6: no new fetch starts, and no retry."""
        if self.is_aborted:
            assert len(self.backend.fetches) == self.fetches_before

    @invariant()
    def an_origin_costs_a_bounded_number_of_fetches(self) -> None:
        """§3.1: at most two retries for each time a fetch was started."""
        assert len(self.backend.fetches) <= 3 * len(self.backend.works)

    @invariant()
    def each_request_fails_with_its_own_exception(self) -> None:
        """Ours R7: no two requests fail with one exception."""
        errors = [
            id(r.result) for r in self.requests if isinstance(r.result, Exception)
        ]
        assert len(errors) == len(set(errors))

    @invariant()
    def no_waiter_is_released_too_often(self) -> None:
        """Each waiter is released at most `max_releases` times."""
        assert all(w.releases <= self.max_releases for w in self.backend.waiters)

    @invariant()
    def each_waiting_request_has_a_fetch(self) -> None:
        """When nothing can run, each waiting request has a fetch under way."""
        if not isinstance(self.harness.driver, TwistedDriver):
            return
        assert {r.origin for r in self.waiting()} <= self.in_progress()

    def teardown(self) -> None:
        """No request is left waiting after the last fetch was answered."""
        self.harness.driver.turn()
        assert {r.origin for r in self.waiting()} <= self.in_progress()
        self.complete_others()
        while self.open_fetches() or self.open_pauses():
            for fetch in self.open_fetches():
                fetch.answer.complete(Cancelled("closing"))
            for pause in self.open_pauses():
                pause.end.complete(None)
            self.harness.driver.turn()
        assert self.waiting() == []
        assert self.backend.under_way == []
        self.harness.driver.close()


class OnAsyncio(EveryOrder):
    """A released request resumes in a later turn."""

    driver_class = AsyncioDriver


class OnTwisted(EveryOrder):
    """A released request resumes at once."""

    driver_class = TwistedDriver


MANY = settings(
    max_examples=150,
    stateful_step_count=40,
    deadline=None,  # the machine may be busy, and nothing here depends on time
    suppress_health_check=[HealthCheck.too_slow],
)

TestOnAsyncio = OnAsyncio.TestCase
TestOnAsyncio.settings = MANY
TestOnTwisted = OnTwisted.TestCase
TestOnTwisted.settings = MANY
