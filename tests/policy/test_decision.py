"""What to do with a policy at a moment: each boundary from both sides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_robots1994.policy import (
    Fetch,
    FreshnessDecision,
    FreshnessSettings,
    Policy,
    UseFresh,
    UseStale,
    decide,
)
from tests.policy.samples import NOW, parsed, unreachable

KNOWN = replace(
    parsed(), fresh_until=NOW + 10, stale_until=NOW + 20, keep_until=NOW + 30
)
UNKNOWN = unreachable(terms=FreshnessSettings(retry_after=10.0))


def test_nothing_held_is_fetched() -> None:
    """No policy means asking the origin, never "allowed"."""
    assert decide(None, NOW) == Fetch(None)


@pytest.mark.parametrize(
    ("after", "decision"),
    [
        (0.0, UseFresh(KNOWN)),
        (9.999, UseFresh(KNOWN)),
        (10.0, UseStale(KNOWN)),
        (19.999, UseStale(KNOWN)),
        (20.0, Fetch(KNOWN)),
        (29.999, Fetch(KNOWN)),
        (30.0, Fetch(None)),
        (1e9, Fetch(None)),
    ],
)
def test_a_known_policy_is_fresh_then_stale_then_a_last_resort(
    after: float, decision: FreshnessDecision
) -> None:
    """Each end belongs to the time after it."""
    assert decide(KNOWN, NOW + after) == decision


@pytest.mark.parametrize(
    ("after", "decision"),
    [(0.0, UseFresh(UNKNOWN)), (9.999, UseFresh(UNKNOWN)), (10.0, Fetch(None))],
)
def test_ours_r5_an_unknown_policy_is_never_used_past_its_end(
    after: float, decision: FreshnessDecision
) -> None:
    """What we set ourselves is neither stale nor a last good policy."""
    assert decide(UNKNOWN, NOW + after) == decision


def test_ours_r5_an_unknown_policy_that_is_kept_longer_is_still_no_last_one() -> None:
    """Even where a store keeps it past its end, it is asked anew."""
    kept = replace(UNKNOWN, stale_until=NOW + 20, keep_until=NOW + 30)

    assert decide(kept, NOW + 15) == Fetch(None)


@pytest.mark.parametrize(
    ("policy", "ahead", "decision"),
    [
        (KNOWN, 0.001, UseFresh(KNOWN)),
        (KNOWN, 60.0, UseFresh(KNOWN)),
        (KNOWN, 60.001, Fetch(KNOWN)),
        (KNOWN, 1e9, Fetch(KNOWN)),
        (UNKNOWN, 60.0, UseFresh(UNKNOWN)),
        (UNKNOWN, 60.001, Fetch(None)),
    ],
)
def test_a_policy_from_the_future_is_asked_for_again(
    policy: Policy, ahead: float, decision: FreshnessDecision
) -> None:
    """When the clock went back by more than a minute, no date of ours can be true."""
    assert decide(policy, NOW - ahead) == decision


def test_a_ttl_of_zero_is_never_fresh() -> None:
    """It is refreshed at each use, and served beside the refresh for a minute."""
    policy = parsed(terms=FreshnessSettings(ttl=0.0, min_ttl=0.0))

    assert decide(policy, NOW) == UseStale(policy)
    assert decide(policy, NOW + 59.999) == UseStale(policy)
    assert decide(policy, NOW + 60.0) == Fetch(policy)


def test_a_ttl_and_stale_ttl_of_zero_keep_nothing() -> None:
    """Then every request asks the origin and waits."""
    policy = parsed(terms=FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0))

    assert decide(policy, NOW) == Fetch(None)
