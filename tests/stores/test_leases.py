"""Leases: one worker fetches, the others wait; a dead worker blocks none of them."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import leases, worker
from scrapy_robots1994.stores.codec import encode
from tests.policy.samples import FRESHNESS, SITE, parsed, unreachable
from tests.stores.contract import OTHER
from tests.stores.fake_store import FakeStore
from tests.stores.guarded_store import Guarded, guarded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.stores import Lease

SOON = 0.05


@pytest.fixture
def fake() -> FakeStore:
    """Make the store that the workers share."""
    return FakeStore()


@pytest.fixture
def workers(fake: FakeStore) -> Iterator[list[Guarded]]:
    """Make three workers that share the store, and close them."""
    made = [guarded(fake) for _ in range(3)]
    yield made
    fake.error = None
    for each in made:
        each.close_and_wait()


def test_second_worker_gets_the_policy_of_the_first(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """The second waits for the first, and is notified."""
    one, two, _ = workers
    assert one.lease(SITE) is None

    waiting = two.acquire_lease(SITE)
    two.wait_until_idle()
    assert not waiting.done()
    one.release_lease(SITE, parsed())

    assert two.result(waiting) == parsed()
    one.wait_until_idle()
    assert fake.leases == {}


def test_stored_policy_ends_all_waits_without_a_lease(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """Waiting workers read the store before they would acquire the lease."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.wait_until_idle()

    one.release_lease(SITE, parsed())

    for each, future in zip((two, three), waiting, strict=True):
        assert each.result(future) == parsed()
        each.wait_until_idle()
    assert fake.calls.count("release_lease") == 1


def test_waiting_does_not_occupy_the_thread(workers: list[Guarded]) -> None:
    """A worker that waits for one lease can still read, write and lease."""
    one, two, _ = workers
    one.lease(SITE)
    waiting = two.acquire_lease(SITE)

    assert two.lease(OTHER) is None
    two.write(parsed(origin=OTHER))
    assert two.read(OTHER) == parsed(origin=OTHER)

    assert not waiting.done()


def test_one_waiting_worker_takes_the_lease_after_an_aborted_fetch(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """Ours R6: an aborted fetch says nothing about the origin, so another worker fetches."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.wait_until_idle()

    one.release_lease(SITE, None, aborted=True)
    one.wait_until_idle()
    # A worker polls for notifications a few times a second.
    for each in (two, three):
        each.wait_until(lambda: any(future.done() for future in waiting))
        each.wait_until_idle()

    assert sorted(each.done() for each in waiting) == [False, True]
    assert len(fake.leases) == 1


@pytest.mark.parametrize(
    "policy", [None, unreachable()], ids=["local fault", "no response"]
)
def test_all_waiting_workers_fetch_after_a_failed_fetch(
    policy: Any, fake: FakeStore, workers: list[Guarded]
) -> None:
    """Twenty workers do not wait for a dead origin one timeout after the other."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.wait_until_idle()

    one.release_lease(SITE, policy)

    for each, future in zip((two, three), waiting, strict=True):
        assert each.result(future) is None
    assert fake.leases == {}
    assert fake.entries_by_origin == {}
    # A later request does not wait either.
    assert two.lease(SITE) is None
    assert fake.leases == {}


def test_all_waiting_workers_fetch_after_a_policy_without_lifetime(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """With TTL 0 no worker can use it; they do not fetch one after the other."""
    one, two, three = workers
    one.lease(SITE)
    waiting = [each.acquire_lease(SITE) for each in (two, three)]
    for each in (two, three):
        each.wait_until_idle()

    one.release_lease(SITE, parsed(freshness=replace(FRESHNESS, ttl=0.0, min_ttl=0.0)))

    for each, future in zip((two, three), waiting, strict=True):
        assert each.result(future) is None
    assert fake.leases == {}
    assert set(fake.entries_by_origin) == {SITE}


def test_policy_stored_between_read_and_lease_is_returned(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """The store is read again after the lease is granted, and the lease is released."""
    fake.entries_by_origin[SITE] = encode(parsed())

    assert workers[0].lease(SITE) == parsed()
    workers[0].wait_until_idle()

    assert fake.leases == {}
    assert fake.failed == set()


def test_worker_polls_without_notifications(
    fake: FakeStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It requests the lease again when that of a dead holder has expired."""
    monkeypatch.setattr(leases, "LOOK_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(leases, "LEASE_SECONDS", SOON)
    fake.leases[SITE] = "a dead worker"
    waiting = workers[0].acquire_lease(SITE)
    fake.wait_for("acquire_lease", 3)
    assert not waiting.done()

    del fake.leases[SITE]

    assert workers[0].result(waiting) is None
    assert len(fake.leases) == 1


def test_worker_polls_at_most_once_a_second(
    fake: FakeStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store may even say that the lease has no time left."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.001)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])

    class NoTimeLeft(FakeStore):
        def acquire_lease(self, origin: Origin, holder: str, seconds: float) -> Lease:
            return super().acquire_lease(origin, holder, 0.0)

    store = NoTimeLeft()
    store.leases[SITE] = "another"
    worker = guarded(store)
    worker.acquire_lease(SITE)
    worker.wait_until_idle()
    for moment in (100.5, 100.9):
        now[0] = moment
        for _ in range(20):
            worker.wait_until_idle()
    assert store.calls.count("acquire_lease") == 1

    now[0] = 101.1
    store.wait_for("acquire_lease", 2)
    worker.close_and_wait()


def test_lost_notifications_make_all_waits_poll(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """A store that was disconnected reports that it may have missed some."""
    fake.leases[SITE] = fake.leases[OTHER] = "another"
    waiting = [workers[0].acquire_lease(each) for each in (SITE, OTHER)]
    workers[0].wait_until_idle()
    fake.leases.clear()

    fake.notify(None)

    assert [workers[0].result(each) for each in waiting] == [None, None]


def test_lease_is_renewed_while_the_fetch_runs(
    fake: FakeStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow robots.txt is not fetched twice; renewal stops when the policy is stored."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    workers[0].lease(SITE)
    fake.wait_for("acquire_lease", 5)
    workers[0].write(parsed())
    calls = fake.calls.count("acquire_lease")

    for _ in range(20):
        workers[0].wait_until_idle()

    assert fake.calls.count("acquire_lease") == calls


def test_lease_of_another_worker_is_not_taken_back(
    fake: FakeStore, workers: list[Guarded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither renewing nor releasing affects a lease that another worker has taken."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    workers[0].lease(SITE)
    fake.leases[SITE] = "another"
    for _ in range(5):
        workers[0].wait_until_idle()
    workers[0].release_lease(SITE, None)
    workers[0].wait_until_idle()

    assert fake.leases == {SITE: "another"}


def test_waiting_worker_fetches_when_the_store_fails(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """No worker waits for a lease of a store that is down."""
    fake.leases[SITE] = "another"
    waiting = workers[0].acquire_lease(SITE)
    workers[0].wait_until_idle()
    fake.error = StoreError("away")

    fake.notify(None)

    assert workers[0].result(waiting) is None


def test_absence_of_notifications_does_not_mean_recovery(
    fake: FakeStore,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A store that is down sends none either, and its reads still fail."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(worker, "REST_SECONDS", 0.0)
    caplog.set_level(logging.INFO, "scrapy_robots1994")

    class Unreadable(FakeStore):
        def get(self, origin: Origin) -> bytes | None:
            raise StoreError("away")

    store = guarded(Unreadable())
    store.lease(SITE)
    for _ in range(5):
        store.wait_until_idle()
        assert store.read(OTHER) is None

    assert [record.levelname for record in caplog.records] == ["WARNING"]
    store.close_and_wait()


def test_wait_for_a_lease_is_no_longer_than_a_fetch(
    fake: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lease that is renewed for ever by mistake does not block other crawls."""
    monkeypatch.setattr(leases, "LOOK_AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(leases, "LEASE_SECONDS", 0.01)
    fake.leases[SITE] = "another"
    store = guarded(fake, max_fetch_seconds=SOON)

    assert store.lease(SITE) is None
    store.close_and_wait()
    assert fake.leases == {SITE: "another"}


def test_lease_is_renewed_no_longer_than_a_fetch(
    fake: FakeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl that hangs does not block an origin for all others."""
    monkeypatch.setattr(leases, "TICK_SECONDS", 0.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.0)
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    store = guarded(fake, max_fetch_seconds=SOON)
    store.lease(SITE)
    fake.wait_for("acquire_lease", 3)
    now[0] = 101.0
    store.wait_until_idle()
    calls = fake.calls.count("acquire_lease")
    for _ in range(20):
        store.wait_until_idle()

    assert fake.calls.count("acquire_lease") == calls
    store.close_and_wait()


def test_closing_worker_releases_its_leases(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """The next worker need not wait until they expire."""
    closing = guarded(fake)
    closing.lease(SITE)
    waiting = workers[0].acquire_lease(SITE)
    workers[0].wait_until_idle()

    closing.close_and_wait()

    assert workers[0].result(waiting) is None
    assert len(fake.leases) == 1


def test_cancelled_wait_leaves_no_lease(
    fake: FakeStore, workers: list[Guarded]
) -> None:
    """Ours R6: the lease stays free for other workers."""
    fake.leases[SITE] = "another"
    waiting = workers[0].acquire_lease(SITE)
    workers[0].wait_until_idle()
    waiting.cancel()
    workers[0].release_lease(SITE, None, aborted=True)
    workers[0].wait_until_idle()
    del fake.leases[SITE]

    fake.notify(SITE)
    workers[0].wait_until_idle()

    assert fake.leases == {}
