"""Leases in a real redis-server: one holder, an end for the dead, and word of it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.stores import redis as stores
from tests.policy.samples import SITE
from tests.stores.contract import OTHER
from tests.stores.test_redis import prefix, server, store_at, until

if TYPE_CHECKING:
    from scrapy_robots1994.stores.redis import RedisStore
    from tests.support.redis_server import RedisServer

__all__ = ["prefix", "server"]

pytestmark = pytest.mark.redis


async def hears(store: RedisStore) -> bool:
    """Whether *store* has its subscription."""
    store._client()
    assert store._opened is not None
    heard = await store._opened.listening.pubsub_numsub(store._channel)
    return bool(heard[0][1])


def test_a_lease_has_one_holder(server: RedisServer, prefix: str) -> None:
    """Refused to another, granted again to its holder, free once it is given back."""

    async def work() -> None:
        store = store_at(server, prefix)
        assert await store.lease(SITE, "one", 30)
        assert await store.lease(SITE, "one", 30)
        assert not await store.lease(SITE, "two", 30)
        await store.unlease(SITE, "two")
        assert not await store.lease(SITE, "two", 30)
        assert await store.lease(OTHER, "two", 30)
        await store.unlease(SITE, "one")
        assert await store.lease(SITE, "two", 30)
        await store.close()

    asyncio.run(work())


def test_the_lease_of_the_dead_runs_out(server: RedisServer, prefix: str) -> None:
    """Who does not renew it is taken for dead."""

    async def work() -> None:
        store = store_at(server, prefix)
        assert await store.lease(SITE, "dead", 0.05)
        await until(lambda: store.lease(SITE, "alive", 30))
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 10))


def test_who_waits_is_woken_by_the_end_of_the_lease(
    server: RedisServer, prefix: str
) -> None:
    """By word from another process, long before it would look again by itself."""

    async def work() -> None:
        one, two = store_at(server, prefix), store_at(server, prefix)
        await one.lease(SITE, "one", 30)
        assert not await two.lease(SITE, "two", 30)
        waiting = asyncio.create_task(two.wait(SITE, 3600))
        await until(lambda: hears(two))
        await one.unlease(SITE, "one")
        await waiting
        await one.close()
        await two.close()

    asyncio.run(asyncio.wait_for(work(), 10))


def test_a_lease_that_ended_before_the_wait_is_not_missed(
    server: RedisServer, prefix: str
) -> None:
    """Between the refusal and the wait nothing is lost."""

    async def work() -> None:
        store = store_at(server, prefix)
        await store.lease(SITE, "one", 30)
        await until(lambda: hears(store))
        assert not await store.lease(SITE, "two", 30)
        heard = store._watched[str(SITE)]
        await store.unlease(SITE, "one")
        await heard.wait()
        await store.wait(SITE, 3600)
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 10))


def test_a_wait_ends_without_word(server: RedisServer, prefix: str) -> None:
    """Words get lost; then the time limit wakes."""

    async def work() -> None:
        store = store_at(server, prefix)
        await store.wait(SITE, 0.01)
        assert store._watched == {}
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 10))


def test_a_new_subscription_wakes_all_who_wait(
    server: RedisServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a broken connection nobody knows what was said meanwhile."""
    monkeypatch.setattr(stores, "BREATH", 0.01)

    async def work() -> None:
        store = store_at(server, prefix)
        await store.lease(SITE, "one", 30)
        assert not await store.lease(SITE, "two", 30)
        await until(lambda: hears(store))
        waiting = asyncio.create_task(store.wait(SITE, 3600))
        with server.client() as client:
            client.client_kill_filter(_type="pubsub")
        await waiting
        await store.close()

    asyncio.run(asyncio.wait_for(work(), 20))
