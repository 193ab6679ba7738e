"""A store behind its guard, for tests that have no event loop."""

from __future__ import annotations

import time
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.stores import MemoryStore, PolicyStore, StoreUrl
from scrapy_robots1994.stores.codec import decode
from scrapy_robots1994.stores.guarded import GuardedStore
from scrapy_robots1994.stores.leases import PolicyThread
from scrapy_robots1994.stores.worker import CircuitBreaker
from tests.policy.samples import FRESHNESS, NOW, READER, SITE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future

    from typing_extensions import Self

FENCE = Origin("http", "fence.example", 80)
MAX_FETCH_SECONDS = 900.0

TIMEOUT_SECONDS = 20.0
"""Seconds until a test gives up waiting for what must happen."""


def busy(
    *, origin: Origin = SITE, at: float = NOW, freshness: FreshnessSettings = FRESHNESS
) -> Policy:
    """Make the policy of an origin that answered with 503 (R5)."""
    return Policy.unreachable(origin, RobotsResponse(503), at, freshness)


@dataclass(frozen=True)
class MadeStore(StoreUrl):
    """A store URL of which *make* makes the store."""

    make: Callable[[], PolicyStore] | None = None

    def new_store(self) -> PolicyStore | None:
        """Make it."""
        assert self.make is not None
        return self.make()


class Guarded(GuardedStore):
    """A guarded store whose caller waits, checking the time as a crawl does."""

    @property
    def failures(self) -> int:
        """How many calls of the store failed."""
        return self.breaker.failures

    def get(self, origin: Origin) -> Any:
        """Return the future."""
        return super().get(origin)

    def acquire_lease(self, origin: Origin) -> Any:
        """Return the future."""
        return super().acquire_lease(origin)

    def result(self, future: Any) -> Any:
        """Wait for *future*."""
        for _ in range(int(TIMEOUT_SECONDS / 0.01)):
            self.check_time()
            with suppress(NotYet):
                return future.result(0.01)
        raise AssertionError("no result")

    def read(self, origin: Origin) -> Policy | None:
        """Return the stored policy."""
        policy: Policy | None = self.result(self.get(origin))
        return policy

    def lease(self, origin: Origin) -> Policy | None:
        """Wait for the lease, or for what another one made."""
        policy: Policy | None = self.result(self.acquire_lease(origin))
        return policy

    def write(self, policy: Policy) -> None:
        """Store *policy*, and wait until it is."""
        self.release_lease(policy.origin, policy)
        self.settle()

    def settle(self) -> None:
        """Wait until all that was submitted is done."""
        self.read(FENCE)

    def settle_until(self, is_so: Callable[[], object]) -> None:
        """Wait until it is so, a few times a second as a worker looks."""
        give_up = time.monotonic() + TIMEOUT_SECONDS
        while not is_so():
            assert time.monotonic() < give_up
            self.settle()

    def end(self) -> None:
        """Close it."""
        self.result(self.close())


def guarded(
    store: PolicyStore | Callable[[], PolicyStore],
    clock: Callable[[], float] = lambda: NOW,
    *,
    timeout: float = 5.0,
    max_fetch_seconds: float = MAX_FETCH_SECONDS,
) -> Guarded:
    """Guard *store* as a crawl with default settings does."""
    make = (lambda: store) if isinstance(store, PolicyStore) else store
    url = MadeStore(url="test://store", timeout=timeout, make=make)
    decoder = partial(decode, reader=READER, freshness=FRESHNESS)
    breaker = CircuitBreaker(url)
    # A crawl has no other clock than the system's.
    thread = partial(PolicyThread, breaker, decoder, max_fetch_seconds, clock)
    return Guarded(breaker, thread, _same, lambda *_: None)


def _same(future: Future[Any]) -> Any:
    """Return *future* as it is, for there is no event loop."""
    return future


class ListedMemory(MemoryStore):
    """A memory store that lists its policies (`contract.Holder`)."""

    def __iter__(self) -> Iterator[Policy]:
        """Return every policy in memory at this moment."""
        now = self._clock()
        return iter([it for it in self._policies.values() if now < it.keep_until])

    def __len__(self) -> int:
        """Return how many origins are in memory."""
        return sum(1 for _ in self)


class SyncStore:
    """Policies in a guarded store (`contract.Holder`); *make* makes an instance."""

    def __init__(
        self, make: Callable[[], PolicyStore], clock: Callable[[], float]
    ) -> None:
        # The thread of the guarded store has an instance of its own.
        self._store = make()
        self._clock = clock
        self.guarded = guarded(make, clock)

    def __enter__(self) -> Self:
        """Open nothing; a store opens itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close both instances."""
        self.guarded.end()
        self._store.close()

    def get(self, origin: Origin) -> Policy | None:
        """Return the policy, read from its stored form."""
        return self.guarded.read(origin)

    def put(self, policy: Policy) -> None:
        """Store the stored form of *policy*."""
        self.guarded.write(policy)

    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*."""
        return self._store.forget(origin)

    def __iter__(self) -> Iterator[Policy]:
        """Yield every policy that is not over, as it comes."""
        for stored in self._store.entries():
            policy = decode(stored.packed, stored.origin, READER, FRESHNESS)
            assert policy is not None
            assert policy.keep_until == stored.keep_until
            if policy.keep_until > self._clock():
                yield policy

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(1 for _ in self)
