"""A guarded store for tests without an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import Any

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.stores.base import PolicyStore
from scrapy_robots1994.stores.codec import decode
from scrapy_robots1994.stores.guarded import GuardedStore
from scrapy_robots1994.stores.url import StoreUrl
from tests.unit.samples import FRESHNESS, NOW, READER, SITE


def unavailable(
    *, origin: Origin = SITE, at: float = NOW, freshness: FreshnessSettings = FRESHNESS
) -> Policy:
    """Return the policy of an origin that answered with 503 (R5, unreachable)."""
    return Policy.unreachable(origin, RobotsResponse(503), at, freshness)


@dataclass(frozen=True)
class FactoryUrl(StoreUrl):
    """A store URL. The function *make* makes the store of the URL."""

    make: Callable[[], PolicyStore] | None = None

    def new_store(self) -> PolicyStore | None:
        """Return a new store."""
        assert self.make is not None
        return self.make()


LOOP = asyncio.new_event_loop()
Thread(target=LOOP.run_forever, daemon=True).start()


class Guarded(GuardedStore):
    """A guarded store with methods that block until a call has finished. The calls run on
    an event loop, as in a crawl.
    """

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run *work* on the event loop, and return a future for the result of *work*."""
        return asyncio.run_coroutine_threadsafe(work, LOOP)

    def result(self, future: Any) -> Any:
        """Return the result of *future*. Fail after 20 seconds."""
        return future.result(20)

    def read(self, origin: Origin) -> Any:
        """Return the stored policy of *origin*."""
        return self.result(self.submit(self.get(origin)))

    def lease(self, origin: Origin) -> Any:
        """Wait for the lease of *origin*. Return the policy that another worker has stored,
        or `None`.
        """
        return self.result(self.submit(self.acquire_lease(origin)))

    def write(self, policy: Policy) -> None:
        """Store *policy*, and wait until it is stored."""
        self.release_lease(policy.origin, policy)
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """Wait until every call submitted so far has finished."""
        self.read(Origin("http", "fence.example", 80))

    def close_and_wait(self) -> None:
        """Close the store and wait until it is closed."""
        self.result(self.submit(self.close()))


def guarded(
    store: PolicyStore | Callable[[], PolicyStore],
    clock: Callable[[], float] = lambda: NOW,
    *,
    timeout: float = 5.0,
    fetch_seconds: float = 30.0,
) -> Guarded:
    """Return a guarded store around *store*. *store* may also be a function that returns
    a store.
    """
    make = (lambda: store) if isinstance(store, PolicyStore) else store
    url = FactoryUrl(url="test://store", timeout=timeout, make=make)
    return Guarded(
        url,
        partial(decode, reader=READER, freshness=FRESHNESS),
        fetch_seconds,
        asyncio.wrap_future,
        asyncio.sleep,
        LOOP.call_later,
        clock,
    )
