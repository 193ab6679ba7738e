"""The Redis store with a real redis-server: outages, and keys of other programs."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any, cast

import pytest
import redis

from scrapy_robots1994 import open_store
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, LeasingStore
from tests.stores.contract import ENTRY, OTHERS, SITE
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.redis

HOUR = 3_600


def store_at(server: RedisServer, prefix: str = "test") -> LeasingStore:
    return cast("LeasingStore", open_store(f"{server.url}?prefix={prefix}"))


def test_every_key_has_the_prefix_and_expires(server: RedisServer, prefix: str) -> None:
    """An entry that is put without an expiry time expires too."""
    with closing(store_at(server, prefix)) as store:
        store.put(SITE, ENTRY, time.time() + HOUR)
        store.put(OTHERS[0], ENTRY, float("inf"))
        store.lease(SITE, HOUR)
    with server.client() as known:
        client: Any = known
        keys = client.keys(f"{prefix}*")
        assert {key.decode() for key in keys} == {
            f"{prefix}:policy:{SITE}",
            f"{prefix}:policy:{OTHERS[0]}",
            f"{prefix}:lease:{SITE}",
        }
        assert all(client.ttl(key) > HOUR / 2 for key in keys)
        assert client.ttl(f"{prefix}:policy:{SITE}") <= HOUR


@pytest.mark.parametrize(
    "url",
    ["redis://h", "redis://h/", "redis://me@h/1", "unix://me:x@/a/b", "unix:///a@b"],
)
def test_url_of_a_client_is_accepted_without_connecting(url: str) -> None:
    open_store(url).close()


def test_connecting_and_querying_take_the_timeout_together() -> None:
    store: Any = open_store("redis://h?timeout=3")
    limits = store._client.connection_pool.connection_kwargs

    assert limits["socket_connect_timeout"] + limits["socket_timeout"] == 3


def test_foreign_keys_are_ignored(server: RedisServer, prefix: str) -> None:
    """A policy key of another type is a miss. A lease key of another type counts as a lease."""
    with server.client() as client, closing(store_at(server, prefix)) as store:
        client.hset(f"{prefix}:lease:{SITE}", "a", "1")
        client.hset(f"{prefix}:policy:{SITE}", "a", "1")
        assert store.get(SITE) is None
        assert not store.lease(SITE, 5)
        store.put(SITE, ENTRY, time.time() + HOUR)
        assert store.get(SITE) == ENTRY


def test_too_large_value_is_read_only_up_to_the_limit(
    server: RedisServer, prefix: str
) -> None:
    key = f"{prefix}:policy:{SITE}"
    with server.client() as known, closing(store_at(server, prefix)) as store:
        client: Any = known
        client.set(key, b"x" * 2 * MAX_ENTRY_BYTES)
        before = client.info("stats")["total_net_output_bytes"]

        assert store.get(SITE) is None
        sent = client.info("stats")["total_net_output_bytes"] - before
        assert sent < 1.1 * MAX_ENTRY_BYTES
        client.delete(key)


def test_store_recovers_when_the_server_does() -> None:
    with RedisServer() as server, closing(store_at(server)) as store:
        store.put(SITE, ENTRY, time.time() + HOUR)
        server.stop()
        for call in (
            lambda: store.get(SITE),
            lambda: store.put(SITE, ENTRY, time.time() + HOUR),
            lambda: store.lease(SITE, 5),
            lambda: store.release(SITE),
        ):
            with pytest.raises(redis.ConnectionError):
                call()
        server.start()
        store.put(SITE, ENTRY, time.time() + HOUR)
        assert store.get(SITE) == ENTRY
        assert store.lease(SITE, 5)


def test_hanging_server_is_an_error_in_time() -> None:
    with RedisServer() as server, closing(store_at(server)) as store:
        store.put(SITE, ENTRY, time.time() + HOUR)
        server.hang()
        with pytest.raises(redis.TimeoutError):
            store.get(SITE)
        server.resume()


def test_password_is_used_and_never_shown() -> None:
    with RedisServer(password="hunter2") as server:  # noqa: S106 - not a secret
        with closing(store_at(server)) as store:
            store.put(SITE, ENTRY, time.time() + HOUR)
        wrong = server.url.replace("hunter2", "2retnuh")
        with closing(open_store(wrong)) as locked:
            with pytest.raises(redis.AuthenticationError) as refused:
                locked.get(SITE)
            assert "2retnuh" not in str(refused.value) + repr(locked)
