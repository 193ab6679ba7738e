"""What a shared store may take of a policy, and what a proxy may have written (§3.1)."""

from __future__ import annotations

import pytest

from scrapy_robots1994.policy import FetchError, Policy, RobotsResponse
from tests.policy.samples import BODY, NOW, READER, SITE, TERMS, parsed


def made(result: RobotsResponse) -> Policy:
    """Return the policy that *result* makes."""
    return Policy.from_response(SITE, result, READER, NOW, TERMS)


@pytest.mark.parametrize("status", [200, 401, 403, 404, 402, 429, 500, 503])
def test_policy_from_an_http_answer_may_be_shared(status: int) -> None:
    """R1, R3, R4 and the statuses of R5."""
    assert made(RobotsResponse(status, BODY)).may_be_shared


def test_a_network_failure_is_never_shared() -> None:
    """What this process cannot reach, another one may."""
    reset = FetchError("reset", "by peer")

    assert not Policy.unreachable(SITE, reset, NOW, TERMS).may_be_shared
    assert not parsed().stale_on_error(reset, NOW + 1, TERMS).may_be_shared


def test_stale_policy_after_an_error_status_may_be_shared() -> None:
    """The origin said over HTTP that it cannot answer now."""
    assert parsed().stale_on_error(RobotsResponse(503), NOW + 1, TERMS).may_be_shared


@pytest.mark.parametrize("status", [200, 206, 404, 410])
def test_through_a_plain_proxy_what_it_does_not_write_holds_as_ever(
    status: int,
) -> None:
    """A file, or the word that there is none."""
    direct = made(RobotsResponse(status, BODY))

    proxied = made(RobotsResponse(status, BODY, via_plain_proxy=True))

    assert proxied == direct
    assert proxied.may_be_shared


@pytest.mark.parametrize("status", [400, 401, 402, 403, 418, 451])
def test_through_a_plain_proxy_any_other_status_holds_for_a_short_while(
    status: int,
) -> None:
    """It may be the proxy's own; this process alone uses it, for RETRY_AFTER."""
    policy = made(RobotsResponse(status, via_plain_proxy=True))

    assert not policy.may_be_shared
    assert policy.fresh_until == NOW + TERMS.retry_after
    assert policy.keep_until == policy.stale_until == policy.fresh_until


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_proxy_imposes_no_retry_after(status: int) -> None:
    """Its pause is ours."""
    result = RobotsResponse(status, retry_after=9_999.0, via_plain_proxy=True)

    policy = made(result)
    standing = parsed().stale_on_error(result, NOW, TERMS)

    assert policy.fresh_until == standing.fresh_until == NOW + TERMS.retry_after
    assert not policy.may_be_shared
    assert not standing.may_be_shared


def test_a_revalidation_through_a_proxy_is_the_origins() -> None:
    """Ours R1: no proxy without the file confirms it."""
    stale = parsed().stale_on_error(FetchError("reset", "x"), NOW, TERMS)
    answer = RobotsResponse(304, not_modified=True, via_plain_proxy=True)

    assert stale.revalidated(answer, NOW + 1, TERMS).may_be_shared
