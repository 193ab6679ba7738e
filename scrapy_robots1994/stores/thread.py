"""A thread with an asyncio loop of its own: where a store lives, whatever the crawl is.

Clients of databases want asyncio; a crawl may run on Twisted's select reactor. In a
thread of its own a store also holds up no page when it is slow.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future

T = TypeVar("T")


class StoreThread:
    """Runs coroutines beside the crawl, from its making until `stop`."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._is_ended = False
        # A daemon: a crawl that dies without closing does not wait for a store.
        self._thread = Thread(target=self._run, name="robots1994-store", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[object, object, T]) -> Future[T]:
        """Start *work*, from any thread; cancelling what is returned cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def end(self, last: Coroutine[object, object, None]) -> None:
        """Run *last*, then cancel whatever else still runs; to be `run`, before `stop`.

        Takes about the time that *last* takes.
        """
        try:
            await last
        finally:
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            if others:
                await asyncio.wait(others, timeout=1.0)

    def stop(self) -> None:
        """End the thread; returns when it is over."""
        self._loop.call_soon_threadsafe(self._end)
        self._thread.join()

    def _end(self) -> None:
        """End the loop from within."""
        self._is_ended = True
        self._loop.stop()

    def _run(self) -> None:
        """Be the thread."""
        try:
            while not self._is_ended:
                # What a store starts by itself may raise what ends a loop of asyncio;
                # whoever waits for an answer here would then wait for ever.
                with suppress(SystemExit, KeyboardInterrupt):
                    self._loop.run_forever()
        finally:
            self._loop.close()
