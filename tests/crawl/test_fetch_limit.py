"""How many fetches run in parallel: look-ups, descriptors and silence decide."""

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


# Without a reactor, timers are the event loop's: before 2.14 Scrapy has no such thing.
pytest.importorskip("scrapy.utils.asyncio")

MANY = 200


class FakeDescriptors:
    """A machine with so many descriptors free."""

    def __init__(self, free: float = math.inf) -> None:
        self.left = free

    def free(self, fetches: int) -> float:
        """Return how many are free."""
        return self.left - fetches


class Machine:
    """Fetches that run until the test ends them, on a small pool of look-ups."""

    def __init__(self, free: float = math.inf, most: int = MANY) -> None:
        descriptors: Any = FakeDescriptors(free)
        self.limit = FetchLimit(most, descriptors)
        self.may_look_up = Event()
        self.may_look_up.set()
        self.may_end = asyncio.Event()
        self.running = 0
        self.most = 0

    async def fetch(self, *, looks_up: bool = False, is_sent: bool = True) -> None:
        """Run as one fetch does, which another middleware delays if it is not sent."""
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
        """Start so many fetches."""
        return [asyncio.create_task(self.fetch(**options)) for _ in range(fetches)]

    async def until(self, running: int) -> None:
        """Wait until so many run."""
        while self.running < running:  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.001)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let probes follow each other at once."""
    monkeypatch.setattr(fetch_limit, "PROBE_SECONDS", 0.001)
    # A busy machine is not one with a queue.
    monkeypatch.setattr(fetch_limit, "QUICK_SECONDS", 30.0)
    monkeypatch.setattr(fetch_limit, "SLOW_SECONDS", 60.0)


@asynccontextmanager
async def machine(**options: Any) -> AsyncIterator[Machine]:
    """Give a machine with two resolver threads; end all its fetches at the end."""
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


def test_it_grows_to_the_most_while_probes_come_back() -> None:
    """Hosts that are slow to answer do not hold others back."""

    async def crawl() -> None:
        async with machine() as found:
            fetches = found.start(MANY + 50)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert found.running == START_WINDOW
            await found.until(MANY)
            found.may_end.set()
            await asyncio.gather(*fetches)
            assert found.most == MANY

    asyncio.run(crawl())


def test_it_does_not_grow_while_look_ups_wait() -> None:
    """The probe waits in their queue; once they go on, so does the growth."""

    async def crawl() -> None:
        async with machine() as found:
            found.may_look_up.clear()
            fetches = found.start(MANY, looks_up=True)
            await found.until(START_WINDOW)
            await asyncio.sleep(0.1)
            assert found.most == START_WINDOW
            found.may_look_up.set()
            await found.until(MANY)
            found.may_end.set()
            await asyncio.gather(*fetches)

    asyncio.run(crawl())


def test_fewer_may_be_in_line_when_a_probe_took_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Those whose look-up has begun hold nothing back, slow as the look-ups are."""
    monkeypatch.setattr(fetch_limit, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(fetch_limit, "SLOW_SECONDS", 0.0)

    async def crawl() -> None:
        async with machine(most=2 * MANY) as found:
            found.start(MANY)
            await found.until(MANY)
            more = Machine()
            more.limit = found.limit
            more.start(MANY, is_sent=False)
            await more.until(MIN_WINDOW)
            await asyncio.sleep(0.1)
            assert more.running == MIN_WINDOW
            more.may_end.set()
            while more.running:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.001)

    asyncio.run(crawl())


def test_a_silent_fetch_holds_back_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """After two seconds it is not waited for, though another middleware delays it."""
    monkeypatch.setattr(fetch_limit, "QUICK_SECONDS", 0.0)
    monkeypatch.setattr(fetch_limit, "SILENT_SECONDS", 0.01)

    async def crawl() -> None:
        async with machine() as found:
            found.start(MANY, is_sent=False)
            await found.until(MANY)

    asyncio.run(crawl())


def test_a_fetch_that_is_silent_in_our_queue_holds_back_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As long as look-ups wait in line, further ones would only wait longer."""
    monkeypatch.setattr(fetch_limit, "SILENT_SECONDS", 0.01)
    monkeypatch.setattr(fetch_limit, "SLOW_SECONDS", 0.05)

    async def crawl() -> None:
        async with machine() as found:
            found.may_look_up.clear()
            found.start(MANY, looks_up=True)
            await found.until(START_WINDOW)
            await asyncio.sleep(0.3)
            assert found.most == START_WINDOW

    asyncio.run(crawl())


@pytest.mark.parametrize("free", [30.0, 0.0], ids=["some", "none"])
def test_descriptors_are_an_upper_limit(free: float) -> None:
    """Without any, a few still run: else none would notice that there are some again."""

    async def crawl() -> None:
        async with machine(free=free) as found:
            found.start(MANY)
            await found.until(MIN_WINDOW)
            await asyncio.sleep(0.1)
            assert MIN_WINDOW <= found.most <= max(free, MIN_WINDOW)

    asyncio.run(crawl())


def test_cancelled_fetch_frees_its_place_for_the_next() -> None:
    """Whether it waited, ran, or had been admitted a moment ago."""

    async def crawl() -> None:
        async with machine(most=2) as found:
            first, second, third, fourth = found.start(4)
            await asyncio.sleep(0)
            third.cancel()
            first.cancel()
            await asyncio.gather(first, third, return_exceptions=True)
            await found.until(2)
            found.may_end.set()
            await asyncio.gather(second, fourth)

    asyncio.run(crawl())


def test_fetches_start_slowly_while_no_server_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of them fails after its timeout; the first answer ends that."""
    monkeypatch.setattr(fetch_limit, "SILENT_SECONDS", 3.0)

    async def crawl() -> None:
        async with machine() as found:
            found.limit.is_network_up = False
            found.start(MANY)
            await found.until(MIN_WINDOW)
            await asyncio.sleep(0.3)
            assert found.running == MIN_WINDOW
            found.limit.is_network_up = True
            await found.until(MANY)

    asyncio.run(crawl())


def test_a_closed_limit_lets_no_waiting_fetch_run() -> None:
    """Else each fetch that the closing crawl cancels would let the next one start."""

    async def crawl() -> None:
        async with machine(most=1) as found:
            first, second = found.start(2)
            await found.until(1)
            found.limit.close()
            first.cancel()
            await asyncio.wait([first])
            await asyncio.sleep(0)
            assert found.running == 0
            second.cancel()
            await asyncio.wait([second])

    asyncio.run(crawl())


def test_no_probe_is_sent_once_all_fetches_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The crawl may have ended with them, and its thread pool be shut down."""
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


def test_open_files_are_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of pages, logs and stores are open, too."""
    monkeypatch.setattr(fetch_limit, "_count_open", fetch_limit._count_open.__wrapped__)
    descriptors = Descriptors(pages=0)

    before = descriptors.free(0)
    with ExitStack() as files:
        for _ in range(5):
            files.enter_context(Path(os.devnull).open("rb"))
        assert descriptors.free(0) == before - 5
