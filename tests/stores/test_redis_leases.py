"""Leases in a real redis-server: one holder, an end for the dead, and notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.stores.base import Lease
from tests.policy.samples import SITE, parsed
from tests.stores.contract import OTHER
from tests.stores.lasting import guarded
from tests.stores.test_redis import prefix, server, store_at, until

if TYPE_CHECKING:
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.stores.redis import RedisStore
    from tests.support.redis_server import RedisServer

__all__ = ["prefix", "server"]

pytestmark = pytest.mark.redis


def wait_for_end(store: RedisStore, origin: Origin | None, *, failed: bool) -> None:
    """Wait for a notification."""
    until(lambda: (origin, failed) in store.ended_leases())


def subscribed(store: RedisStore) -> RedisStore:
    """Subscribe *store*, wait until it is so, and return it."""
    wait_for_end(store, None, failed=False)
    return store


def test_a_lease_has_one_holder(server: RedisServer, prefix: str) -> None:
    """Refused to another, granted again to its holder, free once it is given back."""
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


def test_the_lease_of_a_dead_worker_runs_out(server: RedisServer, prefix: str) -> None:
    """A worker that does not renew it is taken for dead."""
    store = store_at(server, prefix)
    assert store.acquire_lease(SITE, "dead", 0.05).granted
    until(lambda: store.acquire_lease(SITE, "alive", 30).granted)
    store.close()


def test_a_failed_fetch_is_noted_for_a_while(server: RedisServer, prefix: str) -> None:
    """Also for a worker that did not hear of it; then the lease is free again."""
    store = store_at(server, prefix)
    store.acquire_lease(SITE, "one", 30)
    store.release_lease(SITE, "one", failed_for=0.2)

    assert store.acquire_lease(SITE, "two", 30).failed
    until(lambda: store.acquire_lease(SITE, "two", 30).granted)
    store.close()


@pytest.mark.parametrize("failed_for", [0.0, 5.0])
def test_a_waiting_worker_is_notified_of_the_end(
    failed_for: float, server: RedisServer, prefix: str
) -> None:
    """By another process, long before it would look again by itself."""
    one, two = store_at(server, prefix), subscribed(store_at(server, prefix))
    one.acquire_lease(SITE, "one", 30)
    one.release_lease(SITE, "another")
    one.release_lease(SITE, "one", failed_for=failed_for)

    wait_for_end(two, SITE, failed=bool(failed_for))
    one.close()
    two.close()


def test_a_lease_ends_where_publishing_is_not_permitted(
    server: RedisServer, prefix: str
) -> None:
    """A user of Redis 7 has no channels by default: others look again by themselves."""
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


def test_workers_share_one_fetch(server: RedisServer, prefix: str) -> None:
    """Whichever waits gets the policy of the one that fetches."""
    one, two = (
        guarded(lambda: store_at(server, prefix, clock=lambda: 0)) for _ in "12"
    )
    assert one.lease(SITE) is None
    waiting = two.acquire_lease(SITE)
    two.settle()
    one.write(parsed())

    assert two.result(waiting) == parsed()
    one.end()
    two.end()


def test_a_new_subscription_makes_all_look_again(
    server: RedisServer, prefix: str
) -> None:
    """After a broken connection, messages may have been lost."""
    store = subscribed(store_at(server, prefix))
    with server.client() as client:
        client.client_kill_filter(_type="pubsub")

    wait_for_end(store, None, failed=False)
    store.close()


def test_messages_that_never_end_are_read_in_parts(
    server: RedisServer, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of thousands of workers more may come than one reads: its calls go on between."""
    monkeypatch.setattr("scrapy_robots1994.stores.redis.MAX_MESSAGES", 3)
    one, two = store_at(server, prefix), subscribed(store_at(server, prefix))
    for _ in range(7):
        assert one.acquire_lease(SITE, "one", 30).granted
        one.release_lease(SITE, "one")

    assert len(two.ended_leases()) == 3
    one.close()
    two.close()


def test_closing_ends_the_subscription(server: RedisServer, prefix: str) -> None:
    """No connection of ours is left."""
    subscribed(store_at(server, prefix)).close()
    with server.client() as client:
        until(lambda: not client.client_list(_type="pubsub"))
