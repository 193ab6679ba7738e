"""Revalidation by a 304: the stored file stays the policy, and nothing is parsed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scrapy_robots1994.policy import (
    FreshnessSettings,
    Outcome,
    Policy,
    RobotsResponse,
    Validators,
)
from scrapy_robots1994.policy.outcomes import outcome_of
from tests.policy.samples import (
    DAY,
    FRESHNESS,
    NOW,
    ROBOTS_URL,
    TIMEOUT,
    parsed,
    unreachable,
    use_of,
)

LATER = NOW + 2 * DAY
MONDAY = "Mon, 01 Jan 2024 00:00:00 GMT"
RENEWAL = RobotsResponse(304, not_modified=True)


def stored(etag: str | None = '"a"', last_modified: str | None = MONDAY) -> Policy:
    """Return the policy of a file that has validators."""
    return replace(parsed(), etag=etag, last_modified=last_modified)


def test_ours_r1_304_to_a_conditional_request_renews() -> None:
    """It has an outcome of its own; an unconditional 304 is treated as any other 3xx."""
    assert RENEWAL.outcome is Outcome.RENEWED
    assert RobotsResponse(304).outcome is outcome_of(304) is Outcome.UNREACHABLE


def test_ours_r1_revalidated_policy_has_the_same_file_and_new_times() -> None:
    """The parsed file is the same object; all times count from the 304."""
    last = stored()

    renewed = last.revalidated(RENEWAL, LATER, FRESHNESS)

    assert renewed.robots is last.robots
    assert use_of(renewed, LATER + DAY - 1) == "fresh"
    assert (renewed.fetched_at, renewed.fresh_until) == (LATER, LATER + DAY)
    assert renewed.keep_until == LATER + DAY + 30 * DAY


def test_304_replaces_the_headers_it_has_and_no_others() -> None:
    """RFC 9111, 4.3.4: its ETag replaces the stored one; an omitted header stays."""
    answer = RobotsResponse(
        304, not_modified=True, etag='"b"', freshness_lifetime=600.0
    )

    renewed = stored().revalidated(answer, LATER, FRESHNESS)

    assert (renewed.etag, renewed.last_modified) == ('"b"', MONDAY)
    assert renewed.fresh_until == LATER + 600


def test_304_without_freshness_repeats_the_last_lifetime() -> None:
    """A file that was fresh for ten minutes is fresh for ten more."""
    last = parsed(lifetime=600.0)

    assert last.revalidated(RENEWAL, LATER, FRESHNESS).fresh_until == LATER + 600


def test_ours_r5_304_ends_use_on_error() -> None:
    """After a failed refresh a 304 makes the policy a regular one again."""
    stale = stored().stale_on_error(TIMEOUT, NOW + DAY, FRESHNESS)

    assert not stale.revalidated(RENEWAL, LATER, FRESHNESS).is_stale_on_error


def test_renewed_policy_is_used_no_longer_than_stored() -> None:
    """With a STALE_TTL of 0 it is dropped as soon as it is no longer fresh."""
    freshness = FreshnessSettings(stale_if_error=0.0)

    renewed = stored().revalidated(RENEWAL, LATER, freshness)

    assert renewed.fresh_until == renewed.stale_until == renewed.keep_until


@pytest.mark.parametrize("policy", [parsed(), unreachable()])
def test_response_without_validators_cannot_be_revalidated(policy: Policy) -> None:
    """The next request for robots.txt is unconditional."""
    assert policy.validators is None


@pytest.mark.parametrize(
    ("etag", "date", "headers"),
    [
        ('"\xe9"', None, {"If-None-Match": b'"\xe9"'}),
        (None, MONDAY, {"If-Modified-Since": MONDAY.encode()}),
    ],
)
def test_either_validator_is_enough(
    etag: str | None, date: str | None, headers: dict[str, bytes]
) -> None:
    """A server does not have to send both."""
    assert stored(etag, date).validators == Validators(ROBOTS_URL, headers)


def test_validators_belong_to_the_final_url() -> None:
    """Ours R2: after a redirect they are sent only to its target."""
    url = "https://www.site.example/robots.txt"

    validators = replace(stored(), final_url=url).validators

    assert validators is not None
    assert validators.url == url
