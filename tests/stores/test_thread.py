"""The thread of a store: any caller, one loop, and an end."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError

import pytest

from scrapy_robots1994.stores.thread import StoreThread


async def nothing() -> None:
    """End at once."""


async def for_ever() -> None:
    """Never end."""
    await asyncio.Event().wait()


def test_what_runs_has_one_asyncio_loop_that_is_not_ours() -> None:
    """Whoever asks, from whatever loop or none."""

    async def where() -> tuple[str, int]:
        return threading.current_thread().name, id(asyncio.get_running_loop())

    thread = StoreThread()
    first, second = thread.run(where()).result(5), thread.run(where()).result(5)
    thread.run(thread.end(nothing())).result(5)
    thread.stop()

    assert first == second
    assert first[0] == "robots1994-store"


def test_the_end_cancels_what_still_runs_after_the_last_words() -> None:
    """Nothing outlives the thread, and the thread does not outlive `stop`."""
    thread = StoreThread()
    running = thread.run(for_ever())

    thread.run(thread.end(nothing())).result(5)
    thread.stop()

    with pytest.raises(CancelledError):
        running.result(5)
    assert not thread._thread.is_alive()


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()], ids=repr)
def test_no_callback_of_a_store_ends_the_thread(error: BaseException) -> None:
    """What ends a loop of asyncio ends no wait for an answer, nor does it come out."""

    def strike() -> None:
        raise error

    async def answer() -> int:
        asyncio.get_running_loop().call_soon(strike)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return 42

    thread = StoreThread()

    assert thread.run(answer()).result(5) == 42
    thread._loop.call_soon_threadsafe(strike)
    thread.run(thread.end(nothing())).result(5)
    thread.stop()
    assert not thread._thread.is_alive()


def test_a_caller_may_give_up() -> None:
    """Cancelling what was handed back cancels the coroutine."""
    thread = StoreThread()
    ended = threading.Event()

    async def watched() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    running = thread.run(watched())
    thread.run(nothing()).result(5)
    running.cancel()

    assert ended.wait(5)
    thread.run(thread.end(nothing())).result(5)
    thread.stop()
