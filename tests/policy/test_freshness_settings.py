"""The limits of freshness lifetimes and of pauses before the next fetch."""

from __future__ import annotations

import math

import pytest

from scrapy_robots1994.policy import FreshnessSettings, Outcome, RobotsResponse

FRESHNESS = FreshnessSettings(ttl=1000.0, min_ttl=100.0, retry_after=50.0)


def test_defaults_are_those_of_the_readme() -> None:
    """Fresh for five minutes to a day, 30 days stale, pauses of five minutes."""
    settings = FreshnessSettings()

    assert (settings.ttl, settings.min_ttl) == (86_400, 300)
    assert (settings.stale_if_error, settings.retry_after) == (2_592_000, 300)
    assert settings.allowing == {Outcome.ABSENT}


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
    """The lifetime of a response is limited to MIN_TTL and TTL; without one it is TTL."""
    assert FRESHNESS.freshness_lifetime(max_age) == lifetime


@pytest.mark.parametrize(
    ("retry_after", "delay"),
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
    retry_after: float | None, delay: float
) -> None:
    """The delay is at least RETRY_AFTER and at most TTL."""
    assert FRESHNESS.retry_delay(RobotsResponse(503, retry_after=retry_after)) == delay


def test_own_pause_may_be_longer_than_the_ttl() -> None:
    """With a TTL below RETRY_AFTER, a Retry-After header has no effect."""
    settings = FreshnessSettings(ttl=0.0, min_ttl=0.0, retry_after=50.0)

    busy = [RobotsResponse(503, retry_after=after) for after in (None, 0.0, 50.0, 51.0)]
    assert [settings.retry_delay(each) for each in busy] == [50.0] * 4


@pytest.mark.parametrize(
    ("ttl", "seconds"), [(0.0, 60.0), (59.0, 60.0), (60.0, 60.0), (61.0, 61.0)]
)
def test_stale_while_revalidate_is_ttl_but_at_least_a_minute(
    ttl: float, seconds: float
) -> None:
    """A stale policy may be used during its refresh for that long."""
    assert FreshnessSettings(ttl=ttl, min_ttl=0.0).stale_while_revalidate == seconds
