"""Leases in a real redis-server: one holder, expiry, and notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.stores.base import Lease
from tests.policy.samples import SITE, parsed
from tests.stores.contract import OTHER
from tests.stores.guarded_store import guarded
from tests.stores.test_redis import prefix, server, store_at, wait_until

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.stores.redis import RedisStore
    from tests.support.redis_server import RedisServer

__all__ = ["prefix", "server"]

pytestmark = pytest.mark.redis


def wait_for_end(store: RedisStore, origin: Origin | None, *, failed: bool) -> None:
    """Wait for a notification."""
    wait_until(lambda: (origin, failed) in store.ended_leases())


def subscribed(store: RedisStore) -> RedisStore:
    """Wait until *store* is subscribed, and return it."""
    wait_for_end(store, None, failed=False)
    return store


def test_lease_has_one_holder(server: RedisServer, prefix: str) -> None:
    """Another worker gets it only after its holder has released it."""
    store = store_at(server, prefix)
    assert store.acquire_lease(SITE, "one", 30) == Lease(granted=True)
    assert store.acquire_lease(SITE, "one", 30) == Lease(granted=True)
    refused = store.acquire_lease(SITE, "two", 30)
    assert not refused.granted
    assert not refused.failed
    assert 0 < refused.seconds_left <= 30
    store.release_lease(SITE, "two")
    assert not store.acquire_lease(SITE, "two", 30).granted
    assert store.acquire_lease(OTHER, "two", 30).granted
    store.release_lease(SITE, "one")
    assert store.acquire_lease(SITE, "two", 30).granted
    store.close()


def test_lease_of_a_dead_worker_expires(server: RedisServer, prefix: str) -> None:
    """A worker that does not renew its lease is considered dead."""
    store = store_at(server, prefix)
    assert store.acquire_lease(SITE, "dead", 0.05).granted
    wait_until(lambda: store.acquire_lease(SITE, "alive", 30).granted)
    store.close()


def test_failed_fetch_is_recorded_for_a_while(server: RedisServer, prefix: str) -> None:
    """A worker that missed the notification sees it, too; then the lease is free."""
    store = store_at(server, prefix)
    store.acquire_lease(SITE, "one", 30)
    store.release_lease(SITE, "one", failed_for=0.2)

    assert store.acquire_lease(SITE, "two", 30).failed
    wait_until(lambda: store.acquire_lease(SITE, "two", 30).granted)
    store.close()


@pytest.mark.parametrize("failed_for", [0.0, 5.0])
def test_waiting_worker_is_notified_when_the_lease_ends(
    failed_for: float, server: RedisServer, prefix: str
) -> None:
    """The notification comes from another process, before the next poll."""
    one, two = store_at(server, prefix), subscribed(store_at(server, prefix))
    one.acquire_lease(SITE, "one", 30)
    one.release_lease(SITE, "another")
    one.release_lease(SITE, "one", failed_for=failed_for)

    wait_for_end(two, SITE, failed=bool(failed_for))
    one.close()
    two.close()


def test_lease_is_released_where_publishing_is_not_permitted(
    server: RedisServer, prefix: str
) -> None:
    """A Redis 7 user has no channels by default: the other workers poll instead."""
    with server.client() as client:
        client.execute_command("ACL", "SETUSER", "default", "resetchannels")
        try:
            store = store_at(server, prefix)
            assert store.acquire_lease(SITE, "one", 30).granted
            store.release_lease(SITE, "one")
            assert store.acquire_lease(SITE, "two", 30).granted
            assert store.ended_leases() == []
            store.close()
        finally:
            client.execute_command("ACL", "SETUSER", "default", "allchannels")


def test_waiting_worker_gets_the_fetched_policy(
    server: RedisServer, prefix: str
) -> None:
    """A worker that waits for the lease gets the policy that its holder fetched."""
    one, two = (
        guarded(lambda: store_at(server, prefix, clock=lambda: 0)) for _ in "12"
    )
    assert one.lease(SITE) is None
    waiting = two.acquire_lease(SITE)
    two.wait_until_idle()
    one.write(parsed())

    assert two.result(waiting) == parsed()
    one.close_and_wait()
    two.close_and_wait()


def test_new_subscription_makes_all_waiters_poll(
    server: RedisServer, prefix: str
) -> None:
    """Messages may have been lost while the connection was broken."""
    store = subscribed(store_at(server, prefix))
    with server.client() as client:
        client.client_kill_filter(_type="pubsub")

    wait_for_end(store, None, failed=False)
    store.close()


def test_endless_messages_are_read_in_batches(
    server: RedisServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of workers may send messages faster than one reads them."""
    monkeypatch.setattr("scrapy_robots1994.stores.redis.MAX_MESSAGES", 3)
    one, two = store_at(server, prefix), subscribed(store_at(server, prefix))
    for _ in range(7):
        assert one.acquire_lease(SITE, "one", 30).granted
        one.release_lease(SITE, "one")

    assert len(two.ended_leases()) == 3
    one.close()
    two.close()


def test_close_ends_the_subscription(server: RedisServer, prefix: str) -> None:
    """No subscribed connection remains."""
    subscribed(store_at(server, prefix)).close()
    with server.client() as client:
        wait_until(lambda: not client.client_list(_type="pubsub"))
