"""Cancellation after the n-th step, for every n: no request hangs, no state is partial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import Policy
from tests.policy.samples import SITE
from tests.resolver.harness import FILE, ResolverHarness, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.resolver.drivers import Driver, Running

REQUESTS = 3
VICTIMS = ["first", "second", "last", "fetch"]
STEPS_BETWEEN = 6
"""More than any coroutine takes to reach its next wait."""


class Run:
    """Three requests of one origin, the answer, and the listeners, step by step."""

    def __init__(self, driver: Driver, victim: str) -> None:
        self.harness = ResolverHarness(driver)
        self.harness.backend.listeners = driver.pending()
        self.victim = victim
        self.requests: list[Running[Any]] = []
        self.is_cut_short = False

    def steps(self) -> Iterator[None]:
        """Run step by step; the caller may cancel the victim after each."""
        for _ in range(REQUESTS):
            find = self.harness.resolver.resolve(SITE, "direct")
            self.requests.append(self.harness.driver.run(find))
            yield
            yield from self.turns()
        self.answer()
        yield
        yield from self.turns()
        listeners = self.harness.backend.listeners
        if listeners is not None and listeners.is_open:
            listeners.complete(None)
        yield
        yield from self.turns()

    def turns(self) -> Iterator[None]:
        """Let all coroutines run, one step at a time."""
        for _ in range(STEPS_BETWEEN):
            self.harness.driver.step()
            yield

    def answer(self) -> None:
        """Answer every fetch that has no answer yet."""
        for fetch in self.harness.backend.fetches:
            if fetch.answer.is_open:
                fetch.answer.complete(FILE)

    def cancel(self) -> None:
        """Cancel the victim, if it has been started."""
        running = (
            self.harness.backend.works if self.victim == "fetch" else self.requests
        )
        place = {"first": 0, "second": 1, "last": 2, "fetch": 0}[self.victim]
        if place < len(running):
            running[place].cancel()

    def end(self) -> None:
        """Complete everything that is still pending."""
        self.harness.backend.listeners = None
        self.harness.driver.turn()
        self.answer()
        self.harness.driver.turn()


def run_cancelled(driver: Driver, victim: str, until: int) -> Run | None:
    """Run with the victim cancelled after step *until*; `None` past the last step."""
    run = Run(driver, victim)
    step = 0
    for step, _ in enumerate(run.steps(), 1):
        if step == until:
            run.cancel()
    if step < until:
        return None
    run.end()
    return run


@pytest.mark.parametrize("victim", VICTIMS)
def test_cancelling_after_any_step_leaves_no_request_waiting(
    driver: Driver, victim: str
) -> None:
    """Each request ends with a policy, an abort, or its own cancellation."""
    until = 1
    while run := run_cancelled(driver, victim, until):
        for request in run.requests:
            assert request.is_done, (victim, until)
            if not request.is_cancelled:
                assert isinstance(outcome_of(request), (Policy, FetchAborted))
        assert run.harness.backend.under_way == []
        assert run.harness.backend.doubled == []
        until += 1
    assert until > REQUESTS * STEPS_BETWEEN


@pytest.mark.parametrize("victim", VICTIMS)
def test_request_after_any_cancellation_gets_a_policy(
    driver: Driver, victim: str
) -> None:
    """It gets the stored policy, or starts a fetch and gets a new one."""
    until = 1
    while run := run_cancelled(driver, victim, until):
        harness = run.harness
        fetches, stored = len(harness.backend.fetches), harness.memory.get(SITE)
        late = harness.resolve()
        if stored is None:
            assert len(harness.backend.fetches) == fetches + 1
            harness.answer()
        assert isinstance(late.result(), Policy), (victim, until)
        assert late.result() is harness.resolver.fresh(SITE)
        until += 1
