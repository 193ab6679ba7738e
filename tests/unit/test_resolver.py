"""The resolver: arrivals, answers, failures, cancellations and clock changes, in every
order.

Coroutines run only in some of the events, such as `run_all`. Therefore, with asyncio,
several events can happen before a coroutine resumes. The test fails if a run does not
contain each event often enough.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pytest
from twisted.internet.defer import CancelledError

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import (
    Cancelled,
    FetchError,
    FetchResult,
    LocalFault,
    RobotsResponse,
)
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy
from tests.unit.resolver_drivers import AsyncioDriver, Driver, Running, TwistedDriver
from tests.unit.resolver_harness import FRESHNESS, FakeCall, Fetched, ResolverHarness
from tests.unit.samples import BODY, READER, SITE

T = TypeVar("T")
ORIGINS = [SITE, Origin("https", "site.example", 443)]
KINDS = [*["file"] * 4, "short", 403, 404, 503, "wait", "timeout", "cancel", "fault"]
RENEWALS = [304, 304, 304, "wait", "wait", "wait", 503, "timeout"]
"""The possible results of most requests with validators."""

AGES = [0.0, 120.0, 500.0, 5_000.0, -500.0]
"""The possible ages of a stored policy, in seconds: fresh, stale, old, expired, and in
the future.
"""

ENDS = ["fresh_until", "stale_until", "keep_until"]
EVENTS = {
    "answer": 50,
    "answer_read": 40,
    "run_all": 30,
    "arrive_when_it_ends": 15,
    "arrive": 10,
    "end_a_pause": 10,
    "step_once": 10,
    "leave": 8,
    "pass_time": 5,
    "expire": 3,
    "raise_in_fetch": 2,
    "break_listeners": 2,
    "arrive_at_a_closed_loop": 1,
    "cancel_work": 1,
    "raise_in_store": 1,
    "close": 0.5,
}
"""The events, and the relative frequency of each event."""

CRAWLS, STEPS = 150, 120
BROKE_OFF = {
    "the fetch of robots.txt was interrupted",
    "the fetch of robots.txt never began",
}
LEAST = 0.05
"""The minimum share of some events in a run."""


@dataclass(slots=True)
class Request:
    """One request, with its result, and with the policy that was in memory when the request
    arrived.
    """

    origin: Origin
    context: Any  # "direct" or "awaited"
    events_before: int
    in_memory: Policy | None = None
    resolved_at: float = 0.0
    puts_before: int = 0
    result: Policy | Exception | None = None
    has_left: bool = False
    running: Running = field(init=False)

    async def resolve(self, machine: EveryOrder) -> None:
        """Resolve the policy of the origin, and record the values that the checks need."""
        harness = machine.harness
        self.in_memory = harness.memory.get(self.origin)
        self.resolved_at = harness.clock.now
        self.puts_before = len(harness.memory.puts)
        try:
            found = await harness.resolver.resolve(self.origin, self.context)
            self.result = found.policy
        except (asyncio.CancelledError, CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - checked against what was injected
            self.result = error


class EveryOrder:
    """A crawl of two origins, in which random events happen in any order."""

    def __init__(self, driver: Driver, seed: int, *, has_store: bool) -> None:
        self.has_store = has_store
        self.dice = random.Random(seed)  # noqa: S311 - the same events every time
        self.counts: Counter[str] = Counter()
        self.harness = ResolverHarness(driver, has_store=has_store)
        self.backend = self.harness.backend
        self.requests: list[Request] = []
        self.unchecked: list[Request] = []
        self.checked_policies = 0
        # The injected failures, in order. Each failure has an origin, and the class and
        # the text of an exception with which a request can fail.
        self.events: list[tuple[Origin | None, type[Exception], str]] = []
        # The number of injected failures that have had all their effects.
        self.settled = 0
        self.files: dict[str, bytes] = {}
        self.stored_at: dict[str | None, float] = {}
        self.errors: set[int] = set()

    def run(self) -> None:
        """Let random events happen, check all conditions after each event, and end the
        remaining fetches.
        """
        for _ in range(STEPS):
            possible = [event for event in EVENTS if event != "close" or self.may_close]
            weights = [EVENTS[event] for event in possible]
            (event,) = self.dice.choices(possible, weights)
            getattr(self, event)()
            self.check()
        self.end()

    # Events.

    def arrive(self, count: int = 0, origin: Origin | None = None) -> None:
        """Let *count* requests for *origin* arrive. By default, a few requests for a random
        origin arrive.
        """
        origin = origin or self.dice.choice(ORIGINS)
        for _ in range(count or self.dice.randint(1, 3)):
            context = self.dice.choice(["direct", "awaited"])
            request = Request(origin, context, self.settled)
            self.requests.append(request)
            self.unchecked.append(request)
            request.running = self.harness.driver.run(request.resolve(self))

    def arrive_when_it_ends(self) -> None:
        """Let a request arrive around the moment at which the policy in memory becomes
        stale or expires.
        """
        origin = self.dice.choice(ORIGINS)
        policy, clock = self.harness.memory.get(origin), self.harness.clock
        if policy is not None:
            end = getattr(policy, self.dice.choice(ENDS)) + self.dice.randint(-1, 1)
            clock.now = max(clock.now, end)
        self.arrive(1, origin)
        self.run_all()

    def arrive_at_a_closed_loop(self) -> None:
        """Let requests arrive while the loop is closed, so that no fetch can start for the
        requests.
        """
        self.inject(None, RuntimeError, "the loop is closed")
        self.backend.is_loop_closed = True
        self.arrive()
        self.run_all()
        self.backend.is_loop_closed = False

    def step_once(self) -> None:
        """Let each coroutine that is ready take one step."""
        self.harness.driver.step()

    def run_all(self) -> None:
        """Run every coroutine until the coroutine finishes or has to wait."""
        self.harness.driver.turn()
        self.settled = len(self.events)

    def one_of(self, calls: Sequence[T]) -> list[T]:
        """Return a list with one random element of *calls*, or an empty list if there are
        no calls.
        """
        return [self.dice.choice(calls)] if calls else []

    def answer(self) -> None:
        """Answer or cancel a fetch, or let a fetch fail with a local error."""
        for fetch in self.one_of(pending(self.backend.fetches)):
            is_renewal = fetch.validators and self.dice.random() < 0.9
            kind: Any = self.dice.choice(RENEWALS if is_renewal else KINDS)
            self.counts["answers"] += 1
            fetch.answer.complete(self.result_of(fetch.origin, kind))

    def result_of(self, origin: Origin, kind: str | int) -> FetchResult:
        """Return a result of *kind*, and record how requests may fail because of the
        result.
        """
        name = f"{len(self.events)}-{len(self.files)}"
        if kind in ("file", "short"):
            self.files[name] = BODY + f"# {name}".encode()
            lifetime = 10.0 if kind == "short" else None
            return RobotsResponse(
                200, self.files[name], freshness_lifetime=lifetime, etag=name
            )
        if kind == "cancel":
            self.inject(origin, FetchAborted, name)
            return Cancelled(name)
        if kind == "fault":
            self.inject(origin, OSError, f"[Errno 24] {name}")
            return LocalFault(OSError(24, name))
        if kind == "timeout":
            return FetchError("timeout", name)
        status = 503 if kind == "wait" else int(kind)
        retry_after = 60.0 if kind == "wait" else None
        return RobotsResponse(status, retry_after=retry_after, not_modified=kind == 304)

    def inject(self, origin: Origin | None, kind: type[Exception], text: str) -> None:
        """Record that the waiting requests of *origin* may fail with an exception of the
        class *kind* and with the text *text*.
        """
        self.events.append((origin, kind, text))

    def raise_in_fetch(self) -> None:
        """Let a fetch raise an exception. A real fetch should never raise an exception."""
        for fetch in self.one_of(pending(self.backend.fetches)):
            is_bug = self.dice.random() < 0.5
            self.fail(fetch, None if is_bug else asyncio.CancelledError())

    def fail(self, call: FakeCall, error: BaseException | None) -> None:
        """Let *call* raise *error*. If *error* is `None`, let *call* raise a
        `ZeroDivisionError`.
        """
        if error is None:
            error = ZeroDivisionError(str(len(self.events)))
            self.inject(call.origin, ZeroDivisionError, str(error))
        else:
            self.inject(call.origin, FetchAborted, "")
        call.answer.fail(error)

    def end_a_pause(self) -> None:
        """End one of the pauses that precede a retry."""
        for pause in self.one_of(pending(self.backend.pauses)):
            pause.answer.complete(None)

    @property
    def may_close(self) -> bool:
        """Whether the crawl is open, and more than `STEPS // 10` requests have arrived."""
        return not self.backend.is_closing and len(self.requests) > STEPS // 10

    def close(self) -> None:
        """Close the crawl. After the close, only requests that a component awaits may
        wait for a fetch.
        """
        self.counts["closes"] += 1
        self.harness.resolver.abort("closing", "awaited".__eq__)
        self.backend.is_closing = True
        self.run_all()
        assert all(request.context == "awaited" for request in self.waiting())

    def leave(self) -> None:
        """Cancel a waiting request."""
        for request in self.one_of(self.waiting()):
            request.has_left = True
            request.running.cancel()
            self.counts["left"] += 1

    def cancel_work(self) -> None:
        """Cancel the work of a fetch from outside."""
        works = [each for each in self.backend.works if not each[1].is_done]
        for origin, running in self.one_of(works):
            self.inject(origin, FetchAborted, "")
            running.cancel()

    def break_listeners(self) -> None:
        """Let listeners raise an exception from now on, or let listeners work again."""
        error, is_broken = ZeroDivisionError("listener"), self.dice.random() < 0.5
        self.backend.listener_error = error if is_broken else None

    def pass_time(self) -> None:
        """Let time pass, or set the clock back."""
        seconds = self.dice.choice([1.0, 31.0, 100.0, 1000.0, -30.0, -90.0])
        self.harness.clock.now += seconds

    def expire(self) -> None:
        """Remove a policy from memory."""
        self.harness.memory._policies.pop(self.dice.choice(ORIGINS), None)

    def answer_read(self) -> None:
        """Let the store return a policy of some age, or no policy."""
        for read in self.one_of(pending(self.backend.reads)):
            policy = None
            if self.dice.random() < 0.3:
                response = self.result_of(read.origin, "file")
                assert isinstance(response, RobotsResponse)
                at = self.harness.clock.now - self.dice.choice(AGES)
                self.stored_at[response.etag] = at
                policy = Policy.from_response(
                    read.origin, response, READER, at, FRESHNESS
                )
            read.answer.complete(policy)

    def raise_in_store(self) -> None:
        """Let the store raise an exception. A real guarded store should never raise an
        exception.
        """
        for read in self.one_of(pending(self.backend.reads)):
            self.fail(read, None)

    # The following conditions must be true after each event.

    def check(self) -> None:
        """Check all conditions."""
        self.each_result_is_right()
        self.each_policy_says_what_the_answer_said()
        self.no_fetch_is_superfluous()
        self.each_waiting_request_has_a_fetch()

    def waiting(self) -> list[Request]:
        """Return the requests that are still waiting."""
        return [each for each in self.requests if not each.running.is_done]

    def each_result_is_right(self) -> None:
        """Check that each finished request got a usable policy, or failed with a failure
        that was injected while the request waited.
        """
        for request in [each for each in self.unchecked if each.running.is_done]:
            self.unchecked.remove(request)
            result = request.result
            if isinstance(result, Policy):
                self.check_used(request, result)
            elif result is None:
                assert request.has_left
            else:
                self.counts["exceptions"] += str(result) != "closing"
                assert self.explains(request, result), result
                # Ours R7 (local error): no two requests fail with the same exception
                # object.
                assert id(result) not in self.errors
                self.errors.add(id(result))
            self.counts["requests"] += 1

    def check_used(self, request: Request, policy: Policy) -> None:
        """Check that *policy* was usable when *request* arrived, or was stored at about
        the time of the arrival or later.
        """
        assert policy.origin == request.origin
        known = request.in_memory
        if known is not None and known.is_usable(request.resolved_at):
            assert policy is known
        else:
            later = self.harness.memory.puts[request.puts_before :]
            in_flight = self.harness.memory.puts[: request.puts_before][-2:]
            assert any(policy is each for each in [*later, *in_flight])

    def explains(self, request: Request, error: Exception) -> bool:
        """Return whether a failure that was injected while *request* waited explains
        *error*.
        """
        texts = {
            text
            for origin, kind, text in self.events[request.events_before :]
            if origin in (None, request.origin) and type(error) is kind
        }
        if str(error) in texts or ("" in texts and str(error) in BROKE_OFF):
            return True
        # If a listener raises an exception for a policy from the store, the policy is not
        # used.
        is_listener = self.has_store and isinstance(error, ZeroDivisionError)
        if is_listener and str(error) == "listener":
            return True
        is_kept = request.context == "awaited"
        return self.backend.is_closing and not is_kept and str(error) == "closing"

    def each_policy_says_what_the_answer_said(self) -> None:
        """Check that each policy has the status and the body of its answer. After a
        failure, the last good policy must apply.
        """
        for made in self.backend.fetched[self.checked_policies :]:
            self.checked_policies += 1
            match made.result:
                case RobotsResponse(status=200, body=body):
                    assert made.policy.robots is not None
                    assert made.policy.robots.body == body
                case RobotsResponse(status=403 | 404 as status):
                    assert made.policy.status == status
                    assert made.policy.robots is None
                case RobotsResponse(status=304) if made.validators:
                    self.check_renewed(made)
                case _:
                    self.check_failed(made)

    def check_renewed(self, made: Fetched) -> None:
        """Check that a 304 has renewed the file whose validators were sent (R1, not
        modified).
        """
        assert made.validators
        name = made.validators["If-None-Match"].decode()
        assert made.policy.robots is not None
        assert made.policy.robots.body == self.files[name]
        assert not made.policy.is_stale_on_error
        assert made.policy.is_fresh(made.policy.fetched_at)
        self.counts["renewed"] += 1

    def check_failed(self, made: Fetched) -> None:
        """Check that the last good policy applies until the policy expires (R5,
        unreachable). Without a good policy, all URLs must be refused.
        """
        policy, previous = made.policy, made.previous
        if policy.is_known:
            assert policy.is_stale_on_error
            assert policy.robots is None or policy.robots.body in self.files.values()
            self.counts["stale on error"] += 1
        else:
            assert policy.outcome is Outcome.UNREACHABLE
            assert not policy.rules("rex").allowed("http://site.example/")
        if previous is not None and previous.last_good(made.at):
            assert policy.is_known
            # Another process could have stored a later policy.
            stored_at = self.stored_at.get(policy.etag, -math.inf)
            is_later = stored_at >= previous.fetched_at
            assert is_later or policy.robots is previous.robots

    def no_fetch_is_superfluous(self) -> None:
        """Check that each origin has at most one fetch at a time, with at most two
        retries (3.1, retries).
        """
        backend = self.backend
        assert backend.doubled == []
        assert len(backend.fetches) <= 3 * len(backend.works)
        # A stale policy in the store, or the close of the crawl, can release a waiter
        # before the fetch ends.
        most = 1 + self.has_store + backend.is_closing
        assert all(waiter.releases <= most for waiter in backend.waiters)

    def each_waiting_request_has_a_fetch(self) -> None:
        """If coroutines run with Deferreds, check that a fetch, a pause or a read is
        under way for each waiting request.
        """
        if isinstance(self.harness.driver, TwistedDriver):
            assert {each.origin for each in self.waiting()} <= self.in_progress()

    def in_progress(self) -> set[Origin]:
        """Return the origins for which a fetch, a pause or a read of the store is under
        way.
        """
        backend = self.backend
        calls = [*backend.fetches, *backend.pauses, *backend.reads]
        return {call.origin for call in pending(calls)}

    def end(self) -> None:
        """End all fetches, and check that no request waits afterwards."""
        backend, driver = self.backend, self.harness.driver
        self.counts["fetches"] += len(backend.fetches)
        self.counts["retries"] += len(backend.retried)
        driver.turn()
        assert {each.origin for each in self.waiting()} <= self.in_progress()
        if backend.is_closing:
            # Ours R6 (closing): each fetch ends in bounded time.
            self.inject(None, FetchAborted, "")
            for cancel in backend.cancelled_later:
                cancel()
            driver.turn()
            assert self.waiting() == []
        self.inject(None, FetchAborted, "the end")
        while calls := pending([*backend.fetches, *backend.pauses, *backend.reads]):
            for call in calls:
                is_fetch = call in backend.fetches
                call.answer.complete(Cancelled("the end") if is_fetch else None)
            driver.turn()
        assert self.waiting() == []
        assert backend.under_way == []
        self.each_result_is_right()
        if self.has_store:
            # Check that each lease was released. Other workers would wait for a lease
            # that was not released.
            assert len(backend.released) == backend.lookups
        driver.close()


def pending(calls: list[FakeCall]) -> list[FakeCall]:
    """Return the calls without an answer."""
    return [call for call in calls if call.answer.is_open]


@pytest.mark.parametrize("has_store", [False, True], ids=["memory", "store"])
@pytest.mark.parametrize("driver_class", [AsyncioDriver, TwistedDriver])
def test_every_order_of_events(driver_class: type[Driver], *, has_store: bool) -> None:
    """All conditions are true after each random event. All crawls together contain enough
    events of each checked kind, and only a few exceptions.
    """
    counts: Counter[str] = Counter()
    for seed in range(CRAWLS):
        machine = EveryOrder(driver_class(), seed, has_store=has_store)
        machine.run()
        counts.update(machine.counts)

    shares = {
        "renewed": counts["renewed"] / counts["answers"],
        "stale on error": counts["stale on error"] / counts["answers"],
        "retries": counts["retries"] / counts["fetches"],
        "left": counts["left"] / counts["requests"],
        "closes": counts["closes"] / CRAWLS,
    }
    assert min(shares.values()) >= LEAST, shares
    assert counts["exceptions"] <= 0.3 * counts["requests"], counts
