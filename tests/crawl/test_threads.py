"""Work beside the event loop: threads take short turns while it lasts."""

from __future__ import annotations

import asyncio
from sys import getswitchinterval
from threading import Barrier

import pytest

from scrapy_robots1994.crawl.threads import SHORT_TURN, beside


def test_threads_take_short_turns_while_anything_works_beside() -> None:
    """Of two that overlap the last restores what was."""
    usual = getswitchinterval()
    both = Barrier(2, timeout=60)
    seen: list[float] = []

    def first() -> None:
        both.wait()
        seen.append(getswitchinterval())

    def last(ended: asyncio.Event, loop: asyncio.AbstractEventLoop) -> None:
        both.wait()
        asyncio.run_coroutine_threadsafe(ended.wait(), loop).result(60)
        seen.append(getswitchinterval())

    async def crawl() -> None:
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        longer = asyncio.create_task(beside(lambda: last(ended, loop)))
        await beside(first)
        ended.set()
        await longer

    asyncio.run(crawl())

    assert seen == pytest.approx([SHORT_TURN, SHORT_TURN])
    assert getswitchinterval() == pytest.approx(usual)


def test_work_that_fails_restores_the_usual_turns() -> None:
    """And what it raises arrives."""
    usual = getswitchinterval()

    def broken() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(beside(broken))

    assert getswitchinterval() == pytest.approx(usual)
