"""The last good policy, used when refreshing it failed (R5)."""

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
    FRESHNESS,
    NOW,
    READER,
    SITE,
    TIMEOUT,
    parsed,
    use_of,
)

SHORT = FreshnessSettings(
    ttl=100.0, min_ttl=0.0, stale_if_error=1000.0, retry_after=300.0
)


def test_ours_r5_last_good_policy_is_used_on_error() -> None:
    """A failed refresh changes the time of the next fetch, but no rule."""
    last = parsed()

    stale = last.stale_on_error(TIMEOUT, NOW + 2 * DAY, FRESHNESS)

    assert stale.stated == last.stated
    assert stale.is_stale_on_error
    assert not stale.rules("robot").allowed_url(CLOSED)
    assert stale.fetched_at == NOW


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
    """The next fetch is after RETRY_AFTER, or after the origin's limited Retry-After."""
    later = NOW + 2 * DAY

    stale = parsed().stale_on_error(answer, later, FRESHNESS)

    assert stale.fresh_until == later + pause


def test_ours_r5_stale_policy_is_used_no_longer_than_stale_ttl() -> None:
    """However often a refresh fails, the end of the last good policy does not move."""
    last = policy = parsed(freshness=SHORT)
    now = last.fresh_until

    while now < last.keep_until:
        policy = policy.stale_on_error(TIMEOUT, now, SHORT)
        assert policy.fresh_until <= policy.stale_until <= last.keep_until
        now = policy.fresh_until

    assert policy.keep_until == last.keep_until == NOW + 100 + 1000
    assert use_of(policy, last.keep_until) == "nothing"


def test_ours_r5_policy_of_a_good_response_is_not_stale_on_error() -> None:
    """A response with a file makes a regular policy."""
    policy = Policy.from_response(
        SITE, RobotsResponse(200, BODY), READER, NOW, FRESHNESS
    )

    assert not policy.is_stale_on_error
    assert policy.is_known


def test_policy_used_on_error_is_still_known() -> None:
    """It may be used during the next refresh, too."""
    stale = parsed().stale_on_error(TIMEOUT, NOW, FRESHNESS)

    assert stale.is_known
    assert use_of(stale, stale.fresh_until) == "stale"


@pytest.mark.parametrize("back", [61.0, DAY, 100 * DAY])
def test_policy_used_on_error_is_fresh_after_the_clock_was_set_back(
    back: float,
) -> None:
    """With its date left in the future, every request would fetch it again."""
    now = NOW - back

    stale = parsed().stale_on_error(TIMEOUT, now, FRESHNESS)

    assert use_of(stale, now) == "fresh"
    assert use_of(stale, now + 300) == "stale"


def test_clock_set_back_does_not_extend_use_on_error() -> None:
    """The end of the policy is moved back by as much as the clock."""
    last: Policy = parsed()

    stale = last.stale_on_error(TIMEOUT, NOW - DAY, FRESHNESS)

    assert stale.keep_until - (NOW - DAY) == last.keep_until - NOW
