"""The store as a crawl uses it: awaited in the crawl's event loop, never blocking it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from scrapy import signals
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred

from scrapy_robots1994.crawl.stats import STORE_FAILURES
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.stores.codec import decode
from scrapy_robots1994.stores.guarded import GuardedStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.policy.reader import Reader

T = TypeVar("T")

MAX_FETCH_SECONDS: Final = 900.0
"""Seconds that a fetch takes at most in this process, its retries and the time in our
queues included, unless ROBOTS1994_TIMEOUT lets it take longer."""


class StoreBridge:
    """The store of one crawl (`policy.backend.Store`), closed with it."""

    def __init__(self, store: GuardedStore, stats: StatsRecorder) -> None:
        self._store = store
        self._stats = stats
        self._is_checking = False
        self._is_closed = False

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        settings: RobotsSettings,
        reader: Reader,
        stats: StatsRecorder,
    ) -> Self | None:
        """Return the store that the settings name, `None` for memory alone."""
        if settings.store.url is None:
            return None
        one_try = settings.timeout * (settings.max_redirects + 1)
        decoder = partial(decode, reader=reader, freshness=settings.freshness)
        longest = max(MAX_FETCH_SECONDS, 2 * one_try)
        bridge = cls(GuardedStore(settings.store, decoder, longest), stats)
        crawler.signals.connect(bridge.close, signals.spider_closed)
        return bridge

    async def get(self, origin: Origin) -> Policy | None:
        """Return the stored policy, fresh or stale, or `None`."""
        return None if self._is_closed else await self._result(self._store.get(origin))

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until this process may fetch *origin* (`Store.acquire_lease`)."""
        if self._is_closed:
            return None
        return await self._result(self._store.acquire_lease(origin))

    def release_lease(
        self, origin: Origin, policy: Policy | None, *, aborted: bool = False
    ) -> None:
        """Note that our fetch of *origin* ended (`Store.release_lease`)."""
        if not self._is_closed:
            self._store.release_lease(origin, policy, aborted=aborted)

    async def close(self) -> None:
        """Store what is to be stored, within the time limit, and close the store."""
        self._is_closed = True
        try:
            await self._result(self._store.close())
        finally:
            if self._store.failures:
                self._stats.count(STORE_FAILURES, self._store.failures)

    async def _result(self, future: Future[T]) -> T:
        """Wait for *future*, which is done in time as long as the time is checked."""
        if not self._is_checking:
            self._check_time()
        return await future_result(future)

    def _check_time(self) -> None:
        """Let the store give up what takes too long, as long as anyone waits."""
        pause = self._store.check_time()
        self._is_checking = pause is not None
        if pause is not None:
            call_later(pause, self._check_time)


async def future_result(future: Future[T]) -> T:
    """Wait in the event loop of the crawl for a future of another thread.

    Cancelling the wait cancels *future*.
    """

    def cancel(_: Deferred[T]) -> None:
        future.cancel()

    done: Deferred[T] = Deferred(cancel)
    call_in_crawl = _caller_in_crawl()

    def notify(_: Future[T]) -> None:
        # The crawl may be over, and its event loop closed.
        with suppress(RuntimeError):
            call_in_crawl(deliver)

    def deliver() -> None:
        if done.called:
            return
        if future.cancelled():
            done.errback(CancelledError())
        else:
            done.callback(future.result())

    future.add_done_callback(notify)
    return await maybe_deferred_to_future(done)


def _caller_in_crawl() -> Callable[[Callable[[], None]], object]:
    """Return a function by which another thread calls one in the crawl's thread."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        # A reactor that is not asyncio's; installed by now, so it can be imported.
        from twisted.internet import reactor  # noqa: PLC0415 - not before the crawl

        call: Any = reactor
        in_thread: Callable[[Callable[[], None]], object] = call.callFromThread
        return in_thread
