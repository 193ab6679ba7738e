"""`FetchLimit`: DNS lookups, descriptors and silent servers limit parallel fetches."""

from __future__ import annotations

import asyncio
import math
import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.crawl import fetch_limit
from scrapy_robots1994.crawl.fetch_limit import (
    MIN_WINDOW,
    START_WINDOW,
    Descriptors,
    FetchLimit,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


# Without a reactor, timers are those of the event loop, which Scrapy has since 2.14.
pytest.importorskip("scrapy.utils.asyncio")

MANY = 200


class FakeDescriptors:
    """A machine with a number of free descriptors."""

    def __init__(self, free: float = math.inf) -> None:
        self.left = free

    def free(self, fetches: int) -> float:
        """Return the number of free descriptors."""
        return self.left - fetches


class Machine:
    """Fetches that run until the test ends them, with a small pool for DNS lookups."""

    def __init__(self, free: float = math.inf, most: int = MANY) -> None:
        descriptors: Any = FakeDescriptors(free)
        self.limit = FetchLimit(most, descriptors)
        self.may_look_up = Event()
        self.may_look_up.set()
        self.may_end = asyncio.Event()
        self.running = 0
        self.most = 0

    async def fetch(self, *, looks_up: bool = False, is_sent: bool = True) -> None:
        """Run one fetch; unless *is_sent*, another middleware delays it."""
        async with self.limit.permit() as mark_sent:
            if is_sent:
                mark_sent()
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                if looks_up:
                    await asyncio.to_thread(self.may_look_up.wait)
                await self.may_end.wait()
            finally:
                self.running -= 1

    def start(self, fetches: int, **options: bool) -> list[asyncio.Task[None]]:
        """Start a number of fetches."""
        return [asyncio.create_task(self.fetch(**options)) for _ in range(fetches)]

    async def wait_until_running(self, running: int) -> None:
        """Wait until *running* fetches run."""
        while self.running < running:  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let probes follow each other at once."""
    monkeypatch.setattr(fetch_limit, "PROBE_SECONDS", 0.001)
    # Slow probes on a busy machine are not a sign of a queue.
    monkeypatch.setattr(fetch_limit, "QUICK_SECONDS", 30.0)
    monkeypatch.setattr(fetch_limit, "SLOW_SECONDS", 60.0)


@asynccontextmanager
async def machine(**options: Any) -> AsyncIterator[Machine]:
    """Yield a machine with two resolver threads; end all its fetches afterwards."""
    pool = ThreadPoolExecutor(2)
    asyncio.get_running_loop().set_default_executor(pool)
    found = Machine(**options)
    try:
        yield found
    finally:
        found.may_look_up.set()
        found.may_end.set()
        # A probe that is still in its thread would outlive the event loop.
        while found.running or found.limit._probe_at < math.inf:  # noqa: ASYNC110 - as above
            await asyncio.sleep(0.001)


def test_limit_grows_to_the_maximum_while_probes_return() -> None:
    """Hosts that answer slowly do not delay others."""

    async def crawl() -> None:
        async with machine() as found:
            fetches = found.start(MANY + 50)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert found.running == START_WINDOW
            await found.wait_until_running(MANY)
            found.may_end.set()
            await asyncio.gather(*fetches)
            assert found.most == MANY

    asyncio.run(crawl())


def test_limit_does_not_grow_while_lookups_wait() -> None:
    """The probe waits in the queue of the lookups; the limit grows when they continue."""

    async def crawl() -> None:
        async with machine() as found:
            found.may_look_up.clear()
            fetches = found.start(MANY, looks_up=True)
            await found.wait_until_running(START_WINDOW)
            await asyncio.sleep(0.1)
            assert found.most == START_WINDOW
            found.may_look_up.set()
            await found.wait_until_running(MANY)
            found.may_end.set()
            await asyncio.gather(*fetches)

    asyncio.run(crawl())


def test_slow_probe_reduces_the_number_of_unsent_fetches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fetches that have been sent do not delay others, even if lookups are slow."""
    monkeypatch.setattr(fetch_limit, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(fetch_limit, "SLOW_SECONDS", 0.0)

    async def crawl() -> None:
        async with machine(most=2 * MANY) as found:
            found.start(MANY)
            await found.wait_until_running(MANY)
            more = Machine()
            more.limit = found.limit
            more.start(MANY, is_sent=False)
            await more.wait_until_running(MIN_WINDOW)
            await asyncio.sleep(0.1)
            assert more.running == MIN_WINDOW
            more.may_end.set()
            while more.running:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.001)

    asyncio.run(crawl())


def test_silent_fetch_does_not_delay_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """After SILENT_SECONDS it does not count, even if another middleware delays it."""
    monkeypatch.setattr(fetch_limit, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(fetch_limit, "SILENT_SECONDS", 0.01)

    async def crawl() -> None:
        async with machine() as found:
            found.start(MANY, is_sent=False)
            await found.wait_until_running(MANY)

    asyncio.run(crawl())


def test_fetch_that_is_silent_in_the_lookup_queue_delays_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While lookups are queued, further ones would only wait longer."""
    monkeypatch.setattr(fetch_limit, "SILENT_SECONDS", 0.01)
    monkeypatch.setattr(fetch_limit, "SLOW_SECONDS", 0.05)

    async def crawl() -> None:
        async with machine() as found:
            found.may_look_up.clear()
            found.start(MANY, looks_up=True)
            await found.wait_until_running(START_WINDOW)
            await asyncio.sleep(0.3)
            assert found.most == START_WINDOW

    asyncio.run(crawl())


@pytest.mark.parametrize("free", [30.0, 0.0], ids=["some", "none"])
def test_descriptors_are_an_upper_limit(free: float) -> None:
    """Without any, a few fetches still run, which notice when there are some again."""

    async def crawl() -> None:
        async with machine(free=free) as found:
            found.start(MANY)
            await found.wait_until_running(MIN_WINDOW)
            await asyncio.sleep(0.1)
            assert MIN_WINDOW <= found.most <= max(free, MIN_WINDOW)

    asyncio.run(crawl())


def test_cancelled_fetch_releases_its_permit() -> None:
    """This holds for a fetch that waits and for one that runs."""

    async def crawl() -> None:
        async with machine(most=2) as found:
            first, second, third, fourth = found.start(4)
            await asyncio.sleep(0)
            third.cancel()
            first.cancel()
            await asyncio.gather(first, third, return_exceptions=True)
            await found.wait_until_running(2)
            found.may_end.set()
            await asyncio.gather(second, fourth)

    asyncio.run(crawl())


def test_fetches_start_slowly_while_no_server_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of them would fail after its timeout; the first response lifts the limit."""
    monkeypatch.setattr(fetch_limit, "SILENT_SECONDS", 3.0)

    async def crawl() -> None:
        async with machine() as found:
            found.limit.is_network_up = False
            found.start(MANY)
            await found.wait_until_running(MIN_WINDOW)
            await asyncio.sleep(0.3)
            assert found.running == MIN_WINDOW
            found.limit.is_network_up = True
            await found.wait_until_running(MANY)

    asyncio.run(crawl())


def test_closed_limit_starts_no_waiting_fetch() -> None:
    """Otherwise each fetch that the closing crawl cancels would start the next one."""

    async def crawl() -> None:
        async with machine(most=1) as found:
            first, second = found.start(2)
            await found.wait_until_running(1)
            found.limit.close()
            first.cancel()
            await asyncio.wait([first])
            await asyncio.sleep(0)
            assert found.running == 0
            second.cancel()
            await asyncio.wait([second])

    asyncio.run(crawl())


def test_no_probe_is_sent_after_all_fetches_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The crawl may have ended with them, and its thread pool may be shut down."""
    sent: list[None] = []

    async def look_up_delay() -> float:
        sent.append(None)
        return 0.0

    monkeypatch.setattr(fetch_limit, "look_up_delay", look_up_delay)

    async def crawl() -> None:
        async with machine() as found:
            found.may_end.set()
            await asyncio.gather(*found.start(3))
            assert found.limit._probe_at < math.inf
        assert not sent

    asyncio.run(crawl())


def test_open_files_are_not_free_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Descriptors of pages, logs and stores are counted."""
    monkeypatch.setattr(fetch_limit, "_count_open", fetch_limit._count_open.__wrapped__)
    descriptors = Descriptors(pages=0)

    before = descriptors.free(0)
    with ExitStack() as files:
        for _ in range(5):
            files.enter_context(Path(os.devnull).open("rb"))
        assert descriptors.free(0) == before - 5
