"""Any error during a fetch releases every waiter and permits nothing (R6, R7)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from twisted.internet.defer import CancelledError

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import Cancelled, LocalFault, Policy
from tests.policy.samples import SITE
from tests.resolver.harness import outcome_of, reason_of

if TYPE_CHECKING:
    from tests.resolver.drivers import Running
    from tests.resolver.harness import ResolverHarness

ERRORS = [
    ZeroDivisionError("a bug"),
    asyncio.CancelledError(),
    CancelledError(),
    GeneratorExit(),
]
errors = pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)


def assert_no_policy(harness: ResolverHarness, requests: list[Running[Policy]]) -> None:
    """Assert that *requests* ended without a policy, and the next one starts a fetch."""
    assert all(isinstance(outcome_of(request), Exception) for request in requests)
    assert harness.memory.get(SITE) is None
    assert [origin for origin, _ in harness.backend.given_up] == [SITE]
    fetches = len(harness.backend.fetches)
    late = harness.resolve()
    assert len(harness.backend.fetches) == fetches + 1
    harness.answer()
    assert isinstance(late.result(), Policy)


def assert_own_exceptions(
    harness: ResolverHarness, requests: list[Running[Policy]], error: BaseException
) -> None:
    """Ours R7: assert that *requests* failed with copies of a bug, or were aborted."""
    if not isinstance(error, ZeroDivisionError):
        assert all(
            isinstance(outcome_of(request), FetchAborted) for request in requests
        )
        return
    ends = [outcome_of(request) for request in requests]
    assert [type(end) for end in ends] == [ZeroDivisionError] * len(requests)
    assert all(end.__cause__ is error for end in ends if isinstance(end, Exception))
    assert len({id(end) for end in [*ends, error]}) == len(requests) + 1


def test_ours_r6_cancelled_fetch_stores_no_policy(harness: ResolverHarness) -> None:
    """Every waiter gets the reason, and no policy is stored."""
    requests = [harness.resolve() for _ in range(4)]

    harness.answer(Cancelled("the crawl is closing"))

    assert {reason_of(request) for request in requests} == {"the crawl is closing"}
    assert len({id(outcome_of(request)) for request in requests}) == 4
    assert harness.backend.fetched == []
    assert_no_policy(harness, requests)


def test_ours_r7_local_fault_fails_each_request_with_its_own_exception(
    harness: ResolverHarness,
) -> None:
    """Same class and arguments, the original as the cause; no policy is stored."""
    requests = [harness.resolve() for _ in range(4)]
    fault = OSError(24, "Too many open files")

    harness.answer(LocalFault(fault))

    ends = [outcome_of(request) for request in requests]
    assert {type(end) for end in ends} == {OSError}
    assert {end.args for end in ends if isinstance(end, OSError)} == {fault.args}
    assert len({id(end) for end in [fault, *ends]}) == 5
    assert all(end.__cause__ is fault for end in ends if isinstance(end, OSError))
    assert fault.__traceback__ is None
    assert_no_policy(harness, requests)


@errors
def test_fetch_that_raises_releases_all(
    harness: ResolverHarness, error: BaseException
) -> None:
    """An error in the middle of a fetch leaves no request waiting."""
    requests = [harness.resolve() for _ in range(4)]

    harness.fail(error)

    assert_own_exceptions(harness, requests, error)
    assert_no_policy(harness, requests)


@errors
def test_fetch_that_raises_at_once_releases_its_request(
    harness: ResolverHarness, error: BaseException
) -> None:
    """The fetch fails before its first wait."""
    harness.backend.faults.fetch = error

    request = harness.resolve()

    harness.backend.faults.fetch = None
    assert_own_exceptions(harness, [request], error)
    assert_no_policy(harness, [request])


@errors
def test_body_that_cannot_be_parsed_permits_nothing(
    harness: ResolverHarness, error: BaseException
) -> None:
    """If parsing fails, every request fails and nothing is stored."""
    harness.backend.faults.read = error
    requests = [harness.resolve() for _ in range(4)]

    harness.answer()

    harness.backend.faults.read = None
    assert_own_exceptions(harness, requests, error)
    assert_no_policy(harness, requests)


@errors
def test_requests_get_the_policy_when_a_listener_raises(
    harness: ResolverHarness, error: BaseException
) -> None:
    """The origin has answered; a later error does not undo its policy."""
    harness.backend.faults.listeners = error
    requests = [harness.resolve() for _ in range(4)]

    harness.answer()

    assert {id(request.result()) for request in requests} == {
        id(harness.backend.fetched[0])
    }
    assert harness.resolver.fresh(SITE) is harness.backend.fetched[0]


def test_waiters_are_released_when_fetch_failed_raises(
    harness: ResolverHarness,
) -> None:
    """The backend's failure hook raises as well."""
    harness.backend.faults.failed = ZeroDivisionError("a bug")
    requests = [harness.resolve() for _ in range(4)]

    harness.answer(Cancelled("the crawl is closing"))

    assert_no_policy(harness, requests)


def test_fetch_cancelled_from_outside_releases_all(harness: ResolverHarness) -> None:
    """Cancelling the work of the fetch ends every wait."""
    requests = [harness.resolve() for _ in range(4)]

    harness.cancel(harness.backend.works[0])

    assert harness.backend.works[0].is_cancelled
    assert_no_policy(harness, requests)


def test_fetch_cancelled_before_its_first_step_releases_all(
    harness: ResolverHarness,
) -> None:
    """On asyncio a cancelled task may never begin; its waiters still have an end."""
    requests = [
        harness.driver.run(harness.resolver.resolve(SITE, "direct")) for _ in range(4)
    ]
    while not harness.backend.works:
        harness.driver.step()

    harness.cancel(harness.backend.works[0])

    assert_no_policy(harness, requests)


def test_fetch_that_cannot_start_leaves_nothing_behind(
    harness: ResolverHarness,
) -> None:
    """On a closed loop nothing starts: the request fails, and the next one may try."""
    harness.backend.faults.start = RuntimeError("Event loop is closed")

    request = harness.resolve()

    with pytest.raises(RuntimeError, match="loop is closed"):
        request.result()
    harness.backend.faults.start = None
    assert_no_policy(harness, [])


def test_failed_fetch_is_reported_once(harness: ResolverHarness) -> None:
    """One failed fetch is one event, however many requests waited for it."""
    for _ in range(4):
        harness.resolve()

    harness.fail(GeneratorExit())

    cancelled = Cancelled("the fetch of robots.txt broke off")
    assert harness.backend.given_up == [(SITE, cancelled)]
