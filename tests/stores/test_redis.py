"""Tests of the Redis store with a real redis-server: the contract, outages, and keys of
other programs.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from scrapy_robots1994 import Origin, StoreError, open_store
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, SharedStore
from tests.stores.contract import OTHER, SITE, SharedStoreContract, entry
from tests.support.redis_server import RedisServer

pytestmark = pytest.mark.redis

CREDENTIAL = "hunter2"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    """Start one redis-server for all tests of this module. Each store has its own key
    prefix.
    """
    with RedisServer() as started:
        yield started


@pytest.fixture
def prefix() -> str:
    """Return a key prefix that no other test uses."""
    return f"test{next(NUMBERS)}[*?"


def store_at(server: RedisServer, prefix: str = "test") -> SharedStore:
    """Open a Redis store on *server*."""
    store = open_store(f"{server.url}?prefix={quote(prefix)}")
    assert isinstance(store, SharedStore)
    return store


class TestRedisStore(SharedStoreContract):
    """Tests that the Redis store fulfils the contract of shared stores."""

    @pytest.fixture(autouse=True)
    def _on(self, server: RedisServer, prefix: str) -> None:
        """Set the server and the key prefix of the stores under test."""
        self._url = f"{server.url}?prefix={quote(prefix)}"

    def url(self, folder: Path) -> str:
        """Return the URL of an empty store with a unique prefix."""
        return self._url


def test_every_key_has_the_prefix_and_an_expiry(
    server: RedisServer, prefix: str
) -> None:
    """The keys of policies and leases have the prefix, and expire by themselves."""
    with closing(store_at(server, prefix)) as store:
        store.put(entry(until=time.time() + 3_600))
        store.acquire_lease(SITE, "me", 5)

    with server.client() as client:
        keys = [key for key in client.scan_iter() if key.startswith(prefix.encode())]
        assert sorted(keys) == [
            f"{prefix}:{kind}:{SITE}".encode() for kind in ("lease", "policy")
        ]
        lease, policy = map(client.pttl, sorted(keys))
        assert 0 < lease <= 5_000 < policy <= 3_600_000


@pytest.mark.parametrize("glob", ["*", "?", "[a-z]", "]", "\\", "^", "a[b]*\\?"])
def test_prefix_is_not_a_pattern(glob: str, server: RedisServer, prefix: str) -> None:
    """Glob characters in a key prefix match only themselves."""
    with (
        closing(store_at(server, prefix + glob)) as store,
        closing(store_at(server, prefix + "xb")) as other,
    ):
        store.put(entry())
        other.put(entry(OTHER))
        assert list(store.entries()) == [entry()]


def test_foreign_keys_are_ignored(server: RedisServer, prefix: str) -> None:
    """A key of another type, a short value or an invalid origin is not a failure of the
    store.
    """
    listed = Origin("http", "list.example", 80)
    with server.client() as client:
        client.set(f"{prefix}:policy:ftp://x", b"x" * 20)
        client.set(f"{prefix}:policy:{OTHER}", b"short")
        client.lpush(f"{prefix}:policy:{listed}", "x")
    with closing(store_at(server, prefix)) as store:
        store.put(entry())
        assert list(store.entries()) == [entry()]
        assert store.get(OTHER) is store.get(listed) is None


def test_oversized_entry_is_read_only_up_to_the_limit(
    server: RedisServer, prefix: str
) -> None:
    """A stored value of twice the maximum size counts as a miss. Of a value of this
    size, the store reads only about half.
    """
    sent = "total_net_output_bytes"
    with server.client() as known, closing(store_at(server, prefix)) as store:
        client: Any = known
        client.set(f"{prefix}:policy:{SITE}", b"x" * 2 * MAX_ENTRY_BYTES)
        before = client.info("stats")[sent]

        assert store.get(SITE) is None
        assert client.info("stats")[sent] - before < 1.1 * MAX_ENTRY_BYTES
        client.delete(f"{prefix}:policy:{SITE}")


def test_unreachable_server_is_a_store_error_and_recovers() -> None:
    """While the Redis server is down, each call of the store raises `StoreError`. After a
    restart of the server, the store and its leases work again.
    """
    with RedisServer() as server, closing(store_at(server)) as store:
        store.put(entry())
        server.stop()
        for call in (
            lambda: store.get(SITE),
            lambda: store.put(entry()),
            lambda: list(store.entries()),
            lambda: store.acquire_lease(SITE, "me", 5),
            lambda: store.release_lease(SITE, "me"),
        ):
            with pytest.raises(StoreError):
                call()
        server.start()
        store.put(entry())
        assert store.get(SITE) == entry().packed
        assert store.acquire_lease(SITE, "me", 5).granted


def test_connection_closed_by_the_server_is_replaced(
    server: RedisServer, prefix: str
) -> None:
    """If the Redis server has closed an idle connection, the store opens a new connection."""
    with server.client() as client, closing(store_at(server, prefix)) as store:
        store.put(entry())
        client.client_kill_filter(_type="normal", skipme=True)

        assert store.get(SITE) == entry().packed


def test_hanging_server_is_a_store_error_in_time() -> None:
    """If the Redis server hangs, a call of the store raises `StoreError` within the
    timeout. Because the error comes within the timeout, the log can contain the reason.
    """
    with RedisServer() as server, closing(store_at(server)) as store:
        store.put(entry())
        server.hang()
        with pytest.raises(StoreError, match=r"(?i)time"):
            store.get(SITE)
        server.resume()


def test_password_is_used_and_never_shown() -> None:
    """The store connects with the right password. The error for a wrong password does not
    contain this password.
    """
    with RedisServer(password=CREDENTIAL) as server:
        with closing(store_at(server)) as store:
            store.put(entry())
        wrong = server.url.replace(CREDENTIAL, "2retnuh")
        with closing(open_store(wrong)) as locked:
            with pytest.raises(StoreError) as refused:
                locked.get(SITE)
            shown = str(refused.value) + repr(locked)

    assert "2retnuh" not in shown
