"""Policies in a store: read, written, and replaced only by what may replace them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.policy.freshness import CLOCK_SKEW, UseFresh, decide
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, Stored
from scrapy_robots1994.stores.codec import encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.stores.worker import CircuitBreaker, StoreWorker


@dataclass(frozen=True, slots=True)
class StoredPolicies:
    """The policies in the store of *worker*. Methods run in the thread of *worker*.

    *decode* makes the policy of an entry, or `None` (`codec.decode`). Methods raise
    `NoAnswer` if the store fails.
    """

    worker: StoreWorker
    reading: CircuitBreaker
    writing: CircuitBreaker
    decode: Callable[[bytes, Origin], Policy | None]
    clock: Callable[[], float] = time.time

    def read(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin*, fresh or stale, if it is not over."""
        entry = self._entry(origin)
        policy = None if entry is None else self.decode(entry, origin)
        return policy if policy and policy.keep_until > self.clock() else None

    def read_fresh(self, origin: Origin) -> Policy | None:
        """Return the policy of *origin* if it is fresh."""
        policy = self.read(origin)
        return policy if isinstance(decide(policy, self.clock()), UseFresh) else None

    def write(self, policy: Policy) -> bool:
        """Store *policy* if other crawls may use it. Return whether they can."""
        if not policy.may_be_shared or not self._may_replace(policy):
            return False
        if policy.keep_until <= self.clock():
            # It is over by now; nothing older stays in its place either.
            self.worker.call(self.writing, self.worker.store.forget, policy.origin)
            return False
        stored = Stored(policy.origin, encode(policy), policy.keep_until)
        if len(stored.packed) > MAX_ENTRY_BYTES:
            return False
        self.worker.call(self.writing, self.worker.store.put, stored)
        return True

    def _entry(self, origin: Origin) -> bytes | None:
        """Return the bytes stored for *origin*."""
        types = (bytes, type(None))
        get = self.worker.store.get
        found = self.worker.call(self.reading, get, origin, returns=types)
        return found if found is None or len(found) <= MAX_ENTRY_BYTES else None

    def _may_replace(self, policy: Policy) -> bool:
        """Return whether *policy* may take the place of the stored one.

        Ours R5: what the origin said always may. What we set ourselves must not end the
        last good policy, which a failed read or another crawl may have hidden from us.
        """
        if policy.is_known and not policy.is_stale_on_error:
            return True
        entry = self._entry(policy.origin)
        if entry is None:
            return True
        # Of another version, or longer than we read: it is not ours to judge.
        stored = self.decode(entry, policy.origin)
        return stored is not None and _gives_way(stored, policy, self.clock())


def _gives_way(stored: Policy, policy: Policy, now: float) -> bool:
    """Return whether *stored* may end for *policy*, which the origin did not state."""
    if stored.keep_until <= now:
        return True
    if not policy.is_known:
        return not stored.is_known
    # One from the future is not newer: the clock went back (`decide`).
    is_newer = policy.fetched_at < stored.fetched_at <= now + CLOCK_SKEW
    return not (stored.is_known and is_newer)
