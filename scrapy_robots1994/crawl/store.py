"""The store of a crawl, guarded so that it never raises and never blocks the event loop.

A failed call counts as a missing entry, and the store is not used for the next `REST_SECONDS`. Only
the first failure is logged as a warning. All calls run in one thread, in order.

Each crawl that shares the store is a worker. If the store has leases, only the worker that holds
the lease of an origin fetches its robots.txt. The other workers look for the answer every second,
and fetch the file themselves if there is none after `LEASE_SECONDS`.
"""

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from logging import DEBUG, WARNING
from time import monotonic
from typing import Any, TypeVar

from scrapy import signals
from scrapy.crawler import Crawler

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import count, log_line
from scrapy_robots1994.crawl.threads import future_result, sleep
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES
from scrapy_robots1994.stores.codec import decode, encode
from scrapy_robots1994.stores.url import StoreUrl

T = TypeVar("T")

REST_SECONDS = 30.0
LEASE_SECONDS = 10


class GuardedStore:
    """Stores answers with bodies of at most *limit* bytes. An entry may be deleted *keep_seconds*
    after its answer was fetched.
    """

    def __init__(
        self, crawler: Crawler, url: StoreUrl, limit: int, keep_seconds: float
    ) -> None:
        self._crawler = crawler
        self._url = url
        self._limit = limit
        self._keep_seconds = keep_seconds
        self._store: Any = url.new_store()
        self._has_leases = callable(getattr(self._store, "lease", None))
        self._thread = ThreadPoolExecutor(1, "robots1994-store")
        self._is_closed = False
        self._rests_until = -math.inf
        self._failures = 0
        # When each lease of this worker ends. Only the store's thread uses this dict.
        self._leases: dict[Origin, float] = {}
        # Scrapy waits for this signal's handlers before the process ends.
        crawler.signals.connect(self.close, signals.spider_closed)

    async def get(self, origin: Origin) -> Answer | None:
        read: Future[Answer | None] = self._submit(self._read, origin)
        return await future_result(read)

    def put(self, origin: Origin, answer: Answer) -> None:
        """Store *answer* in the background, if it was fetched and comes from the origin itself."""
        if answer.is_of_origin and answer.source == "fetched":
            self._submit(self._write, origin, answer)

    async def lease(self, origin: Origin, since: float = 0.0) -> Answer | None:
        """Wait until this worker may fetch robots.txt, but no longer than about `LEASE_SECONDS`.

        If another worker stores an answer newer than *since* in the meantime, return that answer.
        """
        for _ in range(LEASE_SECONDS if self._has_leases else 0):
            is_granted = await future_result(self._submit(self._take_lease, origin))
            # The previous holder of the lease may just have stored an answer.
            answer = await self.get(origin)
            if answer is not None and answer.fetched_at > since:
                self.release(origin)
                return answer
            # None means that the store failed, so there is nothing to wait for.
            if is_granted is not False:
                break
            await sleep(1)
        return None

    def release(self, origin: Origin) -> None:
        """End this worker's lease of *origin*, if any, after pending calls of `put`."""
        if self._has_leases:
            self._submit(self._end_lease, origin)

    async def close(self) -> None:
        """Wait for pending calls, and close the store."""
        closed = self._thread.submit(self._close)
        self._is_closed = True
        self._thread.shutdown(wait=False)
        await future_result(closed)
        if self._failures:
            count(self._crawler, stats.STORE_FAILURES, self._failures)

    def _submit(self, call: Callable[..., T | None], *args: Any) -> "Future[T | None]":
        if self._is_closed:
            # A fetch may still be running, but the thread takes no more calls.
            nothing: Future[T | None] = Future()
            nothing.set_result(None)
            return nothing
        return self._thread.submit(self._run, call, *args)

    def _run(self, call: Callable[..., T | None], *args: Any) -> T | None:
        if monotonic() < self._rests_until:
            return None
        try:
            return call(*args)
        except Exception as error:  # noqa: BLE001 - a user's store may raise anything
            self._rests_until = monotonic() + REST_SECONDS
            self._failures += 1
            log_line(
                self._crawler,
                WARNING if self._failures == 1 else DEBUG,
                "ROBOTS1994_STORE %s failed: %s. The crawl continues without the store and "
                "tries it again after %d seconds.",
                str(self._url),
                self._url.describe(error),
                REST_SECONDS,
            )
            return None

    def _close(self) -> None:
        # Close the store even if it failed in the last `REST_SECONDS`.
        self._rests_until = -math.inf
        self._run(self._store.close)

    def _read(self, origin: Origin) -> Answer | None:
        entry = self._store.get(str(origin))
        if entry is None:
            return None
        if not isinstance(entry, bytes):
            raise TypeError(f"get returned {type(entry).__name__}, not bytes")
        return decode(entry, origin, self._limit)

    def _write(self, origin: Origin, answer: Answer) -> None:
        entry = encode(answer, self._limit)
        if len(entry) <= MAX_ENTRY_BYTES:
            keep_until = answer.fetched_at + self._keep_seconds
            self._store.put(str(origin), entry, keep_until)

    def _take_lease(self, origin: Origin) -> bool:
        # Record the lease before the call, because a call that raises may have taken it all the
        # same.
        self._leases[origin] = monotonic() + LEASE_SECONDS
        if self._store.lease(str(origin), LEASE_SECONDS):
            return True
        del self._leases[origin]
        return False

    def _end_lease(self, origin: Origin) -> None:
        # An expired lease may now belong to another worker.
        if self._leases.pop(origin, 0.0) > monotonic():
            self._store.release(str(origin))
