"""The store as a crawl uses it: awaited in the crawl's event loop, never blocking it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from scrapy import signals
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots1994.crawl.stats import STORE_FAILURES
from scrapy_robots1994.crawl.threads import call_later
from scrapy_robots1994.stores.codec import decode
from scrapy_robots1994.stores.guarded import GuardedStore

if TYPE_CHECKING:
    from concurrent.futures import Future

    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.policy.reader import Reader

T = TypeVar("T")

MAX_FETCH_SECONDS: Final = 900.0
"""Seconds that a fetch takes at most in this process, its retries and the time in our
queues included, unless ROBOTS1994_TIMEOUT lets it take longer."""


def open_store(
    crawler: Crawler, settings: RobotsSettings, reader: Reader, stats: StatsRecorder
) -> GuardedStore | None:
    """Return the store of one crawl, closed with it; `None` for memory alone."""
    if settings.store.url is None:
        return None
    one_try = settings.timeout * (settings.max_redirects + 1)
    store = GuardedStore(
        settings.store,
        partial(decode, reader=reader, freshness=settings.freshness),
        max(MAX_FETCH_SECONDS, 2 * one_try),
        future_result,
        call_later,
    )

    async def close() -> None:
        try:
            await store.close()
        finally:
            if store.failures:
                stats.count(STORE_FAILURES, store.failures)

    crawler.signals.connect(close, signals.spider_closed, weak=False)
    return store


async def future_result(future: Future[T]) -> T:
    """Wait in the event loop of the crawl for a future of another thread.

    Cancelling the wait cancels *future*.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return await maybe_deferred_to_future(_deferred_of(future))
    return await asyncio.wrap_future(future)


def _deferred_of(future: Future[T]) -> Deferred[T]:
    """Return *future* for a reactor that is not asyncio's."""
    # Installed by now: importing it installs one.
    from twisted.internet import reactor  # noqa: PLC0415 - not before the crawl

    def cancel(_: Deferred[T]) -> None:
        future.cancel()

    done: Deferred[T] = Deferred(cancel)

    def deliver() -> None:
        # A cancelled wait has ended by itself.
        if not done.called:
            done.callback(future.result())

    call_in_crawl = cast("Any", reactor).callFromThread
    future.add_done_callback(lambda _: call_in_crawl(deliver))
    return done
