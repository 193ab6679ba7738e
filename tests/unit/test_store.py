"""The failures and leases of a crawl's store, and the schemes of all stores."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from scrapy_robots1994.crawl import store as module
from scrapy_robots1994.crawl.store import GuardedStore
from scrapy_robots1994.stores.url import _STORES, StoreUrl
from tests.support.crawl import ROOT
from tests.unit.samples import SITE
from tests.unit.test_codec import FILE, LIMIT

FETCHED = FILE._replace(source="fetched")
Test = Callable[[GuardedStore, "Fake"], Awaitable[None]]


PARTS: dict[str, Any] = {"spider": None, "signals": Mock(), "stats": Mock()}
"""The attributes of a crawler that `GuardedStore` uses."""


class Fake:
    """An in-memory store with leases. The method named in `fails` raises an error."""

    def __init__(self) -> None:
        self.entries: dict[str, bytes] = {}
        self.leases: set[str] = set()
        self.calls: list[str] = []
        self.fails = ""

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name == self.fails:
            raise OSError(f"cannot {name}")

    def get(self, origin: str) -> bytes | None:
        self._called("get")
        return self.entries.get(origin)

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        self._called("put")
        assert keep_until == FILE.fetched_at + 60
        self.entries[origin] = entry

    def lease(self, origin: str, seconds: float) -> bool:
        assert seconds == module.LEASE_SECONDS
        self._called("lease")
        is_free = origin not in self.leases
        self.leases.add(origin)
        return is_free

    def release(self, origin: str) -> None:
        self._called("release")
        self.leases.remove(origin)

    def close(self) -> None:
        self._called("close")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[[Test], Fake]:
    """Run a test with a `Fake` store. Sleeping takes no time."""

    async def sleep(_: float) -> None:
        fake.calls.append("sleep")
        await asyncio.sleep(0)

    fake = Fake()
    monkeypatch.setattr(module, "future_result", asyncio.wrap_future)
    monkeypatch.setattr(module, "sleep", sleep)
    monkeypatch.setattr(StoreUrl, "new_store", lambda _: fake)

    def run(test: Test) -> Fake:
        async def all_of_it() -> None:
            crawler = cast("Any", SimpleNamespace(**PARTS))
            guarded = GuardedStore(crawler, StoreUrl(url="x://"), LIMIT, 60)
            await test(guarded, fake)
            await guarded.close()
            # A fetch may end after the spider has been closed.
            guarded.put(SITE, FETCHED)
            assert await guarded.get(SITE) is None

        asyncio.run(all_of_it())
        return fake

    return run


@pytest.mark.parametrize("method", ["get", "put", "lease", "release"])
def test_store_that_failed_is_left_alone_for_a_while(
    method: str,
    run: Callable[[Test], Fake],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 1_000.0
    monkeypatch.setattr(module, "monotonic", lambda: now)

    async def use(store: GuardedStore) -> None:
        assert await store.get(SITE) is None
        assert await store.lease(SITE) is None
        store.put(SITE, FETCHED)
        store.release(SITE)
        await store.get(SITE)

    async def test(store: GuardedStore, fake: Fake) -> None:
        nonlocal now
        fake.fails = method
        await use(store)
        calls = len(fake.calls)
        now += module.REST_SECONDS - 1
        assert await store.lease(SITE) is None
        store.put(SITE, FETCHED)
        assert await store.get(SITE) is None
        assert len(fake.calls) == calls
        now += 2
        fake.entries.clear()
        fake.leases.clear()
        await use(store)
        now += 31
        fake.fails = ""
        store.put(SITE, FETCHED)
        assert await store.get(SITE) == FILE
        # A store that has failed is still closed at the end.
        fake.fails = "get"
        assert await store.get(SITE) is None

    with caplog.at_level(logging.DEBUG):
        assert run(test).calls[-1] == "close"
    PARTS["stats"].inc_value.assert_called_with("robots1994/store_failures", 3)
    records = [it for it in caplog.records if it.name == "scrapy_robots1994"]
    assert [it.levelname for it in records] == ["WARNING", "DEBUG", "DEBUG"]
    assert f"failed: cannot {method}. The crawl continues without" in records[0].message


def test_write_that_waits_for_a_failing_read_is_dropped_at_the_end(
    run: Callable[[Test], Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    is_closing = threading.Event()

    def get(_: str) -> bytes:
        assert is_closing.wait(60)
        raise OSError

    async def test(store: GuardedStore, fake: Fake) -> None:
        monkeypatch.setattr(fake, "get", get)
        reading.append(asyncio.ensure_future(store.get(SITE)))
        await asyncio.sleep(0)
        store.put(SITE, FETCHED)
        # `close` is called next, before the event loop runs again.
        asyncio.get_running_loop().call_soon(is_closing.set)

    reading: list[Any] = []
    assert run(test).calls == ["close"]


def test_write_after_a_failed_read_is_dropped_at_the_end(
    run: Callable[[Test], Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    is_closing = threading.Event()

    def monotonic() -> float:
        assert is_closing.wait(60)
        return 0.0

    async def test(store: GuardedStore, fake: Fake) -> None:
        fake.fails = "get"
        assert await store.get(SITE) is None
        # The store's thread looks whether it may write only when `close` has been called.
        monkeypatch.setattr(module, "monotonic", monotonic)
        store.put(SITE, FETCHED)
        asyncio.get_running_loop().call_soon(is_closing.set)

    assert run(test).calls == ["get", "close"]


def test_entry_that_is_no_bytes_is_a_failure(
    run: Callable[[Test], Fake], caplog: pytest.LogCaptureFixture
) -> None:
    async def test(store: GuardedStore, fake: Fake) -> None:
        fake.entries[str(SITE)] = cast("Any", "text")
        assert await store.get(SITE) is None

    run(test)
    assert "failed: get returned str, not bytes." in caplog.text


def test_error_without_a_message_is_described_by_its_class() -> None:
    assert StoreUrl(url="x://").describe(TimeoutError()) == "TimeoutError"


def test_answer_of_a_cache_is_not_stored(run: Callable[[Test], Fake]) -> None:
    async def test(store: GuardedStore, _: Fake) -> None:
        store.put(SITE, FILE._replace(source="cache"))
        store.put(SITE, FILE._replace(source="store"))

    assert "put" not in run(test).calls


def test_holder_of_a_lease_ends_it(run: Callable[[Test], Fake]) -> None:
    async def test(store: GuardedStore, fake: Fake) -> None:
        assert await store.lease(SITE) is None
        assert fake.leases == {str(SITE)}
        store.release(SITE)
        await store.get(SITE)
        assert not fake.leases
        fake.leases.add(str(SITE))
        assert await store.lease(SITE) is None
        store.release(SITE)
        await store.get(SITE)
        assert fake.leases == {str(SITE)}
        store.put(SITE, FETCHED)
        assert await store.lease(SITE, FILE.fetched_at - 1) == FILE
        fake.leases.clear()
        # None means "fetch": the stored answer is not newer than the known one.
        assert await store.lease(SITE, FILE.fetched_at) is None

    fake = run(test)
    assert fake.calls.count("sleep") == module.LEASE_SECONDS
    assert fake.calls.count("lease") == module.LEASE_SECONDS + 3


def test_lease_that_has_ended_is_not_given_back(
    run: Callable[[Test], Fake], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(module, "monotonic", lambda: now)

    async def test(store: GuardedStore, _: Fake) -> None:
        nonlocal now
        await store.lease(SITE)
        now += module.LEASE_SECONDS
        store.release(SITE)

    assert run(test).leases == {str(SITE)}


def test_every_store_is_documented_and_tested() -> None:
    page = (ROOT / "docs/stores.rst").read_text("utf-8")
    contract = (ROOT / "tests/stores/test_contract.py").read_text("utf-8")
    classes = {path.partition(".")[2] for path, _ in _STORES.values() if path}

    assert [it for it in _STORES if f"``{it}://" not in page] == []
    assert [it for it in classes if f"class Test{it}(" not in contract] == []
