"""Which policies a store may share, and which may come from a proxy (§3.1)."""

from __future__ import annotations

import pytest

from scrapy_robots1994.policy import FetchError, Policy, RobotsResponse
from tests.policy.samples import BODY, FRESHNESS, NOW, READER, SITE, parsed


def policy_of(result: RobotsResponse) -> Policy:
    """Return the policy that *result* makes."""
    return Policy.from_response(SITE, result, READER, NOW, FRESHNESS)


@pytest.mark.parametrize("status", [200, 401, 403, 404, 402, 429, 500, 503])
def test_policy_from_an_http_answer_may_be_shared(status: int) -> None:
    """This holds for R1, R3, R4 and the statuses of R5."""
    assert policy_of(RobotsResponse(status, BODY)).may_be_shared


def test_network_failure_is_never_shared() -> None:
    """Another process may be able to reach the origin."""
    reset = FetchError("reset", "by peer")

    assert not Policy.unreachable(SITE, reset, NOW, FRESHNESS).may_be_shared
    assert not parsed().stale_on_error(reset, NOW + 1, FRESHNESS).may_be_shared


def test_stale_policy_after_an_error_status_may_be_shared() -> None:
    """The origin itself answered, over HTTP, that it is not available."""
    assert (
        parsed().stale_on_error(RobotsResponse(503), NOW + 1, FRESHNESS).may_be_shared
    )


@pytest.mark.parametrize("status", [200, 206, 404, 410])
def test_status_that_a_plain_proxy_does_not_send_counts_as_the_origins(
    status: int,
) -> None:
    """A file, a 404 or a 410 makes the same policy with the proxy as without."""
    direct = policy_of(RobotsResponse(status, BODY))

    proxied = policy_of(RobotsResponse(status, BODY, via_plain_proxy=True))

    assert proxied == direct
    assert proxied.may_be_shared


@pytest.mark.parametrize("status", [400, 401, 402, 403, 418, 451])
def test_other_status_through_a_plain_proxy_is_used_for_retry_after(
    status: int,
) -> None:
    """The proxy itself may have sent it, so only this process uses it."""
    policy = policy_of(RobotsResponse(status, via_plain_proxy=True))

    assert not policy.may_be_shared
    assert policy.fresh_until == NOW + FRESHNESS.retry_after
    assert policy.keep_until == policy.stale_until == policy.fresh_until


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_retry_after_through_a_plain_proxy_is_ignored(status: int) -> None:
    """The pause is that of the setting RETRY_AFTER."""
    result = RobotsResponse(status, retry_after=9_999.0, via_plain_proxy=True)

    policy = policy_of(result)
    stale = parsed().stale_on_error(result, NOW, FRESHNESS)

    assert policy.fresh_until == stale.fresh_until == NOW + FRESHNESS.retry_after
    assert not policy.may_be_shared
    assert not stale.may_be_shared


def test_revalidated_policy_through_a_plain_proxy_may_be_shared() -> None:
    """Ours R1: a proxy that does not have the file cannot send a 304."""
    stale = parsed().stale_on_error(FetchError("reset", "x"), NOW, FRESHNESS)
    answer = RobotsResponse(304, not_modified=True, via_plain_proxy=True)

    assert stale.revalidated(answer, NOW + 1, FRESHNESS).may_be_shared
