"""Leases: one worker fetches robots.txt, and the other workers wait for the policy. If
the fetching worker crashes, the other workers wait only for a bounded time.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from scrapy_robots1994.stores import guarded as guard
from tests.stores.contract import OTHER
from tests.support.fake_store import FakeStore
from tests.unit.guarded_store import Guarded, guarded
from tests.unit.samples import SITE, parsed


@pytest.fixture
def fake() -> FakeStore:
    """Make the store that the workers share."""
    return FakeStore()


@pytest.fixture
def workers(fake: FakeStore) -> Iterator[list[Guarded]]:
    """Yield three workers that share the store, and close the workers after the test."""
    made = [guarded(fake) for _ in range(3)]
    yield made
    for each in made:
        each.close_and_wait()


@pytest.fixture
def waiting(fake: FakeStore, workers: list[Guarded]) -> Future[Any]:
    """Let the second worker wait for the lease of the first worker, and return the future
    of the wait.
    """
    workers[0].lease(SITE)
    looks = fake.calls.count("acquire_lease")
    wait = workers[1].submit(workers[1].acquire_lease(SITE))
    # The worker tries to acquire the lease a second time only after the first attempt
    # failed.
    fake.wait_for("acquire_lease", looks + 2)
    assert not wait.done()
    return wait


def test_waiting_does_not_occupy_the_thread(
    fake: FakeStore, workers: list[Guarded], waiting: Future[Any]
) -> None:
    """A worker that waits for one lease can still read and write policies, and can
    acquire another lease.
    """
    two = workers[1]

    assert two.lease(OTHER) is None
    two.write(parsed(origin=OTHER))
    assert two.lease(OTHER) == two.read(OTHER) == parsed(origin=OTHER)

    assert OTHER not in fake.leases
    assert not waiting.done()
    waiting.cancel()


def test_worker_fetches_in_spite_of_a_lease_that_does_not_end(
    fake: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one worker never releases a lease, a second worker waits as long as the time
    limit of a request plus a margin. After the wait, the second worker fetches without
    the lease.
    """
    monkeypatch.setattr(guard, "WAIT_MARGIN", 0.1)
    one, two = guarded(fake), guarded(fake, fetch_seconds=0.1)
    one.lease(SITE)

    assert two.lease(SITE) is None
    assert len(fake.leases) == 1
    two.release_lease(SITE, None)
    two.wait_until_idle()
    assert len(fake.leases) == 1
    for each in (one, two):
        each.close_and_wait()


def test_cancelled_wait_leaves_no_lease(
    workers: list[Guarded], waiting: Future[Any]
) -> None:
    """A worker whose wait for a lease was cancelled does not have the lease. The next
    worker gets the lease without a wait.
    """
    one, two, three = workers

    waiting.cancel()
    two.release_lease(SITE, None)
    one.release_lease(SITE, None)

    one.wait_until_idle()
    assert three.lease(SITE) is None


def test_policy_from_the_store_costs_one_call(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """A worker that finds the policy in the store has no lease. The end of the search does
    not call the store. The store may be on another machine.
    """
    one, two, _ = workers
    one.write(parsed())
    known = len(fake.calls)

    assert two.read(SITE) == parsed()
    two.release_lease(SITE, None)
    two.wait_until_idle()

    assert fake.calls[known:] == ["get", "get"]
