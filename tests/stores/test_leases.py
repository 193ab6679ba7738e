"""One fetch for all workers: leases, who waits for them, and who dies with them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import guarded as desks
from scrapy_robots1994.stores.codec import pack
from tests.policy.samples import SITE, parsed
from tests.stores.clock import FakeClock
from tests.stores.lasting import new_desk
from tests.stores.stubborn import StubbornStore

if TYPE_CHECKING:
    import pytest

SOON = 0.05


def test_of_two_workers_one_fetches_and_the_other_gets_what_it_made() -> None:
    """The second waits for the first, and is woken by it."""

    async def work() -> None:
        store = StubbornStore()
        one, two = new_desk(store, FakeClock()), new_desk(store, FakeClock())
        assert await one.acquire_lease(SITE) is None

        waiting = asyncio.create_task(two.acquire_lease(SITE))
        await store.called["wait", 1].wait()
        await one.release_lease(SITE, parsed())

        assert await waiting == parsed()
        assert store.leases == {}

    asyncio.run(work())


def test_who_made_nothing_lets_the_next_one_fetch() -> None:
    """Ours R6: a cancelled fetch stores nothing and blocks nobody."""

    async def work() -> None:
        store = StubbornStore()
        one, two = new_desk(store, FakeClock()), new_desk(store, FakeClock())
        await one.acquire_lease(SITE)
        waiting = asyncio.create_task(two.acquire_lease(SITE))
        await store.called["wait", 1].wait()

        await one.release_lease(SITE, None)

        assert await waiting is None
        assert store.leases == {SITE: two._name}
        await two.release_lease(SITE, None)

    asyncio.run(work())


def test_a_policy_made_between_our_look_and_our_turn_is_found() -> None:
    """With the lease in hand the store is asked once more."""

    async def work() -> None:
        store = StubbornStore()
        store.held[SITE] = pack(parsed())
        desk = new_desk(store, FakeClock())

        assert await desk.acquire_lease(SITE) == parsed()
        await desk.release_lease(SITE, None)

        assert store.leases == {}

    asyncio.run(work())


def test_a_lease_is_renewed_while_the_fetch_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A slow robots.txt is not fetched twice; after the end nothing is renewed."""
    monkeypatch.setattr(desks, "RENEW_EVERY", 0.0)

    async def work() -> None:
        store = StubbornStore()
        desk = new_desk(store, FakeClock())
        await desk.acquire_lease(SITE)
        await store.called["lease", 5].wait()
        await desk.release_lease(SITE, parsed())

        assert asyncio.all_tasks() == {asyncio.current_task()} or not desk._renewing

    asyncio.run(work())


def test_a_lease_that_was_taken_over_is_not_renewed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Who was thought dead lets the other one be."""
    monkeypatch.setattr(desks, "RENEW_EVERY", 0.0)

    async def work() -> None:
        store = StubbornStore()
        desk = new_desk(store, FakeClock())
        await desk.acquire_lease(SITE)
        store.leases[SITE] = "another"
        await desk._renewing[SITE]
        await desk.release_lease(SITE, None)

        assert store.leases == {SITE: "another"}

    asyncio.run(work())


def test_a_store_that_dies_while_we_wait_lets_us_fetch_ourselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody waits for a lease in a store that is away."""
    monkeypatch.setattr(desks, "LOOK_AGAIN", SOON)

    async def work() -> None:
        store = StubbornStore()
        store.leases[SITE] = "another"
        desk = new_desk(store, FakeClock())
        waiting = asyncio.create_task(desk.acquire_lease(SITE))
        await store.called["wait", 1].wait()
        store.error = StoreError("away")

        assert await asyncio.wait_for(waiting, 5) is None

    asyncio.run(work())


def test_nobody_waits_longer_than_a_fetch_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lease that is renewed for ever, by whatever mistake, holds up no crawl."""
    monkeypatch.setattr(desks, "LOOK_AGAIN", 0.0)
    monkeypatch.setattr(desks, "LEASE", SOON)

    async def work() -> None:
        store = StubbornStore()
        store.leases[SITE] = "another"
        store.woken.set()
        desk = new_desk(store, FakeClock(), longest=SOON)

        assert await asyncio.wait_for(desk.acquire_lease(SITE), 10) is None

    asyncio.run(work())


def test_a_lease_is_renewed_no_longer_than_a_fetch_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A crawl that hangs does not keep an origin from all others."""
    monkeypatch.setattr(desks, "RENEW_EVERY", 0.0)

    async def work() -> None:
        store = StubbornStore()
        desk = new_desk(store, FakeClock(), longest=SOON)
        await desk.acquire_lease(SITE)

        await asyncio.wait_for(desk._renewing[SITE], 10)
        await desk.close()

    asyncio.run(work())
