"""The desk before a store: in time, whatever the store does, and one fetch for all."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.stores import circuit_breaker as troubles
from scrapy_robots1994.stores import guarded as desks
from scrapy_robots1994.stores.codec import pack
from tests.policy.samples import NOW, SITE, parsed, unreachable
from tests.stores.clock import FakeClock
from tests.stores.lasting import new_desk
from tests.stores.stubborn import StubbornStore

SOON = 0.05


class SpeechlessError(Exception):
    """What a store may raise that was written in a hurry."""

    def __str__(self) -> str:
        """Fail to say anything."""
        raise ValueError


@pytest.mark.parametrize(
    "error",
    [
        StoreError("the disk is gone"),
        OSError(28, "no space"),
        ZeroDivisionError(),
        SystemExit(3),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
        SpeechlessError(),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_error_of_a_store_is_a_miss(error: BaseException) -> None:
    """Whoever wrote the store, what it raises goes no further."""

    async def work() -> None:
        store = StubbornStore()
        store.error = error
        desk = new_desk(store, FakeClock())

        assert await desk.get(SITE) is None
        assert await desk.acquire_lease(SITE) is None
        await asyncio.create_task(desk.release_lease(SITE, parsed()))
        assert desk.failures >= 1
        await desk.close()

    asyncio.run(work())


def test_a_store_whose_methods_are_no_coroutines_is_a_miss(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Also what is raised before there is anything to await goes no further."""

    class PlainStore(StubbornStore):
        def get(self, *_: Any, **_more: Any) -> Any:
            raise ValueError("no coroutine")

        put = lease = close = get

    async def work() -> None:
        desk = new_desk(PlainStore(), FakeClock())

        assert await desk.get(SITE) is None
        assert await desk.acquire_lease(SITE) is None
        await asyncio.create_task(desk.release_lease(SITE, parsed()))
        await desk.close()

    asyncio.run(work())

    assert len(caplog.records) == 1


def test_a_store_that_hangs_is_a_miss_in_time() -> None:
    """It is left behind after the time limit, even if it will not be cancelled."""

    async def work() -> None:
        store = StubbornStore()
        store.hangs = True
        desk = new_desk(store, FakeClock(), timeout=SOON)

        await asyncio.wait_for(ask_everything(desk), 5)
        store.hangs = False

        assert desk.failures == 2

    async def ask_everything(desk: desks.GuardedStore) -> None:
        assert await desk.get(SITE) is None
        assert await desk.acquire_lease(SITE) is None
        await desk.release_lease(SITE, parsed())

    asyncio.run(work())


def test_a_store_that_failed_is_left_alone_for_a_while(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A hundred questions during an outage cost one, and one warning."""

    async def work() -> None:
        store = StubbornStore()
        store.error = StoreError("away")
        desk = new_desk(store, FakeClock())
        for _ in range(100):
            assert await desk.get(SITE) is None
        assert store.calls == ["get"]

    asyncio.run(work())

    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "away. The crawl goes on" in caplog.text


def test_a_store_that_comes_back_is_used_again_and_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One question finds out; the log says that it answers again."""
    monkeypatch.setattr(troubles, "PAUSE", 0.0)
    caplog.set_level(logging.INFO)

    async def work() -> None:
        store = StubbornStore()
        desk = new_desk(store, FakeClock())
        store.error = StoreError("away")
        await desk.get(SITE)
        await desk.release_lease(SITE, parsed())
        store.error = None
        await desk.release_lease(SITE, parsed())
        assert await desk.get(SITE) == parsed()

    asyncio.run(work())

    said = [record.getMessage().split()[2] for record in caplog.records]
    assert said == ["failed:", "answers"]


def test_a_store_that_cannot_write_is_still_read() -> None:
    """Reading and writing are given up apart."""

    async def work() -> None:
        store = StubbornStore()
        store.held[SITE] = pack(parsed())
        desk = new_desk(store, FakeClock())
        store.error = StoreError("read-only")
        await desk.release_lease(SITE, parsed())
        store.error = None

        assert await desk.get(SITE) == parsed()

    asyncio.run(work())


def test_the_log_shows_no_text_of_a_store_raw(caplog: pytest.LogCaptureFixture) -> None:
    """Ours O25 holds for error messages as well."""

    async def work() -> None:
        store = StubbornStore()
        store.error = StoreError("bad\n\x1b[31mnews")
        await new_desk(store, FakeClock()).get(SITE)

    asyncio.run(work())

    assert "bad \\x1b[31mnews" in caplog.text


def test_what_is_over_is_not_stored_and_not_recalled() -> None:
    """Past its end a policy is neither put nor got, whatever the store still holds."""

    async def work() -> None:
        clock = FakeClock()
        store = StubbornStore()
        desk = new_desk(store, clock)
        await desk.release_lease(SITE, unreachable())
        assert await desk.get(SITE) is not None

        clock.now = NOW + 300
        assert await desk.get(SITE) is None
        await desk.release_lease(SITE, unreachable())

        assert store.held == {}

    asyncio.run(work())


def test_closing_waits_for_what_is_being_written() -> None:
    """A policy that is on its way to the store at the end of a crawl arrives."""

    async def work() -> None:
        store = StubbornStore()
        desk = new_desk(store, FakeClock())
        writing = asyncio.create_task(desk.release_lease(SITE, parsed()))
        await asyncio.sleep(0)
        await desk.close()

        assert store.held == {SITE: pack(parsed())}
        assert store.calls[-1] == "close"
        await writing

    asyncio.run(work())
