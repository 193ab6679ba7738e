"""`FetchLimit`: a setting and the descriptors of the process limit parallel fetches."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from scrapy_robots1994.crawl import fetch_limit
from scrapy_robots1994.crawl.fetch_limit import SPARE, FetchLimit

# Without a reactor, futures are those of the event loop, which Scrapy has since 2.14.
pytest.importorskip("scrapy.utils.asyncio")

CRAWLER: Any = object()


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record how often idle connections were closed."""
    calls: list[object] = []
    monkeypatch.setattr(fetch_limit, "close_idle_connections", calls.append)
    return calls


@pytest.mark.parametrize(
    ("limit", "pages", "most"),
    [
        (10_000, 16, 800),
        (1_024, 16, 800),
        (256, 16, 208),
        (256, 200, 128),
        (256, 0, 128),
    ],
)
def test_few_descriptors_are_shared_with_pages(
    limit: int, pages: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages keep as many as they may need at once, and at least half of all."""
    monkeypatch.setattr(fetch_limit, "descriptor_limit", lambda: limit)

    assert FetchLimit(CRAWLER, 800, pages).most == most


def test_cancelled_fetch_releases_its_permit() -> None:
    """This holds for a fetch that waits and for one that runs."""
    running = set()

    async def fetch(limit: FetchLimit, name: str, may_end: asyncio.Event) -> None:
        async with limit.permit():
            running.add(name)
            try:
                await may_end.wait()
            finally:
                running.remove(name)

    async def crawl() -> None:
        limit, may_end = FetchLimit(CRAWLER, 2, 16), asyncio.Event()
        one, two, three, four = (
            asyncio.ensure_future(fetch(limit, name, may_end)) for name in "1234"
        )
        await asyncio.sleep(0)
        assert running == {"1", "2"}
        for each in (three, one):
            each.cancel()
            with suppress(asyncio.CancelledError):
                await each
        for _ in range(10):
            await asyncio.sleep(0)
        assert running == {"2", "4"}
        may_end.set()
        await asyncio.gather(two, four)

    asyncio.run(asyncio.wait_for(crawl(), 20))


@pytest.mark.parametrize("is_short", [False, True])
def test_idle_connections_are_closed_when_descriptors_are_short(
    closed: list[object], monkeypatch: pytest.MonkeyPatch, *, is_short: bool
) -> None:
    """A server that keeps a connection open takes a descriptor that a fetch needs."""
    free = SPARE - 1 if is_short else SPARE
    opened = [str(number) for number in range(100)]
    monkeypatch.setattr(fetch_limit, "descriptor_limit", lambda: len(opened) + free)
    monkeypatch.setattr("os.listdir", lambda _: opened)

    async def crawl() -> None:
        async with FetchLimit(CRAWLER, 10, 16).permit():
            pass

    asyncio.run(crawl())
    assert closed == [CRAWLER] * is_short
