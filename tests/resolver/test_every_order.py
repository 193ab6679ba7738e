"""Arrivals, answers, failures, cancellations and the clock, in every order.

Nothing here lets the world come to rest on its own: `let_go_on` is one rule among the
others, so that on asyncio several things may happen before anybody goes on.
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
from scrapy_robots1994.policy.faults import RetrySchedule
from tests.policy.samples import TIMEOUT
from tests.resolver.drives import AsyncioDrive, Drive, TwistedDrive
from tests.resolver.scene import FILE, Pause, Question, Scene

if TYPE_CHECKING:
    from scrapy_robots1994.policy import FetchResult
    from tests.resolver.drives import Running

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
    """One request: what was held when it asked, and what it found."""

    origin: Origin
    context: str = "direct"
    held: Policy | None = None
    asked_at: float = 0.0
    puts_before: int = 0
    found: Policy | Exception | None = None
    running: Running[None] | None = None

    async def ask(self, scene: Scene) -> None:
        """Look for the policy of the origin, and note all there is to check it by."""
        self.held = scene.memory.get(self.origin)
        self.asked_at = scene.clock.now
        self.puts_before = len(scene.memory.puts)
        try:
            self.found = await scene.resolver.resolve(self.origin, self.context)
        except (FetchAborted, OSError, ZeroDivisionError) as error:
            self.found = error

    def is_right(self, puts: list[Policy]) -> bool:
        """Whether what was found is what was held, or made while it waited."""
        if self.held is not None and self.held.is_usable(self.asked_at):
            return self.found is self.held
        if isinstance(self.found, Exception):
            return True
        return any(policy is self.found for policy in puts[self.puts_before :])


class EveryOrder(RuleBasedStateMachine):
    """A crawl of two origins in which anything may happen at any time."""

    drive_of: type[Drive]
    most_releases = 1

    def __init__(self) -> None:
        super().__init__()
        self.scene = self.new_scene()
        self.backend = self.scene.backend
        self.requests: list[Request] = []
        self.is_aborted = False

    def new_scene(self) -> Scene:
        """Make the resolver and its surroundings."""
        return Scene(self.drive_of(), retries=RetrySchedule(times=2))

    def known(self) -> list[Policy]:
        """Every policy that was settled."""
        return self.backend.told

    def at_work(self) -> set[Origin]:
        """Origins for which somebody outside has still to answer."""
        paused = {
            origin
            for origin, pause in zip(
                self.backend.retried, self.backend.pauses, strict=False
            )
            if pause.end.is_open
        }
        return set(self.backend.under_way) | paused

    def close_others(self) -> None:
        """Let everybody answer who is no origin."""

    def open_questions(self) -> list[Question]:
        """Questions without an answer whose fetch is still under way."""
        return [q for q in self.backend.questions if q.answer.is_open]

    def waiting(self) -> list[Request]:
        """Requests that have no end yet."""
        return [r for r in self.requests if r.running and not r.running.is_over]

    def open_pauses(self) -> list[Pause]:
        """Pauses before a retry that have no end yet."""
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
            request.running = self.scene.drive.run(request.ask(self.scene))

    @rule()
    def take_a_step(self) -> None:
        """Each that can go on takes one step."""
        self.scene.drive.step()

    @rule()
    def let_go_on(self) -> None:
        """Everything goes on as far as it can."""
        self.scene.drive.turn()

    @precondition(lambda self: self.open_questions())
    @rule(data=st.data(), answer=st.sampled_from(ANSWERS))
    def answer(self, data: st.DataObject, answer: FetchResult) -> None:
        """An answer comes, or the question is withdrawn."""
        data.draw(st.sampled_from(self.open_questions())).answer.settle(answer)

    @precondition(lambda self: self.open_questions())
    @rule(data=st.data(), error=st.sampled_from(ERRORS))
    def fail(self, data: st.DataObject, error: type[BaseException]) -> None:
        """A fetch raises."""
        data.draw(st.sampled_from(self.open_questions())).answer.fail(error())

    @precondition(lambda self: self.open_pauses())
    @rule(data=st.data())
    def end_a_pause(self, data: st.DataObject) -> None:
        """The time for a retry has come."""
        data.draw(st.sampled_from(self.open_pauses())).end.settle(None)

    @precondition(lambda self: not self.is_aborted and len(self.requests) > 10)
    @rule()
    def close(self) -> None:
        """The crawl closes: from now on nothing is fetched."""
        self.scene.resolver.abort("closing")
        self.is_aborted = True
        self.questions_before = len(self.backend.questions)
        self.scene.drive.turn()
        assert self.waiting() == []

    @precondition(lambda self: self.waiting())
    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        """A request is cancelled."""
        running = data.draw(st.sampled_from(self.waiting())).running
        assert running is not None
        running.cancel()

    @precondition(lambda self: any(not w.is_over for w in self.backend.works))
    @rule(data=st.data())
    def cancel_work(self, data: st.DataObject) -> None:
        """The work of a fetch is cancelled."""
        works = [work for work in self.backend.works if not work.is_over]
        data.draw(st.sampled_from(works)).cancel()

    @rule(broken=st.booleans())
    def listeners(self, *, broken: bool) -> None:
        """Who is told of policies breaks from now on, or is well again."""
        self.backend.faults.listeners = ZeroDivisionError() if broken else None

    @rule(seconds=st.sampled_from([1.0, 9.0, 31.0, 100.0, 1000.0, -30.0, -90.0]))
    def pass_time(self, seconds: float) -> None:
        """Time passes, or the clock is set back."""
        self.scene.clock.now += seconds

    @rule(origin=st.sampled_from(ORIGINS))
    def expire(self, origin: Origin) -> None:
        """A policy is put out of memory, by its end or by its bound."""
        self.scene.memory.forget(origin)

    @invariant()
    def one_fetch_an_origin_at_a_time(self) -> None:
        """No question is asked while one of its origin is under way."""
        assert self.backend.doubled == []

    @invariant()
    def no_verdict_from_what_was_not_settled(self) -> None:
        """Who found a policy found one that an answer made, and of its own origin."""
        for request in self.requests:
            if request.found is not None:
                assert request.is_right(self.scene.memory.puts)
            if isinstance(request.found, Policy):
                assert request.found.origin == request.origin
                assert any(request.found is known for known in self.known())

    @invariant()
    def nothing_is_fetched_after_the_close(self) -> None:
        """Ours R6: no new fetch starts, and no retry."""
        if self.is_aborted:
            assert len(self.backend.questions) == self.questions_before

    @invariant()
    def an_origin_costs_a_bounded_number_of_fetches(self) -> None:
        """§3.1: at most two retries for each time a fetch was started."""
        assert len(self.backend.questions) <= 3 * len(self.backend.works)

    @invariant()
    def a_fault_of_ours_is_nobody_elses(self) -> None:
        """Ours R7: no two requests fail with one exception."""
        errors = [id(r.found) for r in self.requests if isinstance(r.found, Exception)]
        assert len(errors) == len(set(errors))

    @invariant()
    def no_waiting_object_is_released_twice(self) -> None:
        """Each waiter is let go once at most."""
        assert all(w.releases <= self.most_releases for w in self.backend.waiters)

    @invariant()
    def who_waits_waits_for_a_question(self) -> None:
        """At rest, whoever still waits has a fetch of its origin under way."""
        if not isinstance(self.scene.drive, TwistedDrive):
            return
        assert {r.origin for r in self.waiting()} <= self.at_work()

    def teardown(self) -> None:
        """Nobody is left waiting once the last question has its answer."""
        self.scene.drive.turn()
        assert {r.origin for r in self.waiting()} <= self.at_work()
        self.close_others()
        while self.open_questions() or self.open_pauses():
            for question in self.open_questions():
                question.answer.settle(Cancelled("closing"))
            for pause in self.open_pauses():
                pause.end.settle(None)
            self.scene.drive.turn()
        assert self.waiting() == []
        assert self.backend.under_way == []
        self.scene.drive.close()


class OnAsyncio(EveryOrder):
    """Who is released goes on a turn later."""

    drive_of = AsyncioDrive


class OnTwisted(EveryOrder):
    """Who is released goes on at once."""

    drive_of = TwistedDrive


MANY = settings(
    max_examples=150,
    stateful_step_count=40,
    deadline=None,  # the machine may be busy; a claim about seconds is none of ours
    suppress_health_check=[HealthCheck.too_slow],
)

TestOnAsyncio = OnAsyncio.TestCase
TestOnAsyncio.settings = MANY
TestOnTwisted = OnTwisted.TestCase
TestOnTwisted.settings = MANY
