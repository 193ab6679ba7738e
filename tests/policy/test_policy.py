"""The policy that each row of the outcome table makes of a response."""

from __future__ import annotations

import pytest

from scrapy_robots1994.parser import Reason
from scrapy_robots1994.policy import (
    FetchError,
    FreshnessSettings,
    Outcome,
    Policy,
    RobotsResponse,
)
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.policy.samples import (
    BODY,
    CLOSED,
    DAY,
    FRESHNESS,
    NOW,
    OPEN,
    READER,
    ROBOTS_URL,
    SITE,
    TIMEOUT,
    parsed,
    unreachable,
)


def policy_of(status: int, freshness: FreshnessSettings = FRESHNESS) -> Policy:
    """Return the policy of a response with *status* and a body with a rule."""
    answer = RobotsResponse(status, BODY)
    return Policy.from_response(SITE, answer, READER, NOW, freshness)


def allowed(policy: Policy) -> list[bool]:
    """Return whether a disallowed page, another page and robots.txt are allowed."""
    rules = policy.rules("robot")
    answers = [rules.allowed_url(url) for url in (CLOSED, OPEN, ROBOTS_URL)]
    assert answers == [rules.verdict(url).allowed for url in (CLOSED, OPEN, ROBOTS_URL)]
    return answers


def test_ours_r1_the_file_decides() -> None:
    """After a 2xx each URL is judged by the lines of the body."""
    policy = parsed()

    assert allowed(policy) == [False, True, True]
    assert policy.rules("robot").verdict(CLOSED).line == 2
    assert policy.robots == RobotsTxt.parse(BODY)


def test_ours_r1_policy_is_fresh_for_the_lifetime_of_the_response() -> None:
    """After an hour of max-age it is usable for TTL, and stored for STALE_TTL."""
    policy = parsed(lifetime=3600.0)

    assert policy.fetched_at == NOW
    assert policy.fresh_until == NOW + 3600
    assert policy.stale_until == NOW + 3600 + DAY
    assert policy.keep_until == NOW + 3600 + 30 * DAY


def test_policy_is_never_used_past_its_end() -> None:
    """With a STALE_TTL shorter than the TTL, it is not usable after it is dropped."""
    policy = parsed(freshness=FreshnessSettings(stale_if_error=10.0))

    assert policy.stale_until == policy.keep_until == policy.fresh_until + 10


def test_policy_has_the_validators_of_its_file() -> None:
    """ETag and Last-Modified of the response are stored in the policy."""
    answer = RobotsResponse(200, BODY, etag='"x"', last_modified="yesterday")

    policy = Policy.from_response(SITE, answer, READER, NOW, FRESHNESS)

    assert (policy.etag, policy.last_modified) == ('"x"', "yesterday")


@pytest.mark.parametrize("status", [401, 403])
def test_ours_r3_forbidden_robots_txt_disallows_everything(status: int) -> None:
    """After a 401 or 403 only robots.txt itself is allowed."""
    policy = policy_of(status)

    assert policy.rules("robot").verdict(OPEN).reason is Reason.FORBIDDEN
    assert policy.outcome is Outcome.FORBIDDEN
    assert allowed(policy) == [False, False, True]


@pytest.mark.parametrize("status", [401, 403])
def test_ours_r3_setting_forbidden_to_allow_allows_everything(status: int) -> None:
    """With FORBIDDEN = "allow" a 401 or 403 disallows nothing."""
    policy = policy_of(status, FreshnessSettings(allowing={Outcome.FORBIDDEN}))

    assert policy.rules("robot").verdict(OPEN).reason is Reason.FORBIDDEN
    assert allowed(policy) == [True, True, True]


@pytest.mark.parametrize("status", [400, 402, 404, 410, 418, 451, 499])
def test_ours_r4_missing_file_allows_everything(status: int) -> None:
    """A 4xx without a row of its own allows all, although its body has a rule."""
    policy = policy_of(status)

    assert policy.rules("robot").verdict(CLOSED).reason is Reason.ABSENT
    assert policy.outcome is Outcome.ABSENT
    assert allowed(policy) == [True, True, True]


@pytest.mark.parametrize(("status", "lifetime"), [(403, 3_600), (404, DAY)])
def test_ours_r3_r4_freshness_of_an_error_response_is_ignored(
    status: int, lifetime: float
) -> None:
    """A missing file is fresh for TTL, a 403 for an hour, whatever max-age they have."""
    policy = Policy.from_response(
        SITE, RobotsResponse(status, freshness_lifetime=400.0), READER, NOW, FRESHNESS
    )

    assert policy.fresh_until == NOW + lifetime


def test_ours_r3_ttl_below_an_hour_limits_a_403() -> None:
    """A 403 is fresh for an hour or for TTL, whichever is shorter."""
    policy = policy_of(403, FreshnessSettings(ttl=600.0))

    assert policy.fresh_until == NOW + 600


def test_ours_r3_policy_of_a_403_is_never_stale_but_may_be_last_good() -> None:
    """After its hour requests wait for the next response."""
    policy = policy_of(403)

    assert policy.stale_until == policy.fresh_until < policy.keep_until


@pytest.mark.parametrize("status", [100, 302, 304, 429, 500, 503, 599, 777])
def test_ours_r5_unreachable_status_disallows_everything(status: int) -> None:
    """A status of row R5 disallows everything for now, whatever its body says."""
    policy = policy_of(status)

    assert policy.status == status
    assert policy.rules("robot").verdict(OPEN).reason is Reason.UNREACHABLE
    assert allowed(policy) == [False, False, True]


def test_ours_r5_failed_fetch_disallows_everything() -> None:
    """Everything is disallowed for now, and the policy has no status."""
    policy = unreachable()

    assert policy.status is None
    assert not policy.is_known
    assert allowed(policy) == [False, False, True]


def test_ours_r5_setting_unreachable_to_allow_allows_everything() -> None:
    """With UNREACHABLE = "allow" an unknown policy disallows nothing."""
    policy = unreachable(freshness=FreshnessSettings(allowing={Outcome.UNREACHABLE}))

    assert allowed(policy) == [True, True, True]


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (TIMEOUT, 300.0),
        (RobotsResponse(503), 300.0),
        (RobotsResponse(503, retry_after=1.0), 300.0),
        (RobotsResponse(429, retry_after=3600.0), 3600.0),
        (RobotsResponse(503, retry_after=1e9), DAY),
    ],
)
def test_ours_r5_unknown_policy_ends_with_the_pause(
    answer: RobotsResponse | FetchError, pause: float
) -> None:
    """It is fresh until the next fetch, never stale, and not stored longer."""
    policy = Policy.unreachable(SITE, answer, NOW, FRESHNESS)

    ends = (policy.fresh_until, policy.stale_until, policy.keep_until)

    assert ends == (NOW + pause,) * 3


@pytest.mark.parametrize("status", [200, 404, 403])
def test_policy_from_a_response_is_known(status: int) -> None:
    """R1, R3 and R4 come from the origin itself."""
    assert policy_of(status).is_known
    assert not policy_of(status).is_stale_on_error


def test_ours_o22_uniform_rules_give_the_reason_for_robots_txt() -> None:
    """On an unreachable origin /robots.txt is allowed for a reason of its own."""
    verdict = unreachable().rules("robot").verdict(ROBOTS_URL)

    assert verdict.reason is Reason.ROBOTS_TXT


@pytest.mark.parametrize(
    "url", [ROBOTS_URL + "?x", ROBOTS_URL + "/x", SITE.robots_url + "x"]
)
def test_ours_o22_uniform_rules_except_robots_txt_alone(url: str) -> None:
    """A URL that merely begins like robots.txt is disallowed like any other."""
    assert not unreachable().rules("robot").allowed_url(url)


@pytest.mark.parametrize("status", [403, 404, 503])
def test_policy_without_a_file_has_no_delay(status: int) -> None:
    """Neither if it allows everything nor if it disallows everything."""
    assert policy_of(status).rules("robot").crawl_delay is None
