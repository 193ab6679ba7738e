"""A 304: the file we hold still is the policy, and nothing is parsed."""

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
from scrapy_robots1994.policy.fetch_result import outcome_of
from tests.policy.samples import (
    DAY,
    NOW,
    ROBOTS_URL,
    TERMS,
    TIMEOUT,
    parsed,
    unreachable,
    use_of,
)

LATER = NOW + 2 * DAY
MONDAY = "Mon, 01 Jan 2024 00:00:00 GMT"
RENEWAL = RobotsResponse(304, not_modified=True)


def stored(etag: str | None = '"a"', last_modified: str | None = MONDAY) -> Policy:
    """Make the policy of a file that came with validators."""
    return replace(parsed(), etag=etag, last_modified=last_modified)


def test_ours_r1_304_to_a_conditional_request_renews() -> None:
    """It is an outcome of its own; an unconditional 304 is treated as another 3xx."""
    assert RENEWAL.outcome is Outcome.RENEWED
    assert RobotsResponse(304).outcome is outcome_of(304) is Outcome.UNREACHABLE


def test_ours_r1_a_renewed_policy_states_the_same_for_a_new_time() -> None:
    """The parsed file is the very same object; all its times begin anew."""
    last = stored()

    renewed = last.revalidated(RENEWAL, LATER, TERMS)

    assert renewed.robots is last.robots
    assert use_of(renewed, LATER + DAY - 1) == "fresh"
    assert (renewed.fetched_at, renewed.fresh_until) == (LATER, LATER + DAY)
    assert renewed.keep_until == LATER + DAY + 30 * DAY


def test_a_304_updates_what_it_names_and_keeps_the_rest() -> None:
    """RFC 9111, 4.3.4: its ETag replaces ours, what it leaves out stays."""
    answer = RobotsResponse(
        304, not_modified=True, etag='"b"', freshness_lifetime=600.0
    )

    renewed = stored().revalidated(answer, LATER, TERMS)

    assert (renewed.etag, renewed.last_modified) == ('"b"', MONDAY)
    assert renewed.fresh_until == LATER + 600


def test_a_304_that_promises_nothing_repeats_the_last_promise() -> None:
    """A file that was good for ten minutes is good for ten more."""
    last = parsed(lifetime=600.0)

    assert last.revalidated(RENEWAL, LATER, TERMS).fresh_until == LATER + 600


def test_ours_r5_a_304_ends_standing_in() -> None:
    """The origin has spoken again."""
    standing = stored().stale_on_error(TIMEOUT, NOW + DAY, TERMS)

    assert not standing.revalidated(RENEWAL, LATER, TERMS).is_stale_on_error


def test_renewed_policy_is_used_no_longer_than_stored() -> None:
    """With a STALE_TTL of 0 it is forgotten as soon as it runs out."""
    terms = FreshnessSettings(stale_if_error=0.0)

    renewed = stored().revalidated(RENEWAL, LATER, terms)

    assert renewed.fresh_until == renewed.stale_until == renewed.keep_until


@pytest.mark.parametrize("policy", [parsed(), unreachable()])
def test_response_without_validators_cannot_be_renewed(policy: Policy) -> None:
    """Then the whole file is asked for."""
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
    """A server need not send both."""
    assert stored(etag, date).validators == Validators(ROBOTS_URL, headers)


def test_validators_speak_of_the_url_that_answered() -> None:
    """Ours R2: after a redirect they belong to where it led."""
    url = "https://www.site.example/robots.txt"

    validators = replace(stored(), final_url=url).validators

    assert validators is not None
    assert validators.url == url
