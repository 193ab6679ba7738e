"""A guarded store for tests without an event loop."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.stores import MemoryStore, PolicyStore, StoreUrl
from scrapy_robots1994.stores.codec import decode
from scrapy_robots1994.stores.guarded import CircuitBreaker, GuardedStore
from tests.policy.samples import FRESHNESS, NOW, READER, SITE

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator
    from concurrent.futures import Future

    from typing_extensions import Self

MARKER = Origin("http", "fence.example", 80)
FETCH_SECONDS = 30.0

TIMEOUT_SECONDS = 20.0
"""Seconds until a wait of a test fails."""


def unavailable(
    *, origin: Origin = SITE, at: float = NOW, freshness: FreshnessSettings = FRESHNESS
) -> Policy:
    """Make the policy of an origin that answered with 503 (R5)."""
    return Policy.unreachable(origin, RobotsResponse(503), at, freshness)


@dataclass(frozen=True)
class FactoryUrl(StoreUrl):
    """A store URL whose store is made by *make*."""

    make: Callable[[], PolicyStore] | None = None

    def new_store(self) -> PolicyStore | None:
        """Make the store."""
        assert self.make is not None
        return self.make()


def _loop() -> asyncio.AbstractEventLoop:
    """Return an event loop that runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    Thread(target=loop.run_forever, daemon=True).start()
    return loop


LOOP = _loop()


class Guarded(GuardedStore):
    """A guarded store whose calls block, on an event loop as in a crawl."""

    @property
    def failures(self) -> int:
        """The number of store calls that failed."""
        return self.breaker.failures

    def submit(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run *work* on the event loop; return its future."""
        return asyncio.run_coroutine_threadsafe(work, LOOP)

    def result(self, future: Any) -> Any:
        """Wait for *future*."""
        return future.result(TIMEOUT_SECONDS)

    def read(self, origin: Origin) -> Policy | None:
        """Return the stored policy."""
        policy: Policy | None = self.result(self.submit(self.get(origin)))
        return policy

    def lease(self, origin: Origin) -> Policy | None:
        """Wait for the lease; return the policy of another worker, if there is one."""
        policy: Policy | None = self.result(self.submit(self.acquire_lease(origin)))
        return policy

    def write(self, policy: Policy) -> None:
        """Store *policy*, and wait until it is stored."""
        self.release_lease(policy.origin, policy)
        self.wait_until_idle()

    def wait_until_idle(self) -> None:
        """Wait until every call submitted so far has finished."""
        self.read(MARKER)

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until *condition* is true."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not condition():
            assert time.monotonic() < deadline
            self.wait_until_idle()

    def close_and_wait(self) -> None:
        """Close the store and wait until it is closed."""
        self.result(self.submit(self.close()))


def guarded(
    store: PolicyStore | Callable[[], PolicyStore],
    clock: Callable[[], float] = lambda: NOW,
    *,
    timeout: float = 5.0,
    fetch_seconds: float = FETCH_SECONDS,
) -> Guarded:
    """Guard *store* as a crawl with default settings does."""
    make = (lambda: store) if isinstance(store, PolicyStore) else store
    url = FactoryUrl(url="test://store", timeout=timeout, make=make)
    return Guarded(
        CircuitBreaker(url),
        partial(decode, reader=READER, freshness=FRESHNESS),
        fetch_seconds,
        asyncio.wrap_future,
        asyncio.sleep,
        LOOP.call_later,
        clock,
    )


class ListedMemory(MemoryStore):
    """A memory store that lists its policies (`contract.SynchronousStore`)."""

    def __iter__(self) -> Iterator[Policy]:
        """Iterate over the policies in memory that have not expired."""
        now = self._clock()
        return iter([it for it in self._policies.values() if now < it.keep_until])

    def __len__(self) -> int:
        """Return the number of origins in memory."""
        return sum(1 for _ in self)


class SyncStore:
    """Policies in a guarded store (`contract.SynchronousStore`); *make* makes an instance."""

    def __init__(
        self, make: Callable[[], PolicyStore], clock: Callable[[], float]
    ) -> None:
        # The thread of the guarded store has its own instance.
        self._store = make()
        self._clock = clock
        self.guarded = guarded(make, clock)

    def __enter__(self) -> Self:
        """Return self: a store opens itself on first use."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store and wait until it is closed."""
        self.close()

    def close(self) -> None:
        """Close both instances."""
        self.guarded.close_and_wait()
        self._store.close()

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy decoded from the stored bytes."""
        return self.guarded.read(origin)

    def put(self, policy: Policy) -> None:
        """Encode and store *policy*."""
        self.guarded.write(policy)

    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*."""
        return self._store.forget(origin)

    def __iter__(self) -> Iterator[Policy]:
        """Yield every policy that has not expired."""
        for stored in self._store.entries():
            policy = decode(stored.packed, stored.origin, READER, FRESHNESS)
            assert policy is not None
            assert policy.keep_until == stored.keep_until
            if policy.keep_until > self._clock():
                yield policy

    def __len__(self) -> int:
        """Return the number of policies that have not expired."""
        return sum(1 for _ in self)
