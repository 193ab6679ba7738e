"""An origin is fetched once, and every waiting request gets the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from tests.policy.samples import CLOSED, NOW, SITE, TIMEOUT
from tests.resolver.harness import FILE, ResolverHarness

if TYPE_CHECKING:
    from tests.resolver.drivers import Driver, Running

OTHER = Origin("https", "other.example", 443)


def policy_of(request: Running[Policy]) -> Policy:
    """Return the policy that *request* got."""
    result = request.result()
    assert isinstance(result, Policy)
    return result


def test_fifty_waiting_requests_cost_one_fetch(harness: ResolverHarness) -> None:
    """Fifty requests of one origin at once make one fetch, not two."""
    requests = [harness.resolve() for _ in range(50)]
    assert not any(request.is_done for request in requests)

    harness.answer()

    assert len(harness.backend.fetches) == 1
    assert {id(request.result()) for request in requests} == {
        id(harness.memory.get(SITE))
    }


def test_each_of_fifty_waiting_requests_obeys_the_rules(
    harness: ResolverHarness,
) -> None:
    """The rules apply to each of them, not only to the first."""
    requests = [harness.resolve() for _ in range(50)]

    harness.answer()

    for request in requests:
        assert not policy_of(request).rules("robot").allowed_url(CLOSED)


def test_each_request_has_its_own_waiter(
    harness: ResolverHarness,
) -> None:
    """Each waiter is released exactly once."""
    for _ in range(50):
        harness.resolve()

    harness.answer()

    assert len({id(waiter) for waiter in harness.backend.waiters}) == 50
    assert [waiter.releases for waiter in harness.backend.waiters] == [1] * 50


def test_fetch_uses_the_context_of_the_first_request(harness: ResolverHarness) -> None:
    """A request that joins a fetch under way does not change its context."""
    harness.resolve(context="proxy")
    harness.resolve(context="direct")

    assert [fetch.context for fetch in harness.backend.fetches] == ["proxy"]


def test_origins_do_not_wait_for_each_other(harness: ResolverHarness) -> None:
    """A slow origin delays only its own requests."""
    slow = harness.resolve(SITE)
    quick = harness.resolve(OTHER)

    harness.answer(nth=1)

    assert policy_of(quick).origin == OTHER
    assert not slow.is_done
    harness.answer(nth=0)
    assert policy_of(slow).origin == SITE


def test_request_after_the_answer_does_not_wait(harness: ResolverHarness) -> None:
    """`resolve` and `fresh` both return a fresh policy at once."""
    harness.resolve()
    harness.answer()

    late = harness.resolve()

    assert policy_of(late) is harness.resolver.fresh(SITE)
    assert len(harness.backend.fetches) == 1
    assert len(harness.backend.waiters) == 1


def test_fresh_returns_none_before_the_answer(harness: ResolverHarness) -> None:
    """`fresh` never starts a fetch."""
    assert harness.resolver.fresh(SITE) is None
    harness.resolve()
    assert harness.resolver.fresh(SITE) is None
    assert len(harness.backend.fetches) == 1


def test_immediate_answer_reaches_the_request(
    harness: ResolverHarness,
) -> None:
    """A fetch may end before the request that started it begins to wait."""
    harness.backend.at_once = FILE

    request = harness.resolve()

    assert policy_of(request) is harness.resolver.fresh(SITE)
    assert len(harness.backend.fetches) == 1


def test_the_policy_is_usable_while_listeners_run(harness: ResolverHarness) -> None:
    """A listener may wait for a page of the same origin; the waiters resume after it."""
    harness.backend.listeners = harness.driver.pending()
    request = harness.resolve()
    harness.answer()

    assert harness.resolver.fresh(SITE) is harness.backend.fetched[0]
    assert harness.resolve().result() is harness.backend.fetched[0]
    assert not request.is_done
    harness.backend.listeners.complete(None)
    harness.driver.turn()
    assert request.result() is harness.backend.fetched[0]
    assert len(harness.backend.fetches) == 1


def test_policy_with_no_lifetime_is_usable_while_listeners_run(
    driver: Driver,
) -> None:
    """Memory does not store it, yet a listener that waits for it never hangs."""
    harness = ResolverHarness(
        driver, FreshnessSettings(ttl=0.0, min_ttl=0.0, stale_if_error=0.0)
    )
    harness.backend.listeners = harness.driver.pending()
    harness.resolve()
    harness.answer()

    assert harness.resolve().result() is harness.backend.fetched[0]
    assert len(harness.backend.fetches) == 1


@pytest.mark.parametrize(("status", "reads"), [(200, 1), (404, 0), (403, 0), (500, 0)])
def test_only_the_body_of_a_file_is_read(
    harness: ResolverHarness, status: int, reads: int
) -> None:
    """An error page is not parsed; its status alone decides."""
    request = harness.resolve()

    harness.answer(RobotsResponse(status, b"User-agent: *\nDisallow: /\n"))

    assert len(harness.backend.reads) == reads
    assert policy_of(request).status == status


def test_ours_r5_unreachable_origin_gets_a_policy(harness: ResolverHarness) -> None:
    """The waiters get a policy that is not known; no fetch starts until the pause ends."""
    request = harness.resolve()

    harness.answer(TIMEOUT)

    assert not policy_of(request).is_known
    assert harness.resolver.fresh(SITE) is request.result()
    harness.clock.now = NOW + 30
    assert harness.resolver.fresh(SITE) is None
