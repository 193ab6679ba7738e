"""The bounds of freshness and of pauses."""

from __future__ import annotations

import math

import pytest

from scrapy_robots1994.policy import FreshnessSettings, RobotsResponse

TERMS = FreshnessSettings(ttl=1000.0, min_ttl=100.0, retry_after=50.0)


def test_the_defaults_are_those_of_the_readme() -> None:
    """A day, five minutes at least, 30 days stale, five minutes of pause; closed."""
    terms = FreshnessSettings()

    assert (terms.ttl, terms.min_ttl) == (86_400, 300)
    assert (terms.stale_if_error, terms.retry_after) == (2_592_000, 300)
    assert not terms.forbidden_allows
    assert not terms.unreachable_allows


@pytest.mark.parametrize(
    ("max_age", "lifetime"),
    [
        (None, 1000.0),
        (0.0, 100.0),
        (-5.0, 100.0),
        (99.9, 100.0),
        (100.0, 100.0),
        (100.1, 100.1),
        (999.9, 999.9),
        (1000.0, 1000.0),
        (1000.1, 1000.0),
        (math.inf, 1000.0),
    ],
)
def test_ours_r1_freshness_is_limited_to_its_bounds(
    max_age: float | None, lifetime: float
) -> None:
    """What a response promises counts between MIN_TTL and TTL; silence means TTL."""
    assert TERMS.freshness_lifetime(max_age) == lifetime


@pytest.mark.parametrize(
    ("asked", "waited"),
    [
        (None, 50.0),
        (0.0, 50.0),
        (49.9, 50.0),
        (50.0, 50.0),
        (50.1, 50.1),
        (1000.0, 1000.0),
        (1000.1, 1000.0),
        (math.inf, 1000.0),
    ],
)
def test_ours_r5_retry_after_is_limited_to_its_bounds(
    asked: float | None, waited: float
) -> None:
    """A server can make us wait from RETRY_AFTER to TTL, no less and no longer."""
    assert TERMS.retry_delay(RobotsResponse(503, retry_after=asked)) == waited


def test_own_pause_may_be_longer_than_the_ttl() -> None:
    """With a TTL shorter than RETRY_AFTER the pause is RETRY_AFTER, asked or not."""
    terms = FreshnessSettings(ttl=0.0, min_ttl=0.0, retry_after=50.0)

    busy = [RobotsResponse(503, retry_after=asked) for asked in (None, 0.0, 50.0, 51.0)]
    assert [terms.retry_delay(each) for each in busy] == [50.0] * 4


@pytest.mark.parametrize(
    ("ttl", "grace"), [(0.0, 60.0), (59.0, 60.0), (60.0, 60.0), (61.0, 61.0)]
)
def test_a_stale_policy_is_used_as_long_again_but_a_minute_at_least(
    ttl: float, grace: float
) -> None:
    """The time for use during a refresh is TTL once more, and at least a minute."""
    assert FreshnessSettings(ttl=ttl, min_ttl=0.0).stale_while_revalidate == grace
