"""The Redis store against a real redis-server: the contract, leases, and outages."""

from __future__ import annotations

import asyncio
import builtins
import itertools
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.errors import MissingExtra, SettingsError, StoreError
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import Stored, locate
from scrapy_robots1994.stores.codec import unpack
from scrapy_robots1994.stores.redis import MAX_STORED, RedisStore
from scrapy_robots1994.stores.redis_client import Clients
from tests.policy.samples import NOW, SITE, TERMS, parsed
from tests.stores.contract import OTHER, StoreContract
from tests.stores.lasting import READER, Held, new_desk
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from tests.stores.clock import FakeClock

ENTRY = Stored(SITE, b"\x01packed", 9e9)
SPOKEN = "hunter2"
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
    return RedisStore(lambda: Clients(server.url, 2.0), prefix=prefix, **options)


async def until(ask: Callable[[], Awaitable[object]]) -> None:
    """Ask again and again until the server says yes: it tells nobody by itself."""
    while not await ask():  # noqa: ASYNC110 - see above
        await asyncio.sleep(0.01)


@pytest.mark.redis
class TestRedisStore(StoreContract):
    """The Redis store keeps the contract of all stores."""

    @pytest.fixture(autouse=True)
    def _on(self, server: RedisServer, prefix: str) -> None:
        """Note where to make stores."""
        self.server, self.prefix = server, prefix

    def new_store(self, clock: FakeClock, folder: Path) -> Held:
        """Make an empty store under a prefix of its own."""
        return Held(store_at(self.server, self.prefix, clock=clock), clock)


@pytest.mark.redis
def test_every_key_has_the_prefix_and_an_expiry(
    server: RedisServer, prefix: str
) -> None:
    """Policies and leases alike go by themselves, and touch nobody else's keys."""

    async def work() -> None:
        store = store_at(server, prefix)
        await store.put(ENTRY)
        await store.lease(SITE, "me", 5)
        await store.close()

    asyncio.run(work())

    with server.client() as client:
        keys = [key for key in client.scan_iter() if key.startswith(prefix.encode())]
        assert sorted(keys) == [
            f"{prefix}:{kind}:{SITE}".encode() for kind in ("lease", "policy")
        ]
        assert all(client.pttl(key) > 0 for key in keys)


@pytest.mark.redis
def test_entries_of_others_are_passed_over(server: RedisServer, prefix: str) -> None:
    """Keys under our prefix that are none of our making are no policies."""
    with server.client() as client:
        client.set(f"{prefix}:policy:ftp://x", b"x" * 20)
        client.set(f"{prefix}:policy:{OTHER}", b"short")

    async def walk() -> list[Stored]:
        store = store_at(server, prefix)
        await store.put(ENTRY)
        found = [stored async for stored in store.entries()]
        assert await store.get(OTHER) == b""
        await store.close()
        return found

    assert asyncio.run(walk()) == [ENTRY]


@pytest.mark.redis
def test_an_entry_of_another_tenant_is_read_no_further_than_its_bound(
    server: RedisServer, prefix: str
) -> None:
    """Thirty-two megabytes under our key cost half of it, and state no policy."""
    with server.client() as client:
        client.set(f"{prefix}:policy:{SITE}", b"x" * 2 * MAX_STORED)

    async def look() -> bytes | None:
        store = store_at(server, prefix)
        found = await store.get(SITE)
        await store.close()
        return found

    found = asyncio.run(look())

    assert found is not None
    assert len(found) <= MAX_STORED
    assert unpack(found, SITE, READER, TERMS) is None


@pytest.mark.redis
def test_a_server_that_is_away_is_a_store_error_and_comes_back(prefix: str) -> None:
    """Each call says so; after the restart the same store works, its leases too."""
    with RedisServer() as server:

        async def work() -> None:
            store = store_at(server, prefix)
            await store.put(ENTRY)
            server.stop()
            for call in (store.get(SITE), store.put(ENTRY), store.lease(SITE, "me", 5)):
                with pytest.raises(StoreError):
                    await call
            server.start()
            await store.put(ENTRY)
            assert await store.get(SITE) == ENTRY.packed
            assert await store.lease(SITE, "me", 5)
            await store.close()

        asyncio.run(asyncio.wait_for(work(), 30))


@pytest.mark.redis
def test_a_server_that_hangs_costs_the_time_limit_once(
    prefix: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Behind its desk the store is left alone until it answers again."""
    with RedisServer() as server:

        async def work() -> None:
            desk = new_desk(
                store_at(server, prefix, clock=lambda: NOW), lambda: NOW, timeout=0.2
            )
            await desk.release_lease(SITE, parsed())
            server.hang()
            for _ in range(50):
                assert await desk.get(SITE) is None
            server.go_on()
            await until(lambda: desk.get(SITE))
            assert desk.failures <= 3
            await desk.close()

        asyncio.run(asyncio.wait_for(work(), 30))

    assert caplog.text.count("failed: ") == 1


@pytest.mark.redis
def test_a_password_is_used_and_never_said(prefix: str) -> None:
    """A right one opens; a wrong one is an outage whose sentence does not repeat it."""
    with RedisServer(password=SPOKEN) as server:

        async def work() -> str:
            store = store_at(server, prefix)
            await store.put(ENTRY)
            await store.close()
            wrong = server.url.replace(SPOKEN, SPOKEN[::-1])
            locked = RedisStore(lambda: Clients(wrong, 2.0))
            with pytest.raises(StoreError) as refused:
                await locked.get(SITE)
            await locked.close()
            return str(refused.value)

        said = asyncio.run(work()) + str(locate(server.url))

    assert SPOKEN not in said
    assert SPOKEN[::-1] not in said


@pytest.mark.parametrize(
    "url",
    [
        "redis://127.0.0.1:1/0?colour=red",
        "redis://127.0.0.1:1/0?socket_timeout=soon",
        "redis://127.0.0.1:many/0",
        "redis+sentinel://127.0.0.1:26379",
        "redis+sentinel://127.0.0.1:26379/main/x",
        "redis+sentinel://127.0.0.1:26379/main?colour=red",
        "redis+cluster://",
        "redis+cluster://127.0.0.1:1/3",
        "redis+cluster://127.0.0.1:1?startup_nodes=3",
        "rediss://127.0.0.1:1?ssl_cert_reqs=foo",
        "redis://127.0.0.1:1?protocol=9",
        "redis://127.0.0.1:1?retry=4",
        "redis://:hunter2/x@127.0.0.1:1/0",
        "redis://me:hunter2#x@127.0.0.1:1/0",
        "redis://me:hunter2?x@127.0.0.1:1/0",
        "redis://hunter2/x@127.0.0.1:1/0",
    ],
)
def test_a_wrong_url_is_refused_in_one_sentence(url: str) -> None:
    """Before anything is opened, with an example."""
    with pytest.raises(SettingsError, match=r'write for example "redis://') as refused:
        locate(url)

    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)
    assert "hunter2" not in "".join(traceback.format_exception(refused.value))


def test_without_the_client_the_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The extra is named with the line that installs it."""
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("redis"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)

    with pytest.raises(MissingExtra, match=r"pip install 'scrapy_robots1994\[redis\]'"):
        locate("redis://127.0.0.1:6379/0")


@pytest.mark.redis
def test_an_origin_is_read_back_from_its_key(server: RedisServer, prefix: str) -> None:
    """Ports and IPv6 addresses stand in keys as they do in URLs."""
    origins = [Origin("https", "a.test", 8443), Origin("http", "::1", 8080), SITE]

    async def walk() -> set[Origin]:
        store = store_at(server, prefix)
        for origin in origins:
            await store.put(Stored(origin, b"x", 9e9))
        found = {stored.origin async for stored in store.entries()}
        await store.close()
        return found

    assert asyncio.run(walk()) == set(origins)
