"""A released request resolves again at once, during its release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.policy import Cancelled, Policy
from tests.policy.samples import SITE
from tests.resolver.harness import reason_of

if TYPE_CHECKING:
    from tests.resolver.drivers import Running
    from tests.resolver.harness import ResolverHarness

WITHDRAWN = Cancelled("withdrawn")


async def resolve_repeatedly(
    harness: ResolverHarness, times: int
) -> list[Policy | str]:
    """Resolve *times* times without a pause; return each policy or abort reason."""
    ends: list[Policy | str] = []
    for _ in range(times):
        try:
            ends.append(await harness.resolver.resolve(SITE, "direct"))
        except FetchAborted as error:  # noqa: PERF203 - a wait each
            ends.append(str(error))
    return ends


def start(harness: ResolverHarness, times: int) -> Running[list[Policy | str]]:
    """Start one request that resolves *times* times."""
    running = harness.driver.run(resolve_repeatedly(harness, times))
    harness.driver.turn()
    return running


def test_resolving_again_after_a_policy_needs_no_fetch(
    harness: ResolverHarness,
) -> None:
    """The policy is stored before the first waiter resumes."""
    requests = [start(harness, 3) for _ in range(4)]

    harness.answer()

    policy = harness.memory.get(SITE)
    assert [request.result() for request in requests] == [[policy] * 3] * 4
    assert len(harness.backend.fetches) == 1


def test_one_new_fetch_starts_after_a_cancelled_one(harness: ResolverHarness) -> None:
    """Four released requests that resolve again share one new fetch."""
    requests = [start(harness, 2) for _ in range(4)]

    harness.answer(WITHDRAWN)
    assert len(harness.backend.fetches) == 2
    harness.answer()

    for request in requests:
        first, second = request.result()
        assert first == "withdrawn"
        assert isinstance(second, Policy)


def test_waiters_of_the_old_fetch_get_its_end(harness: ResolverHarness) -> None:
    """One waiter resolves again before the others are released."""
    again = start(harness, 2)
    once = [harness.resolve() for _ in range(3)]

    harness.answer(WITHDRAWN)

    assert [reason_of(request) for request in once] == ["withdrawn"] * 3
    assert not again.is_done


def test_each_of_500_immediate_aborts_is_reported(harness: ResolverHarness) -> None:
    """Every fetch is cancelled at once, and each call has its own result."""
    harness.backend.at_once = WITHDRAWN

    request = start(harness, 500)
    for _ in range(500):
        harness.driver.turn()

    assert request.result() == ["withdrawn"] * 500
    assert len(harness.backend.fetches) == 500
    assert harness.backend.doubled == []


def test_second_wait_can_be_cancelled(harness: ResolverHarness) -> None:
    """A request that resolves again is cancelled like any other."""
    request = start(harness, 2)
    harness.answer(WITHDRAWN)

    harness.cancel(request)
    harness.answer()

    assert request.is_cancelled
    assert [waiter.releases for waiter in harness.backend.waiters] == [1, 0]
