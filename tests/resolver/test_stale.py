"""An expired policy: used during its refresh, then only on error, then not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.policy import (
    Cancelled,
    FreshnessSettings,
    Policy,
    RobotsResponse,
)
from tests.policy.samples import NOW, SITE, TIMEOUT
from tests.resolver.harness import ResolverHarness, reason_of

if TYPE_CHECKING:
    from tests.resolver.drivers import Driver

FRESH, STALE, EXPIRED = NOW + 100, NOW + 200, NOW + 1100
NEW = RobotsResponse(200, b"User-agent: *\nDisallow: /new\n")


@pytest.fixture
def old(harness: ResolverHarness) -> Policy:
    """Store a policy in memory before the test."""
    harness.resolve()
    harness.answer()
    policy = harness.memory.get(SITE)
    assert policy is not None
    return policy


def test_a_stale_policy_is_used_while_one_refresh_runs(
    harness: ResolverHarness, old: Policy
) -> None:
    """Ten requests after it expired get it at once, and cause one fetch."""
    harness.clock.now = FRESH

    requests = [harness.resolve() for _ in range(10)]

    assert [request.result() for request in requests] == [old] * 10
    assert len(harness.backend.fetches) == 2
    assert harness.resolver.fresh(SITE) is None


def test_refreshed_policy_replaces_the_stale_one(
    harness: ResolverHarness, old: Policy
) -> None:
    """After the refresh, every request gets the new policy."""
    harness.clock.now = FRESH
    harness.resolve()

    harness.answer(NEW)

    assert harness.resolver.fresh(SITE) != old
    assert harness.resolve().result() is harness.resolver.fresh(SITE)
    assert len(harness.backend.fetches) == 2


def test_ours_r5_failed_refresh_leaves_the_last_good_policy(
    harness: ResolverHarness, old: Policy
) -> None:
    """The policy counts as fresh until the pause ends; then another refresh starts."""
    harness.clock.now = FRESH
    harness.resolve()
    harness.answer(TIMEOUT)
    extended = harness.resolver.fresh(SITE)
    assert extended is not None
    assert extended.is_stale_on_error
    assert extended.stated == old.stated

    harness.clock.now = FRESH + 30

    assert harness.resolve().result() is extended
    assert len(harness.backend.fetches) == 3


def test_ours_r6_cancelled_refresh_changes_nothing(
    harness: ResolverHarness, old: Policy
) -> None:
    """The stale policy is still used, and the next request starts a new refresh."""
    harness.clock.now = FRESH
    harness.resolve()
    harness.answer(Cancelled("withdrawn"))

    assert harness.resolve().result() is old
    assert len(harness.backend.fetches) == 3


def test_refresh_that_cannot_start_raises(
    harness: ResolverHarness, old: Policy
) -> None:
    """The request that would have started it fails; no fetch is left behind."""
    harness.clock.now = FRESH
    harness.backend.faults.start = RuntimeError("Event loop is closed")
    with pytest.raises(RuntimeError):
        harness.resolve().result()

    harness.backend.faults.start = None

    assert harness.resolve().result() is old
    assert len(harness.backend.fetches) == 2


def test_request_waits_when_policy_is_past_staleness(
    harness: ResolverHarness, old: Policy
) -> None:
    """The policy is no longer used while it is fetched again."""
    harness.clock.now = STALE

    request = harness.resolve()

    assert not request.is_done
    harness.answer(NEW)
    assert request.result() != old
    assert request.result() is harness.resolver.fresh(SITE)


def test_request_past_staleness_joins_the_refresh_under_way(
    harness: ResolverHarness, old: Policy
) -> None:
    """A refresh that outlasts `stale_until` gets waiters."""
    harness.clock.now = FRESH
    harness.resolve()
    harness.clock.now = STALE
    request = harness.resolve()
    assert not request.is_done

    harness.answer(NEW)

    assert request.result() is harness.resolver.fresh(SITE)
    assert len(harness.backend.fetches) == 2


def test_ours_r5_last_good_policy_is_used_when_origin_fails(
    harness: ResolverHarness, old: Policy
) -> None:
    """A waiting request gets the stale policy if the fetch fails."""
    harness.clock.now = EXPIRED - 1
    request = harness.resolve()

    harness.answer(RobotsResponse(503))

    result = request.result()
    assert isinstance(result, Policy)
    assert result.stated == old.stated
    assert result.fresh_until == result.keep_until == EXPIRED


def test_ours_r5_policy_that_expired_during_the_fetch_is_not_used(
    harness: ResolverHarness, old: Policy
) -> None:
    """The time of the failure counts, not that of the fetch."""
    harness.clock.now = EXPIRED - 1
    request = harness.resolve()

    harness.clock.now = EXPIRED
    harness.answer(TIMEOUT)

    result = request.result()
    assert isinstance(result, Policy)
    assert not result.is_known


def test_ours_r6_cancelled_fetch_past_staleness_is_aborted(
    harness: ResolverHarness, old: Policy
) -> None:
    """The stale policy is for unreachable origins; this fetch did not end."""
    harness.clock.now = STALE
    request = harness.resolve()

    harness.answer(Cancelled("withdrawn"))

    assert reason_of(request) == "withdrawn"
    assert harness.memory.get(SITE) is old


def test_policy_from_the_future_is_refetched_once_then_used(
    harness: ResolverHarness, old: Policy
) -> None:
    """If the renewal fails, the policy is used again until the pause ends."""
    harness.clock.now = NOW - 3600
    request = harness.resolve()
    assert not request.is_done

    harness.answer(TIMEOUT)

    assert harness.resolver.fresh(SITE) is request.result()
    harness.resolve()
    assert len(harness.backend.fetches) == 2


def test_each_use_refreshes_with_ttl_zero(driver: Driver) -> None:
    """A waiter gets the answer; a later request gets it while the next fetch runs."""
    harness = ResolverHarness(driver, FreshnessSettings(ttl=0.0, min_ttl=0.0))
    first = harness.resolve()
    harness.answer()

    second = harness.resolve()

    assert second.result() is first.result()
    assert len(harness.backend.fetches) == 2


def test_each_request_waits_when_nothing_may_be_stored(driver: Driver) -> None:
    """Without TTL and STALE_TTL an answer serves only the requests that waited for it."""
    harness = ResolverHarness(
        driver, FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0)
    )
    requests = [harness.resolve(), harness.resolve()]
    harness.answer()
    late = harness.resolve()

    assert all(isinstance(request.result(), Policy) for request in requests)
    assert not late.is_done
    assert len(harness.memory) == 0
    harness.answer(NEW)
    assert isinstance(late.result(), Policy)
