"""The last good policy, when it cannot be renewed (R5)."""

from __future__ import annotations

import pytest

from scrapy_robots1994.policy import (
    FreshnessSettings,
    Policy,
    RobotsResponse,
)
from tests.policy.samples import (
    BODY,
    CLOSED,
    DAY,
    NOW,
    READER,
    SITE,
    TERMS,
    TIMEOUT,
    parsed,
    use_of,
)

SHORT = FreshnessSettings(
    ttl=100.0, min_ttl=0.0, stale_if_error=1000.0, retry_after=300.0
)


def test_ours_r5_last_good_policy_is_used_on_error() -> None:
    """A failed renewal changes when we ask again, and nothing of what was stated."""
    last = parsed()

    standing = last.stale_on_error(TIMEOUT, NOW + 2 * DAY, TERMS)

    assert standing.stated == last.stated
    assert standing.is_stale_on_error
    assert not standing.rules("robot").allowed_url(CLOSED)
    assert standing.fetched_at == NOW


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (TIMEOUT, 300.0),
        (RobotsResponse(500), 300.0),
        (RobotsResponse(503, retry_after=1.0), 300.0),
        (RobotsResponse(503, retry_after=900.0), 900.0),
        (RobotsResponse(429, retry_after=1e9), DAY),
    ],
)
def test_ours_r5_stale_policy_is_used_until_the_next_fetch(
    answer: RobotsResponse, pause: float
) -> None:
    """The origin is asked again after the pause, or its Retry-After within bounds."""
    later = NOW + 2 * DAY

    standing = parsed().stale_on_error(answer, later, TERMS)

    assert standing.fresh_until == later + pause


def test_ours_r5_stale_policy_is_used_no_longer_than_stale_ttl() -> None:
    """However often renewing fails, the end of the last good policy does not move."""
    last = policy = parsed(terms=SHORT)
    now = last.fresh_until

    while now < last.keep_until:
        policy = policy.stale_on_error(TIMEOUT, now, SHORT)
        assert policy.fresh_until <= policy.stale_until <= last.keep_until
        now = policy.fresh_until

    assert policy.keep_until == last.keep_until == NOW + 100 + 1000
    assert use_of(policy, last.keep_until) == "nothing"


def test_ours_r5_a_good_answer_ends_standing_in() -> None:
    """The next answer that states a policy makes one like any other."""
    policy = Policy.from_response(SITE, RobotsResponse(200, BODY), READER, NOW, TERMS)

    assert not policy.is_stale_on_error
    assert policy.is_known


def test_a_standing_policy_is_still_the_origins_own() -> None:
    """It is known: it may be used on error again, and during a refresh."""
    standing = parsed().stale_on_error(TIMEOUT, NOW, TERMS)

    assert standing.is_known
    assert use_of(standing, standing.fresh_until) == "stale"


@pytest.mark.parametrize("back", [61.0, DAY, 100 * DAY])
def test_a_stand_in_pauses_also_after_the_clock_went_back(back: float) -> None:
    """Left in the future it would be asked for again by every request at once."""
    now = NOW - back

    standing = parsed().stale_on_error(TIMEOUT, now, TERMS)

    assert use_of(standing, now) == "fresh"
    assert use_of(standing, now + 300) == "stale"


def test_a_clock_that_went_back_lengthens_no_stand_in() -> None:
    """Its end goes back with the clock: what was left of its time is left."""
    last: Policy = parsed()

    standing = last.stale_on_error(TIMEOUT, NOW - DAY, TERMS)

    assert standing.keep_until - (NOW - DAY) == last.keep_until - NOW
