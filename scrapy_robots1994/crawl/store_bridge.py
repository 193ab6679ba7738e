"""The lasting store as a crawl uses it: asked from its loop, answering from its own."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import signals
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred

from scrapy_robots1994.stores.codec import unpack
from scrapy_robots1994.stores.guarded import GuardedStore
from scrapy_robots1994.stores.thread import StoreThread

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.policy.reader import Reader
    from scrapy_robots1994.stores import PolicyStore

T = TypeVar("T")


class StoreBridge:
    """The store of one crawl (`backend.Store`), from its first question to its end."""

    def __init__(self, desk: GuardedStore, tally: StatsRecorder) -> None:
        self._desk = desk
        self._tally = tally
        self._thread: StoreThread | None = None
        self._is_closed = False

    @classmethod
    def of(
        cls,
        crawler: Crawler,
        settings: RobotsSettings,
        reader: Reader,
        tally: StatsRecorder,
    ) -> Self | None:
        """The store that the settings name, closed with the crawl; `None` without."""
        store: PolicyStore | None = settings.store.new_store()
        if store is None:
            return None
        # As long as a fetch of ours may take, all its hops included.
        longest = settings.timeout * (settings.max_redirects + 1)
        read = partial(unpack, reader=reader, terms=settings.freshness)
        lasting = cls(GuardedStore(store, settings.store, read, longest), tally)
        crawler.signals.connect(lasting.close, signals.spider_closed)
        return lasting

    async def get(self, origin: Origin) -> Policy | None:
        """The policy held, fresh or stale, or `None`."""
        return await self._answer(self._desk.get(origin))

    async def acquire_lease(self, origin: Origin) -> Policy | None:
        """Wait until no other process is fetching *origin* (`backend.Store.acquire_lease`)."""
        return await self._answer(self._desk.acquire_lease(origin))

    def release_lease(self, origin: Origin, made: Policy | None) -> None:
        """Our fetch of *origin* ended (`backend.Store.release_lease`)."""
        self._start(self._desk.release_lease(origin, made))

    async def close(self) -> None:
        """Write what is still to be written and end the thread, once for all.

        Does not hold up the loop of the crawl: others may be crawling in it.
        """
        self._is_closed = True
        thread, self._thread = self._thread, None
        try:
            if thread is not None:
                await arrival(thread.run(thread.end(self._desk.close())))
        finally:
            if thread is not None:
                thread.stop()
            if self._desk.failures:
                self._tally.store_failures(self._desk.failures)

    async def _answer(self, work: Coroutine[Any, Any, T | None]) -> T | None:
        """What *work* comes to in the store's thread; `None` after the crawl's end."""
        running = self._start(work)
        return None if running is None else await arrival(running)

    def _start(self, work: Coroutine[Any, Any, T]) -> Future[T] | None:
        """Run *work* in the store's thread; `None` after the end of the crawl."""
        if self._is_closed:
            work.close()
            return None
        if self._thread is None:
            self._thread = StoreThread()
        return self._thread.run(work)


async def arrival(running: Future[T]) -> T:
    """Wait in the loop of the crawl, whichever it is, for what runs in another thread.

    Cancelling the wait cancels what runs.
    """

    def cancel(_: Deferred[T]) -> None:
        running.cancel()

    arrived: Deferred[T] = Deferred(cancel)
    into_crawl = _into_crawl()

    def ended(_: Future[T]) -> None:
        # The crawl may be gone, and its loop with it.
        with suppress(RuntimeError):
            into_crawl(deliver)

    def deliver() -> None:
        if arrived.called:
            return
        error = CancelledError() if running.cancelled() else running.exception()
        if error is None:
            arrived.callback(running.result())
        else:
            arrived.errback(error)

    running.add_done_callback(ended)
    return await maybe_deferred_to_future(arrived)


def _into_crawl() -> Callable[[Callable[[], None]], object]:
    """What lets another thread call a function in the loop of the crawl."""
    try:
        return asyncio.get_running_loop().call_soon_threadsafe
    except RuntimeError:
        # A reactor that is not asyncio's; installed by now, so it can be imported.
        from twisted.internet import reactor  # noqa: PLC0415 - not before the crawl

        call: Callable[[Callable[[], None]], object] = reactor.callFromThread
        return call
