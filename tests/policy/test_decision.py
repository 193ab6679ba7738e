"""What to do with a policy at a moment: each boundary from both sides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_robots1994.policy import (
    FreshnessSettings,
    Policy,
)
from tests.policy.samples import NOW, parsed, unreachable, use_of

KNOWN = replace(
    parsed(), fresh_until=NOW + 10, stale_until=NOW + 20, keep_until=NOW + 30
)
UNKNOWN = unreachable(terms=FreshnessSettings(retry_after=10.0))


@pytest.mark.parametrize(
    ("after", "decision"),
    [
        (0.0, "fresh"),
        (9.999, "fresh"),
        (10.0, "stale"),
        (19.999, "stale"),
        (20.0, "last good"),
        (29.999, "last good"),
        (30.0, "nothing"),
        (1e9, "nothing"),
    ],
)
def test_a_known_policy_is_fresh_then_stale_then_a_last_resort(
    after: float, decision: str
) -> None:
    """Each end belongs to the time after it."""
    assert use_of(KNOWN, NOW + after) == decision


@pytest.mark.parametrize(
    ("after", "decision"),
    [(0.0, "fresh"), (9.999, "fresh"), (10.0, "nothing")],
)
def test_ours_r5_an_unknown_policy_is_never_used_past_its_end(
    after: float, decision: str
) -> None:
    """What we set ourselves is neither stale nor a last good policy."""
    assert use_of(UNKNOWN, NOW + after) == decision


def test_ours_r5_unknown_policy_is_never_the_last_good_one() -> None:
    """Even if a store returns it past its end, the origin is asked again."""
    expired = replace(UNKNOWN, stale_until=NOW + 20, keep_until=NOW + 30)

    assert use_of(expired, NOW + 15) == "nothing"


@pytest.mark.parametrize(
    ("policy", "ahead", "decision"),
    [
        (KNOWN, 0.001, "fresh"),
        (KNOWN, 60.0, "fresh"),
        (KNOWN, 60.001, "last good"),
        (KNOWN, 1e9, "last good"),
        (UNKNOWN, 60.0, "fresh"),
        (UNKNOWN, 60.001, "nothing"),
    ],
)
def test_policy_from_the_future_is_fetched_again(
    policy: Policy, ahead: float, decision: str
) -> None:
    """When the clock went back by more than a minute, no date of ours can be true."""
    assert use_of(policy, NOW - ahead) == decision


def test_a_ttl_of_zero_is_never_fresh() -> None:
    """It is refreshed at each use, and used during the refresh for a minute."""
    policy = parsed(terms=FreshnessSettings(ttl=0.0, min_ttl=0.0))

    assert use_of(policy, NOW) == "stale"
    assert use_of(policy, NOW + 59.999) == "stale"
    assert use_of(policy, NOW + 60.0) == "last good"


def test_a_ttl_and_stale_ttl_of_zero_keep_nothing() -> None:
    """Then every request asks the origin and waits."""
    policy = parsed(terms=FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0))

    assert use_of(policy, NOW) == "nothing"
