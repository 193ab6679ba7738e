"""Leases in a real redis-server: one holder, and expiry."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.stores.base import Lease
from tests.policy.samples import SITE, parsed
from tests.stores.contract import OTHER
from tests.stores.guarded_store import guarded
from tests.stores.test_redis import prefix, server, store_at, wait_until

if TYPE_CHECKING:
    from tests.support.redis_server import RedisServer

__all__ = ["prefix", "server"]

pytestmark = pytest.mark.redis


def test_lease_has_one_holder(server: RedisServer, prefix: str) -> None:
    """Another worker gets it only after its holder has released it."""
    store = store_at(server, prefix)
    assert store.acquire_lease(SITE, "one", 30) == Lease(granted=True)
    assert store.acquire_lease(SITE, "one", 30) == Lease(granted=True)
    assert not store.acquire_lease(SITE, "two", 30).granted
    store.release_lease(SITE, "two")
    assert not store.acquire_lease(SITE, "two", 30).granted
    assert store.acquire_lease(OTHER, "two", 30).granted
    store.release_lease(SITE, "one")
    assert store.acquire_lease(SITE, "two", 30).granted
    store.close()


def test_lease_of_a_dead_worker_expires(server: RedisServer, prefix: str) -> None:
    """A worker that does not take its lease anew is considered dead."""
    store = store_at(server, prefix)
    assert store.acquire_lease(SITE, "dead", 0.05).granted
    wait_until(lambda: store.acquire_lease(SITE, "alive", 30).granted)
    store.close()


def test_lease_that_outlives_any_of_ours_is_not_one(
    server: RedisServer, prefix: str
) -> None:
    """Another writer of the server cannot keep every worker from an origin for years."""
    store = store_at(server, prefix)
    with server.client() as client:
        client.set(f"{prefix}:lease:{SITE}", "hostile", px=10**15)
    assert store.acquire_lease(SITE, "ours", 30).granted
    assert not store.acquire_lease(SITE, "another", 30).granted
    store.close()


def test_waiting_worker_gets_the_fetched_policy(
    server: RedisServer, prefix: str
) -> None:
    """A worker that waits for the lease gets the policy that its holder fetched."""
    one, two = (
        guarded(lambda: store_at(server, prefix, clock=lambda: 0)) for _ in "12"
    )
    assert one.lease(SITE) is None
    waiting = two.submit(two.acquire_lease(SITE))
    two.wait_until_idle()
    one.write(parsed())

    assert two.result(waiting) == parsed()
    one.close_and_wait()
    two.close_and_wait()
