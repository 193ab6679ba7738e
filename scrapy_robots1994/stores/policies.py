"""Policies in a store: read, written, and replaced only by what may replace them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy_robots1994.policy.freshness import CLOCK_SKEW, UseFresh, decide
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, Stored
from scrapy_robots1994.stores.codec import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

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

    def read(self, origins: Collection[Origin]) -> dict[Origin, Policy]:
        """Return the policies of *origins* that are not over, fresh or stale."""
        now = self.clock()
        policies = {}
        for origin, entry in self._entries(origins).items():
            policy = self.decode(entry, origin)
            if policy is not None and policy.keep_until > now:
                policies[origin] = policy
        return policies

    def read_fresh(self, origins: Collection[Origin]) -> dict[Origin, Policy]:
        """Return the policies of *origins* that are fresh."""
        now = self.clock()
        return {
            origin: policy
            for origin, policy in self.read(origins).items()
            if isinstance(decide(policy, now), UseFresh)
        }

    def write(self, policies: Collection[Policy]) -> set[Origin]:
        """Store what other crawls may use. Return the origins of which they can."""
        shared = [policy for policy in policies if policy.may_be_shared]
        now = self.clock()
        over, stored = [], []
        for policy in self._that_may_replace(shared):
            if policy.keep_until <= now:
                over.append(policy.origin)
                continue
            entry = encode(policy)
            if len(entry) <= MAX_ENTRY_BYTES:
                stored.append(Stored(policy.origin, entry, policy.keep_until))
        for origin in over:
            # It is over by now; nothing older stays in its place either.
            self.worker.call(self.writing, self.worker.store.forget, origin)
        self.worker.call_many(self.writing, self.worker.store.put_many, stored)
        return {each.origin for each in stored}

    def _entries(self, origins: Collection[Origin]) -> dict[Origin, bytes]:
        """Return the bytes stored for *origins*."""
        wanted = list(origins)
        found = self.worker.call_many(
            self.reading,
            self.worker.store.get_many,
            wanted,
            returns=(bytes, type(None)),
        )
        return {
            origin: entry
            for origin, entry in zip(wanted, found, strict=True)
            if entry is not None and len(entry) <= MAX_ENTRY_BYTES
        }

    def _that_may_replace(self, policies: list[Policy]) -> list[Policy]:
        """Return the *policies* that may take the place of the stored ones.

        Ours R5: what the origin said always may. What we set ourselves must not end the
        last good policy, which a failed read or another crawl may have hidden from us.
        """
        ours = [each for each in policies if not _is_stated(each)]
        entries = self._entries([each.origin for each in ours])
        return [
            each
            for each in policies
            if _is_stated(each)
            or each.origin not in entries
            or self._gives_way(entries[each.origin], each)
        ]

    def _gives_way(self, entry: bytes, policy: Policy) -> bool:
        """Return whether *entry* may end for *policy*, which the origin did not state."""
        stored, now = self.decode(entry, policy.origin), self.clock()
        if stored is None:
            # Of another version, or longer than we read: it is not ours to judge.
            return False
        if stored.keep_until <= now:
            return True
        if not policy.is_known:
            return not stored.is_known
        # One from the future is not newer: the clock went back (`decide`).
        is_newer = policy.fetched_at < stored.fetched_at <= now + CLOCK_SKEW
        return not (stored.is_known and is_newer)


def _is_stated(policy: Policy) -> bool:
    """Return whether *policy* is what the origin said the last time it was asked."""
    return policy.is_known and not policy.is_stale_on_error
