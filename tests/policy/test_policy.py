"""Policies: what each row of the outcome table makes of an answer."""

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
    NOW,
    OPEN,
    READER,
    ROBOTS_URL,
    SITE,
    TERMS,
    TIMEOUT,
    parsed,
    unreachable,
)


def settled(status: int, terms: FreshnessSettings = TERMS) -> Policy:
    """Settle an answer of *status* whose body forbids something."""
    answer = RobotsResponse(status, BODY)
    return Policy.from_response(SITE, answer, READER, NOW, terms)


def allowed(policy: Policy) -> list[bool]:
    """Ask for a page the file forbids, one it does not, and robots.txt itself."""
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


def test_ours_r1_a_file_is_fresh_as_long_as_it_promises() -> None:
    """An hour of max-age is an hour; then it is usable for TTL, and stored for STALE_TTL."""
    policy = parsed(lifetime=3600.0)

    assert policy.fetched_at == NOW
    assert policy.fresh_until == NOW + 3600
    assert policy.stale_until == NOW + 3600 + DAY
    assert policy.keep_until == NOW + 3600 + 30 * DAY


def test_policy_is_never_used_past_its_end() -> None:
    """With a STALE_TTL shorter than the TTL, staleness ends where keeping ends."""
    policy = parsed(terms=FreshnessSettings(stale_if_error=10.0))

    assert policy.stale_until == policy.keep_until == policy.fresh_until + 10


def test_policy_has_the_validators_of_its_file() -> None:
    """ETag and Last-Modified of the answer stay with its policy."""
    answer = RobotsResponse(200, BODY, etag='"x"', last_modified="yesterday")

    policy = Policy.from_response(SITE, answer, READER, NOW, TERMS)

    assert (policy.etag, policy.last_modified) == ('"x"', "yesterday")


@pytest.mark.parametrize("status", [401, 403])
def test_ours_r3_forbidden_robots_txt_closes_the_site(status: int) -> None:
    """A refused robots.txt forbids everything but itself."""
    policy = settled(status)

    assert policy.rules("robot").verdict(OPEN).reason is Reason.FORBIDDEN
    assert policy.outcome is Outcome.FORBIDDEN
    assert allowed(policy) == [False, False, True]


@pytest.mark.parametrize("status", [401, 403])
def test_ours_r3_the_user_may_have_it_mean_open(status: int) -> None:
    """With FORBIDDEN = "allow" a refused robots.txt forbids nothing."""
    policy = settled(status, FreshnessSettings(forbidden_allows=True))

    assert policy.rules("robot").verdict(OPEN).reason is Reason.FORBIDDEN
    assert allowed(policy) == [True, True, True]


@pytest.mark.parametrize("status", [400, 402, 404, 410, 418, 451, 499])
def test_ours_r4_no_file_opens_the_site_whatever_the_body_says(status: int) -> None:
    """A 4xx without a row of its own allows all, though its body forbids something."""
    policy = settled(status)

    assert policy.rules("robot").verdict(CLOSED).reason is Reason.ABSENT
    assert policy.outcome is Outcome.ABSENT
    assert allowed(policy) == [True, True, True]


@pytest.mark.parametrize(("status", "lifetime"), [(403, 3_600), (404, DAY)])
def test_ours_r3_r4_without_a_file_our_settings_alone_count(
    status: int, lifetime: float
) -> None:
    """An error page promises nothing: no file holds for TTL, a refusal for an hour."""
    policy = Policy.from_response(
        SITE, RobotsResponse(status, freshness_lifetime=400.0), READER, NOW, TERMS
    )

    assert policy.fresh_until == NOW + lifetime


def test_ours_r3_a_short_ttl_is_shorter_than_an_hour() -> None:
    """The hour is an upper limit, like TTL."""
    policy = settled(403, FreshnessSettings(ttl=600.0))

    assert policy.fresh_until == NOW + 600


def test_ours_r3_a_refusal_is_not_used_past_its_hour() -> None:
    """Requests then wait for the next answer; it is the last good policy all the same."""
    policy = settled(403)

    assert policy.stale_until == policy.fresh_until < policy.keep_until


@pytest.mark.parametrize("status", [100, 302, 304, 429, 500, 503, 599, 777])
def test_ours_r5_answer_without_a_file_closes_the_site(status: int) -> None:
    """A status of row R5 forbids everything for now, whatever its body says."""
    policy = settled(status)

    assert policy.status == status
    assert policy.rules("robot").verdict(OPEN).reason is Reason.UNREACHABLE
    assert allowed(policy) == [False, False, True]


def test_ours_r5_no_answer_closes_the_site() -> None:
    """Without an answer everything is forbidden for now, and there is no status."""
    policy = unreachable()

    assert policy.status is None
    assert not policy.is_known
    assert allowed(policy) == [False, False, True]


def test_ours_r5_the_user_may_have_it_mean_open() -> None:
    """With UNREACHABLE = "allow" an unknown policy forbids nothing."""
    policy = unreachable(terms=FreshnessSettings(unreachable_allows=True))

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
    """It is fresh for the pause, never stale, and not stored longer."""
    policy = Policy.unreachable(SITE, answer, NOW, TERMS)

    ends = (policy.fresh_until, policy.stale_until, policy.keep_until)

    assert ends == (NOW + pause,) * 3


@pytest.mark.parametrize("status", [200, 404, 403])
def test_policy_from_an_answer_is_known(status: int) -> None:
    """R1, R3 and R4 are the origin's own word; such a policy may stand in later."""
    assert settled(status).is_known
    assert not settled(status).is_stale_on_error


def test_ours_o22_a_blanket_says_why_robots_txt_itself_is_allowed() -> None:
    """On a closed origin the verdict on /robots.txt names its own reason."""
    verdict = unreachable().rules("robot").verdict(ROBOTS_URL)

    assert verdict.reason is Reason.ROBOTS_TXT


@pytest.mark.parametrize(
    "url", [ROBOTS_URL + "?x", ROBOTS_URL + "/x", SITE.robots_url + "x"]
)
def test_ours_o22_only_robots_txt_itself_is_spared(url: str) -> None:
    """A URL that merely begins like robots.txt is as closed as its origin."""
    assert not unreachable().rules("robot").allowed_url(url)


@pytest.mark.parametrize("status", [403, 404, 503])
def test_policy_without_a_file_has_no_delay(status: int) -> None:
    """Whether the site is open or closed."""
    assert settled(status).rules("robot").crawl_delay is None
