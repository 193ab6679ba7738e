"""A cancelled request affects neither the fetch nor the other waiters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.policy import Cancelled, Policy
from tests.policy.samples import SITE

if TYPE_CHECKING:
    from tests.resolver.harness import ResolverHarness


@pytest.mark.parametrize("gone", [0, 2, 4], ids=["first", "middle", "last"])
def test_cancelled_request_leaves_the_others_waiting(
    harness: ResolverHarness, gone: int
) -> None:
    """First, middle or last: the others get their policy from the same fetch."""
    requests = [harness.resolve() for _ in range(5)]

    harness.cancel(requests[gone])
    harness.answer()

    assert requests.pop(gone).is_cancelled
    assert all(isinstance(request.result(), Policy) for request in requests)
    assert len(harness.backend.fetches) == 1


def test_fetch_continues_when_all_requests_are_cancelled(
    harness: ResolverHarness,
) -> None:
    """Its policy is stored for later requests."""
    requests = [harness.resolve() for _ in range(5)]

    for request in requests:
        harness.cancel(request)
    harness.answer()

    assert all(request.is_cancelled for request in requests)
    assert harness.resolver.fresh(SITE) is harness.backend.fetched[0]


def test_late_request_joins_a_fetch_without_waiters(harness: ResolverHarness) -> None:
    """A fetch without waiters is still the one fetch of its origin."""
    harness.cancel(harness.resolve())

    late = harness.resolve()
    harness.answer()

    assert isinstance(late.result(), Policy)
    assert len(harness.backend.fetches) == 1


def test_cancelled_request_is_not_released(harness: ResolverHarness) -> None:
    """A cancelled waiter is removed at once."""
    requests = [harness.resolve() for _ in range(3)]

    harness.cancel(requests[1])
    harness.answer()

    assert [waiter.releases for waiter in harness.backend.waiters] == [1, 0, 1]


def test_request_cancelled_during_release_leaves_others_released(
    harness: ResolverHarness,
) -> None:
    """The first waiter cancels the next, whose release then has no effect."""
    requests = [harness.resolve() for _ in range(3)]
    requests[0].on_done(requests[1].cancel)

    harness.answer()

    assert requests[1].is_done
    assert isinstance(requests[0].result(), Policy)
    assert isinstance(requests[2].result(), Policy)


def test_cancelling_old_waiters_leaves_the_new_fetch_running(
    harness: ResolverHarness,
) -> None:
    """A request that comes after a release waits for the new fetch, not the old one."""
    first = harness.resolve()
    harness.answer(Cancelled("withdrawn"))
    second, third = harness.resolve(), harness.resolve()

    harness.cancel(first)
    harness.cancel(second)
    harness.answer()

    assert second.is_cancelled
    assert isinstance(third.result(), Policy)
