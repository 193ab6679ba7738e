"""One fetch for all workers: leases, those who wait for them, and those who die."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import leases, worker
from scrapy_robots1994.stores.codec import encode
from tests.policy.samples import SITE, parsed, unreachable
from tests.stores.contract import OTHER
from tests.stores.lasting import Guarded, guarded
from tests.stores.stubborn import StubbornStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.stores import Lease

SOON = 0.05


@pytest.fixture
def stubborn() -> StubbornStore:
    """Make the store that the workers share."""
    return StubbornStore()


@pytest.fixture
def workers(stubborn: StubbornStore) -> Iterator[list[Guarded]]:
    """Make three workers, and close them."""
    made = [guarded(stubborn) for _ in range(3)]
    yield made
    stubborn.error = None
    for each in made:
        each.end()


def test_of_two_workers_one_fetches_and_the_other_gets_its_policy(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """The second waits for the first, and is notified by it."""
    one, two, _ = workers
    assert one.lease(SITE) is None

    waiting = two.acquire_lease(SITE)
    two.settle()
    assert not waiting.done()
    one.release_lease(SITE, parsed())

    assert two.result(waiting) == parsed()
    one.settle()
    assert stubborn.leases == {}


def test_a_policy_that_came_ends_all_waits_without_a_lease(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """Those who wait read first: each would take the lease and end it, in turn."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.settle()

    one.release_lease(SITE, parsed())

    for each, future in zip((two, three), waiting, strict=True):
        assert each.result(future) == parsed()
        each.settle()
    assert stubborn.calls.count("release_lease") == 1


def test_waiting_does_not_occupy_the_thread(workers: list[Guarded]) -> None:
    """While one lease is waited for, everything else goes on."""
    one, two, _ = workers
    one.lease(SITE)
    waiting = two.acquire_lease(SITE)

    assert two.lease(OTHER) is None
    two.write(parsed(origin=OTHER))
    assert two.read(OTHER) == parsed(origin=OTHER)

    assert not waiting.done()


def test_after_an_aborted_fetch_the_next_worker_takes_the_lease(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """Ours R6: it says nothing about the origin; one of those who wait fetches."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.settle()

    one.release_lease(SITE, None, aborted=True)
    one.settle()
    # A worker looks for notifications a few times a second.
    for each in (two, three):
        each.settle_until(lambda: any(future.done() for future in waiting))
        each.settle()

    assert sorted(each.done() for each in waiting) == [False, True]
    assert len(stubborn.leases) == 1


@pytest.mark.parametrize(
    "policy", [None, unreachable()], ids=["our own fault", "silence"]
)
def test_after_a_fetch_without_an_answer_all_fetch_at_once(
    policy: Any, stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """A dead origin does not cost twenty workers one time limit after the other."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.settle()

    one.release_lease(SITE, policy)

    for each, future in zip((two, three), waiting, strict=True):
        assert each.result(future) is None
    assert stubborn.leases == {}
    assert stubborn.entries_by_origin == {}
    # Who comes a moment later does not wait either.
    assert two.lease(SITE) is None
    assert stubborn.leases == {}


def test_a_policy_made_between_the_read_and_the_lease_is_found(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """With the lease granted, the store is read once more, and the lease ended."""
    stubborn.entries_by_origin[SITE] = encode(parsed())

    assert workers[0].lease(SITE) == parsed()
    workers[0].settle()

    assert stubborn.leases == {}
    assert stubborn.failed == set()


def test_without_notifications_a_worker_looks_again(
    stubborn: StubbornStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the lease it saw runs out: its holder may be dead."""
    monkeypatch.setattr(leases, "LOOK_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(leases, "LEASE_SECONDS", SOON)
    stubborn.leases[SITE] = "a worker that is dead"
    waiting = workers[0].acquire_lease(SITE)
    stubborn.wait_for("acquire_lease", 3)
    assert not waiting.done()

    del stubborn.leases[SITE]

    assert workers[0].result(waiting) is None
    assert len(stubborn.leases) == 1


def test_a_worker_looks_again_once_a_second_at_most(
    stubborn: StubbornStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a store says that the lease has no time left."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.001)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    class NoTimeLeft(StubbornStore):
        def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
            return super().acquire_lease(origin, holder, 0.0)

    store = NoTimeLeft()
    store.leases[SITE] = "another"
    worker = guarded(store)
    worker.acquire_lease(SITE)
    worker.settle()
    for moment in (100.5, 100.9):
        now[0] = moment
        for _ in range(20):
            worker.settle()
    assert store.calls.count("acquire_lease") == 1

    now[0] = 101.1
    store.wait_for("acquire_lease", 2)
    worker.end()


def test_lost_notifications_make_all_look_again(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """A store that was disconnected says that it may have missed some."""
    stubborn.leases[SITE] = stubborn.leases[OTHER] = "another"
    waiting = [workers[0].acquire_lease(each) for each in (SITE, OTHER)]
    workers[0].settle()
    stubborn.leases.clear()

    stubborn.notify(None)

    assert [workers[0].result(each) for each in waiting] == [None, None]


def test_a_lease_is_renewed_while_the_fetch_runs(
    stubborn: StubbornStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow robots.txt is not fetched twice; after its end nothing is renewed."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    workers[0].lease(SITE)
    stubborn.wait_for("acquire_lease", 5)
    workers[0].write(parsed())
    calls = stubborn.calls.count("acquire_lease")

    for _ in range(20):
        workers[0].settle()

    assert stubborn.calls.count("acquire_lease") == calls


def test_a_lease_that_was_taken_over_stays_with_the_other_worker(
    stubborn: StubbornStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither renewing nor releasing takes it back."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    workers[0].lease(SITE)
    stubborn.leases[SITE] = "another"
    for _ in range(5):
        workers[0].settle()
    workers[0].release_lease(SITE, None)
    workers[0].settle()

    assert stubborn.leases == {SITE: "another"}


def test_a_store_that_dies_while_we_wait_lets_us_fetch(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """No worker waits for a lease in a store that is away."""
    stubborn.leases[SITE] = "another"
    waiting = workers[0].acquire_lease(SITE)
    workers[0].settle()
    stubborn.error = StoreError("away")

    stubborn.notify(None)

    assert workers[0].result(waiting) is None


def test_no_event_is_no_sign_that_the_store_answers_again(
    stubborn: StubbornStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A store that is away has none either: its reads fail all the while."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    caplog.set_level(logging.INFO, "scrapy_robots1994")

    class Unreadable(StubbornStore):
        def get(self, origin: Origin) -> bytes | None:
            raise StoreError("away")

    store = guarded(Unreadable())
    store.lease(SITE)
    for _ in range(5):
        store.settle()
        assert store.read(OTHER) is None

    assert [record.levelname for record in caplog.records] == ["WARNING"]
    store.end()


def test_no_worker_waits_longer_than_a_fetch_may_take(
    stubborn: StubbornStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lease that is renewed for ever, by whatever mistake, holds up no crawl."""
    monkeypatch.setattr(leases, "LOOK_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.01)
    stubborn.leases[SITE] = "another"
    store = guarded(stubborn, max_fetch_seconds=SOON)

    assert store.lease(SITE) is None
    store.end()
    assert stubborn.leases == {SITE: "another"}


def test_a_lease_is_renewed_no_longer_than_a_fetch_may_take(
    stubborn: StubbornStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl that hangs does not keep an origin from all others."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    store = guarded(stubborn, max_fetch_seconds=SOON)
    store.lease(SITE)
    stubborn.wait_for("acquire_lease", 3)
    now[0] = 101.0
    store.settle()
    calls = stubborn.calls.count("acquire_lease")
    for _ in range(20):
        store.settle()

    assert stubborn.calls.count("acquire_lease") == calls
    store.end()


def test_a_worker_that_closes_gives_its_leases_back(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """The next one need not wait until they run out."""
    closing = guarded(stubborn)
    closing.lease(SITE)
    waiting = workers[0].acquire_lease(SITE)
    workers[0].settle()

    closing.end()

    assert workers[0].result(waiting) is None
    assert len(stubborn.leases) == 1


def test_a_cancelled_wait_leaves_no_lease(
    stubborn: StubbornStore, workers: list[Guarded]
) -> None:
    """Ours R6: the request is gone; what its fetch would have had, others have."""
    stubborn.leases[SITE] = "another"
    waiting = workers[0].acquire_lease(SITE)
    workers[0].settle()
    waiting.cancel()
    workers[0].release_lease(SITE, None, aborted=True)
    workers[0].settle()
    del stubborn.leases[SITE]

    stubborn.notify(SITE)
    workers[0].settle()

    assert stubborn.leases == {}
