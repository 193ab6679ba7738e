"""How a policy may be used at a given time: each boundary from both sides."""

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
UNKNOWN = unreachable(freshness=FreshnessSettings(retry_after=10.0))


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
def test_known_policy_is_fresh_then_stale_then_last_good(
    after: float, decision: str
) -> None:
    """At the end of each period the next one has begun."""
    assert use_of(KNOWN, NOW + after) == decision


@pytest.mark.parametrize(
    ("after", "decision"),
    [(0.0, "fresh"), (9.999, "fresh"), (10.0, "nothing")],
)
def test_ours_r5_unknown_policy_is_not_used_past_its_end(
    after: float, decision: str
) -> None:
    """A policy that the origin did not state is neither stale nor last good."""
    assert use_of(UNKNOWN, NOW + after) == decision


def test_ours_r5_unknown_policy_is_never_the_last_good_one() -> None:
    """If a store returns it past its end, robots.txt is fetched again."""
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
    """If the clock was set back by more than a minute, the dates are not trusted."""
    assert use_of(policy, NOW - ahead) == decision


def test_policy_with_ttl_of_zero_is_never_fresh() -> None:
    """Each use refreshes it; for a minute it is used during the refresh."""
    policy = parsed(freshness=FreshnessSettings(ttl=0.0, min_ttl=0.0))

    assert use_of(policy, NOW) == "stale"
    assert use_of(policy, NOW + 59.999) == "stale"
    assert use_of(policy, NOW + 60.0) == "last good"


def test_policy_with_ttl_and_stale_ttl_of_zero_is_never_used() -> None:
    """Every request then waits for a fetch of robots.txt."""
    policy = parsed(
        freshness=FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0)
    )

    assert use_of(policy, NOW) == "nothing"
