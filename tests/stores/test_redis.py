"""The Redis store against a real redis-server: the contract, leases, and outages."""

from __future__ import annotations

import builtins
import itertools
import sys
import time
import traceback
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.errors import MissingExtra, SettingsError, StoreError
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import Stored, StoreUrl
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES
from scrapy_robots1994.stores.redis import RedisStore, _new_client
from tests.policy.samples import NOW, SITE, parsed
from tests.stores.contract import OTHER, StoreContract
from tests.stores.guarded_store import TIMEOUT_SECONDS, SyncStore, guarded
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.stores.clock import FakeClock

ENTRY = Stored(SITE, b"\x01packed", 9e9)
CREDENTIAL = "hunter2"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    """Start one server for this file; each store has a prefix of its own."""
    with RedisServer() as started:
        yield started


@pytest.fixture
def prefix() -> str:
    """A prefix that no other test has."""
    return f"test{next(NUMBERS)}[*?"


def store_at(server: RedisServer, prefix: str, **options: Any) -> RedisStore:
    """Make a store on *server*."""
    return RedisStore(server.url, prefix=prefix, **options)


def wait_until(condition: Callable[[], object]) -> None:
    """Poll until the condition holds, because a server sends no notifications."""
    give_up = time.monotonic() + TIMEOUT_SECONDS
    while not condition():
        assert time.monotonic() < give_up
        time.sleep(0.01)


class TestRedisStore(StoreContract):
    """The Redis store fulfils the contract of all stores."""

    @pytest.fixture(autouse=True)
    def _on(self, server: RedisServer, prefix: str) -> None:
        """Set the server and the prefix of the stores."""
        self.server, self.prefix = server, prefix

    def new_store(self, clock: FakeClock, folder: Path) -> SyncStore:
        """Make an empty store under a prefix of its own."""
        return SyncStore(lambda: store_at(self.server, self.prefix, clock=clock), clock)


@pytest.mark.redis
def test_every_key_has_the_prefix_and_an_expiry(
    server: RedisServer, prefix: str
) -> None:
    """Policies and leases expire by themselves; other keys are not touched."""
    store = store_at(server, prefix)
    store.put(ENTRY)
    store.acquire_lease(SITE, "me", 5)
    store.acquire_lease(OTHER, "me", 5)
    store.release_lease(OTHER, "me")
    store.close()

    with server.client() as client:
        keys = [key for key in client.scan_iter() if key.startswith(prefix.encode())]
        assert sorted(keys) == [
            f"{prefix}:{name}".encode() for name in (f"lease:{SITE}", f"policy:{SITE}")
        ]
        assert all(client.pttl(key) > 0 for key in keys)


@pytest.mark.redis
@pytest.mark.parametrize("glob", ["*", "?", "[a-z]", "]", "\\", "^", "a[b]*\\?"])
def test_prefix_is_not_a_pattern(glob: str, server: RedisServer, prefix: str) -> None:
    """Glob characters in a prefix match only themselves."""
    store, other = store_at(server, prefix + glob), store_at(server, prefix + "xb")
    store.put(ENTRY)
    other.put(replace(ENTRY, origin=OTHER))

    assert list(store.entries()) == [ENTRY]
    store.close()
    other.close()


@pytest.mark.redis
@pytest.mark.parametrize("keep_until", [1e17, 1e308, float("inf")])
def test_entry_with_a_distant_expiry_is_stored(
    keep_until: float, server: RedisServer, prefix: str
) -> None:
    """ROBOTS1994_STALE_TTL has no upper limit, but the expiry of a Redis key has one."""
    store = store_at(server, prefix)
    store.put(replace(ENTRY, keep_until=keep_until))

    assert list(store.entries()) == [replace(ENTRY, keep_until=keep_until)]
    store.close()


@pytest.mark.redis
def test_foreign_keys_are_ignored(server: RedisServer, prefix: str) -> None:
    """A key of another type, a short value or an invalid origin is not an outage."""
    with server.client() as client:
        client.set(f"{prefix}:policy:ftp://x", b"x" * 20)
        client.set(f"{prefix}:policy:{OTHER}", b"short")
        client.lpush(f"{prefix}:policy:http://list.example", "x")
        client.hset(f"{prefix}:lease:{SITE}", "a", "b")
        client.set(f"{prefix}:lease:{OTHER}", "without an end")
        client.set(f"{prefix}:lease:http://long.example", "without an end", px=10**15)
        client.set(f"{prefix}:lease:http://failed.example", "", px=10**15)
    store = store_at(server, prefix)
    store.put(ENTRY)

    assert list(store.entries()) == [ENTRY]
    assert store.get(OTHER) is None
    assert store.get(Origin("http", "list.example", 80)) is None
    assert store.acquire_lease(SITE, "me", 5).granted
    assert store.acquire_lease(OTHER, "me", 5).granted
    for name in ("long.example", "failed.example"):
        assert store.acquire_lease(Origin("http", name, 80), "me", 5).granted
        assert not store.acquire_lease(Origin("http", name, 80), "other", 5).granted
    store.close()


def test_oversized_entry_is_read_only_up_to_the_limit(
    server: RedisServer, prefix: str
) -> None:
    """A value of twice the largest entry is a miss, and only half of it is read."""
    with server.client() as client:
        client.set(f"{prefix}:policy:{SITE}", b"x" * 2 * MAX_ENTRY_BYTES)
        before = sent_by(client)
        store = store_at(server, prefix)

        assert store.get(SITE) is None
        assert sent_by(client) - before < 1.1 * MAX_ENTRY_BYTES
        client.delete(f"{prefix}:policy:{SITE}")
    store.close()


def sent_by(client: Any) -> int:
    """Return the bytes that the server has sent."""
    number: int = client.info("stats")["total_net_output_bytes"]
    return number


def test_unreachable_server_is_a_store_error_and_recovers(prefix: str) -> None:
    """Each call raises; after a restart the same store works again, with its leases."""
    with RedisServer() as server:
        store = store_at(server, prefix)
        store.put(ENTRY)
        server.stop()
        for call in (
            lambda: store.get(SITE),
            lambda: store.put(ENTRY),
            lambda: store.acquire_lease(SITE, "me", 5),
        ):
            with pytest.raises(StoreError):
                call()
        server.start()
        store.put(ENTRY)
        assert store.get(SITE) == ENTRY.packed
        assert store.acquire_lease(SITE, "me", 5).granted
        store.close()


def test_connection_closed_by_the_server_is_replaced(
    server: RedisServer, prefix: str
) -> None:
    """An idle connection that the server closed is not an outage."""
    store = store_at(server, prefix)
    store.put(ENTRY)
    with server.client() as client:
        client.client_kill_filter(_type="normal", skipme=True)

    assert store.get(SITE) == ENTRY.packed
    store.close()


def test_hanging_server_costs_one_timeout(
    prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The guarded store pauses its calls until the server responds again."""
    with RedisServer() as server:
        store = guarded(
            lambda: store_at(server, prefix, clock=lambda: NOW, timeout=0.2),
            timeout=0.2,
        )
        store.write(parsed())
        server.hang()
        for _ in range(50):
            assert store.read(SITE) is None
        server.resume()
        wait_until(lambda: store.read(SITE))
        assert store.failures <= 3
        store.close_and_wait()

    assert caplog.text.count("failed: ") == 1


def test_worker_opens_one_connection(server: RedisServer, prefix: str) -> None:
    """One connection serves any number of origins."""
    store = guarded(lambda: store_at(server, prefix))
    with server.client() as client:
        before = client.info("clients")["connected_clients"]
        futures = [
            store.submit(
                store.acquire_lease(Origin("http", f"host{number}.example", 80))
            )
            for number in range(500)
        ]
        for future in futures:
            assert store.result(future) is None
        after = client.info("clients")["connected_clients"]

    assert after - before <= 1
    store.close_and_wait()
    assert store.failures == 0


def test_password_is_used_and_never_shown(prefix: str) -> None:
    """The right password works; the error for a wrong one does not repeat it."""
    with RedisServer(password=CREDENTIAL) as server:
        store = store_at(server, prefix)
        store.put(ENTRY)
        store.close()
        locked = RedisStore(server.url.replace(CREDENTIAL, CREDENTIAL[::-1]))
        with pytest.raises(StoreError) as refused:
            locked.get(SITE)
        locked.close()
        shown = str(refused.value) + str(StoreUrl.parse(server.url))

    assert CREDENTIAL not in shown
    assert CREDENTIAL[::-1] not in shown


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["REPLICAOF", "127.0.0.1", "1"], "read only replica"),
        (["CONFIG", "SET", "maxmemory", "1"], "'maxmemory'"),
        (["CONFIG", "SET", "min-replicas-to-write", "3"], "replicas"),
        (["ACL", "SETUSER", "default", "-set"], "no permissions"),
        (["CONFIG", "SET", "maxclients", "1"], "max number of clients"),
    ],
    ids=["read-only", "out of memory", "no replicas", "no permission", "too many"],
)
def test_error_reply_of_the_server_is_reported_once(
    command: list[str], message: str, prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Each call is a miss, and the log has the error message of the server."""
    with RedisServer() as server, server.client() as client:
        client.execute_command(*command)
        store = guarded(lambda: store_at(server, prefix))
        for origin in (SITE, OTHER):
            assert store.read(origin) is None
            assert store.lease(origin) is None
            store.write(parsed(origin=origin))
        store.close_and_wait()

    assert store.failures >= 1
    assert caplog.text.count(message) == 1
    assert message in caplog.text


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:1/0?colour=red",
        "redis://127.0.0.1:1/0?socket_timeout=soon",
        "redis://127.0.0.1:many/0",
        "redis+sentinel://127.0.0.1:26379",
        "redis+sentinel:///main",
        "redis+sentinel://127.0.0.1:26379/main/x",
        "redis+sentinel://127.0.0.1:26379/main?colour=red",
        "redis+cluster://",
        "redis+cluster://127.0.0.1:1/3",
        "redis+cluster://127.0.0.1:1?startup_nodes=3",
        "rediss://127.0.0.1:1?ssl_cert_reqs=foo",
        "redis://127.0.0.1:1?protocol=9",
        "redis://127.0.0.1:1?retry=4",
        "redis://127.0.0.1:1?decode_responses=false",
        "redis+cluster://127.0.0.1:1?decode_responses=true",
        "redis+sentinel://127.0.0.1:1/main?decode_responses=true",
        "redis://:hunter2/x@127.0.0.1:1/0",
        "redis://me:hunter2#x@127.0.0.1:1/0",
        "redis://me:hunter2?x@127.0.0.1:1/0",
        "redis://hunter2/x@127.0.0.1:1/0",
    ],
)
def test_invalid_url_is_rejected_with_an_example(url: str) -> None:
    """It is rejected before a connection is opened."""
    with pytest.raises(SettingsError, match=r'write for example "redis://') as refused:
        StoreUrl.parse(url)

    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)
    assert "hunter2" not in "".join(traceback.format_exception(refused.value))


def test_port_out_of_range_is_reported_without_its_value() -> None:
    """The value may be part of a password."""
    with pytest.raises(SettingsError, match="the port is no number up to 65535"):
        StoreUrl.parse("redis://me:123456?x@127.0.0.1:1/0")


def test_sentinel_url_has_the_options_of_the_client_library() -> None:
    """User, password, database and options, and our option for the sentinels' password."""
    url = "redis+sentinel://me:hunter%2F2@h:1,i/main/3?sentinel_password=x&health_check_interval=7"

    pool = _new_client(url, 2.0).connection_pool

    known = {"username": "me", "password": "hunter/2", "db": 3}
    assert known.items() <= pool.connection_kwargs.items()
    assert pool.connection_kwargs["health_check_interval"] == 7
    sentinels = [each.connection_pool for each in pool.sentinel_manager.sentinels]
    assert [each.connection_kwargs["port"] for each in sentinels] == [1, 26379]
    assert {each.connection_kwargs["password"] for each in sentinels} == {"x"}


def test_missing_client_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The error has the command that installs the extra."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("redis"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.delitem(sys.modules, RedisStore.__module__)

    with pytest.raises(MissingExtra, match=r"pip install 'scrapy_robots1994\[redis\]'"):
        StoreUrl.parse("redis://127.0.0.1:6379/0")


@pytest.mark.redis
def test_origin_is_read_back_from_its_key(server: RedisServer, prefix: str) -> None:
    """Ports and IPv6 addresses are written in keys as they are in URLs."""
    origins = {Origin("https", "a.test", 8443), Origin("http", "::1", 8080), SITE}
    store = store_at(server, prefix)
    for origin in origins:
        store.put(Stored(origin, b"x", 9e9))

    assert {stored.origin for stored in store.entries()} == origins
    store.close()
