"""Retries while requests wait (§3.1), each in the context of a request that waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.policy import (
    Cancelled,
    LocalFault,
    Outcome,
    Policy,
    RobotsResponse,
)
from tests.policy.samples import SITE, TIMEOUT
from tests.resolver.harness import FILE, ResolverHarness, outcome_of, reason_of
from tests.resolver.test_one_fetch import OTHER

if TYPE_CHECKING:
    from scrapy_robots1994.policy import FetchResult
    from tests.resolver.drivers import Driver

UNAVAILABLE = RobotsResponse(503)
FAULT = LocalFault(OSError(24, "Too many open files"))


@pytest.fixture
def harness(driver: Driver) -> ResolverHarness:
    """Make a harness whose resolver retries three times."""
    return ResolverHarness(driver, max_retries=3)


@pytest.mark.parametrize(
    "first", [TIMEOUT, UNAVAILABLE, FAULT], ids=["R5", "status", "R7"]
)
def test_first_failure_is_retried_and_no_request_fails(
    harness: ResolverHarness, first: FetchResult
) -> None:
    """All waiters, also those that came during the pause, get the policy of the retry."""
    requests = [harness.resolve() for _ in range(3)]
    harness.answer(first)
    requests.append(harness.resolve())
    assert not any(request.is_done for request in requests)

    assert 1.0 <= harness.wake() <= 1.25
    harness.answer(FILE)

    assert {id(request.result()) for request in requests} == {
        id(harness.backend.fetched[0])
    }
    assert harness.backend.retries == [first]
    assert harness.memory.puts == harness.backend.fetched


def test_ours_r5_after_the_last_retry_the_origin_is_unreachable(
    harness: ResolverHarness,
) -> None:
    """After two retries of a network failure, the result is final and stored in memory."""
    request = harness.resolve()
    for least in (1.0, 4.0):
        harness.answer(TIMEOUT)
        assert least <= harness.wake() <= 1.25 * least
    harness.answer(TIMEOUT)

    policy = request.result()
    assert not policy.is_known
    assert len(harness.backend.fetches) == 3
    assert harness.resolver.fresh(SITE) is policy


def test_ours_r7_after_the_last_retry_each_request_fails_and_nothing_is_stored(
    harness: ResolverHarness,
) -> None:
    """The next request starts a new fetch."""
    requests = [harness.resolve() for _ in range(3)]
    for _ in range(2):
        harness.answer(FAULT)
        harness.wake()
    harness.answer(FAULT)

    ends = [outcome_of(request) for request in requests]
    assert [type(end) for end in ends] == [OSError] * 3
    assert len({id(end) for end in ends}) == 3
    assert harness.memory.puts == []
    harness.resolve()
    assert len(harness.backend.fetches) == 4


def test_each_retry_uses_the_context_of_another_waiter(
    harness: ResolverHarness,
) -> None:
    """With rotating proxies, each retry goes through another proxy."""
    harness.resolve(context="proxy 1")
    harness.resolve(context="proxy 1")
    harness.resolve(context="proxy 2")
    harness.answer(UNAVAILABLE)
    harness.wake()
    harness.answer(UNAVAILABLE)
    harness.resolve(context="proxy 3")
    harness.wake()
    harness.answer(UNAVAILABLE)
    harness.wake()

    contexts = [fetch.context for fetch in harness.backend.fetches]
    assert contexts[:3] == ["proxy 1", "proxy 2", "proxy 3"]
    assert contexts[3] != "proxy 3"


def test_retry_does_not_use_the_context_of_a_cancelled_request(
    harness: ResolverHarness,
) -> None:
    """The contexts of both cancelled requests are skipped."""
    first = harness.resolve(context="proxy 1")
    gone = harness.resolve(context="proxy 2")
    harness.resolve(context="proxy 3")
    harness.answer(FAULT)
    harness.cancel(gone)
    harness.cancel(first)
    harness.wake()

    assert [q.context for q in harness.backend.fetches] == ["proxy 1", "proxy 3"]


def test_fetch_is_retried_when_all_waiters_were_cancelled(
    harness: ResolverHarness,
) -> None:
    """A later request still gets the policy."""
    harness.cancel(harness.resolve())
    harness.answer(TIMEOUT)
    harness.wake()
    late = harness.resolve()
    harness.answer(FILE)

    assert isinstance(late.result(), Policy)


def test_ours_r6_a_cancelled_fetch_is_not_retried(harness: ResolverHarness) -> None:
    """A cancellation is intended, so the fetch is not repeated."""
    request = harness.resolve()
    harness.answer(Cancelled("withdrawn"))

    assert reason_of(request) == "withdrawn"
    assert harness.backend.pauses == []


@pytest.mark.parametrize("is_paused", [False, True], ids=["fetch", "pause"])
def test_ours_r6_abort_ends_every_wait_and_every_fetch(
    harness: ResolverHarness, *, is_paused: bool
) -> None:
    """Each waiter gets its own exception; the work of the fetch is cancelled."""
    requests = [harness.resolve() for _ in range(3)]
    if is_paused:
        harness.answer(TIMEOUT)

    harness.abort("the crawl closes")

    assert {reason_of(request) for request in requests} == {"the crawl closes"}
    assert len({id(outcome_of(request)) for request in requests}) == 3
    assert all(work.is_cancelled for work in harness.backend.works)
    assert harness.backend.under_way == []
    assert harness.memory.puts == []


def test_ours_r6_after_abort_no_fetch_starts(harness: ResolverHarness) -> None:
    """A request after the abort fails at once."""
    harness.abort("the crawl closes")

    assert reason_of(harness.resolve()) == "the crawl closes"
    assert harness.backend.fetches == []


def test_ours_r6_after_abort_kept_requests_wait_for_one_attempt(
    harness: ResolverHarness,
) -> None:
    """Of two that wait for the same fetch one is kept; a later one starts its own."""
    back, kept = harness.resolve(), harness.resolve(context="awaited")
    other = harness.resolve(OTHER)

    harness.abort("the crawl closes", "awaited".__eq__)
    later = harness.resolve(OTHER, context="awaited")
    harness.answer(FILE, nth=0)
    harness.answer(TIMEOUT)

    assert reason_of(back) == reason_of(other) == "the crawl closes"
    assert kept.result() is harness.backend.fetched[0]
    # No retry, and each fetch ends in bounded time.
    assert later.result().outcome is Outcome.UNREACHABLE
    assert harness.backend.pauses == []
    assert len(harness.backend.cancelled_later) == 2


def test_ours_r6_after_abort_known_policies_are_still_used(
    harness: ResolverHarness,
) -> None:
    """A stale policy is used without a refresh."""
    harness.resolve()
    harness.answer(FILE)
    policy = harness.backend.fetched[0]
    harness.clock.now += 100

    harness.abort()

    assert harness.resolve().result() is policy
    assert len(harness.backend.fetches) == 1


def test_ours_r6_abort_while_listeners_run_keeps_the_policy(
    harness: ResolverHarness,
) -> None:
    """The origin has answered; only the waiting requests are aborted."""
    harness.backend.listeners = harness.driver.pending()
    request = harness.resolve()
    harness.answer(FILE)

    harness.abort()

    assert reason_of(request) == "closing"
    assert harness.resolver.fresh(SITE) is harness.backend.fetched[0]
