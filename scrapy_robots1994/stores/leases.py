"""Policies in a store: one worker fetches each policy, and the others wait for it."""

import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Final

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import CLOCK_SKEW, Policy
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, Lease, SharedStore, Stored
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.worker import (
    CircuitBreaker,
    NoAnswer,
    StoreWorker,
    set_result,
)

LEASE_SECONDS: Final = 10.0
"""Seconds after its last renewal when the lease of a dead worker runs out."""

RENEW_SECONDS: Final = LEASE_SECONDS / 4
LOOK_AGAIN_SECONDS: Final = 1.0
"""Seconds after which a worker looks again at the earliest, if it is not notified."""

TICK_SECONDS: Final = 0.25
_ENTRY_TYPES = (bytes, type(None))
MAX_LOOKS: Final = 100
"""Leases looked at in one tick, so that new jobs do not wait for all of them."""


@dataclass(slots=True)
class _Wait:
    """A wait for the lease of an origin, ended by the result of *future*."""

    future: Future[Policy | None]
    give_up: float
    look_at: float = 0.0


class PolicyThread(StoreWorker):
    """The policies in a store, and the leases of this process, in one thread.

    Jobs never wait: a refused lease is looked at again when it ends or runs out. No
    lease is renewed, or waited for, longer than *max_fetch_seconds*. *decode* makes the
    policy of an entry, or `None`.
    """

    def __init__(
        self,
        breaker: CircuitBreaker,
        decode: Callable[[bytes, Origin], Policy | None],
        max_fetch_seconds: float,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(breaker)
        self._decode = decode
        self._max_fetch_seconds = max_fetch_seconds
        self._clock = clock
        self._holder = uuid.uuid4().hex
        # When to stop renewing each of our leases.
        self._ours: dict[Origin, float] = {}
        self._waiting: dict[Origin, _Wait] = {}
        self._next_tick = self._next_renewal = 0.0

    def get(self, origin: Origin, future: Future[Policy | None]) -> None:
        """Set the stored policy of *origin*, fresh or stale."""
        set_result(future, self._read(origin))

    def acquire(self, origin: Origin, future: Future[Policy | None]) -> None:
        """Set `None` once this process may fetch *origin*.

        Or set the fresh policy that another worker fetched meanwhile.
        """
        give_up = time.monotonic() + self._max_fetch_seconds
        self._waiting[origin] = _Wait(future, give_up)
        self._try_lease(origin)

    def release(self, origin: Origin, policy: Policy | None, aborted: bool) -> None:  # noqa: FBT001 - a job
        """Store *policy*, and end our lease of *origin*, or our wait for it.

        Unless it was *aborted*, a fetch without a policy to share has failed: the waiting
        workers then fetch at once and in parallel. Waiting for each other, they would
        each wait for the timeouts of a dead origin in turn.
        """
        self._waiting.pop(origin, None)
        is_stored = False
        try:
            is_stored = policy is not None and self._write(policy)
        finally:
            self._end(origin, 0.0 if aborted or is_stored else LEASE_SECONDS)

    def close(self, _: Future[None]) -> None:
        """End our leases, for other workers to take them over, and close the store."""
        self.is_closed = True
        # Else those who wait would have to wait until the leases run out.
        for origin in list(self._ours):
            self._end(origin)

    def tick(self) -> float | None:
        """Renew leases and look again at those of others, each when it is time."""
        if not self._ours and not self._waiting:
            return None
        now = time.monotonic()
        if now >= self._next_tick:
            self._next_tick = now + TICK_SECONDS
            with suppress(NoAnswer):
                self._renew(now)
                self._note_ended()
            due = (o for o, wait in self._waiting.items() if wait.look_at <= now)
            for origin in list(islice(due, MAX_LOOKS)):
                self._look(origin)
        return TICK_SECONDS

    def _renew(self, now: float) -> None:
        """Renew our leases of fetches that may still go on, when it is time."""
        if now < self._next_renewal:
            return
        self._next_renewal = now + RENEW_SECONDS
        # A fetch that hangs for ever must not keep the origin from other workers.
        self._ours = {o: end for o, end in self._ours.items() if now <= end}
        if self._ours:
            self.call(
                "lease", "renew_leases", list(self._ours), self._holder, LEASE_SECONDS
            )

    def _note_ended(self) -> None:
        """Look at the leases that ended, or at all if notifications may be lost."""
        # No sign that reading works: a store may have no events, or lose them silently.
        for each in self.call("events", "ended_leases", returns=list):
            match each:
                case (None, _):
                    for wait in self._waiting.values():
                        wait.look_at = 0.0
                case (Origin() as origin, failed) if origin in self._waiting:
                    self._waiting[origin].look_at = 0.0
                    if failed:
                        self._settle(origin, None)

    def _look(self, origin: Origin) -> None:
        """End the wait for *origin* with what is stored by now, or try its lease."""
        policy = self._read_fresh(origin)
        # In this order: of many that wait, each would take and end the lease in turn.
        if policy is None:
            self._try_lease(origin)
        else:
            self._settle(origin, policy)

    def _try_lease(self, origin: Origin) -> None:
        """End the wait for *origin* if its lease is free, or its fetch failed."""
        wait, policy = self._waiting[origin], None
        # If the store fails, each worker continues by itself.
        with suppress(NoAnswer):
            lease, now = self._lease(origin), time.monotonic()
            if lease.granted:
                # Its last holder may have ended after our first check.
                policy = self._read_fresh(origin)
            elif not lease.failed and now <= wait.give_up:
                # A holder that lives renews it before that. In this order, for a
                # store may return NaN.
                pause = max(LOOK_AGAIN_SECONDS, lease.seconds_left + TICK_SECONDS)
                wait.look_at = now + min(2 * LEASE_SECONDS, pause)
                return
        self._settle(origin, policy)
        if policy is not None:
            self._end(origin)

    def _lease(self, origin: Origin) -> Lease:
        """Take the lease of *origin* if it is free."""
        if not isinstance(self.store(), SharedStore):
            # No other worker knows of this store: fetch at once, as after a failure.
            return Lease(granted=False, failed=True)
        args = origin, self._holder, LEASE_SECONDS
        lease: Lease = self.call("lease", "acquire_lease", *args, returns=Lease)
        if lease.granted:
            self._ours[origin] = time.monotonic() + self._max_fetch_seconds
        return lease

    def _end(self, origin: Origin, failed_for: float = 0.0) -> None:
        """End our lease of *origin*, if there is one."""
        if self._ours.pop(origin, None) is not None:
            args = origin, self._holder
            with suppress(NoAnswer):
                self.call("lease", "release_lease", *args, failed_for=failed_for)

    def _settle(self, origin: Origin, policy: Policy | None) -> None:
        """End the wait for the lease of *origin*."""
        set_result(self._waiting.pop(origin).future, policy)

    def _entry(self, origin: Origin) -> bytes | None:
        """Return the bytes stored for *origin*."""
        entry: bytes | None = self.call("read", "get", origin, returns=_ENTRY_TYPES)
        return entry

    def _read(self, origin: Origin) -> Policy | None:
        """Return the stored policy of *origin* if the store answers, and it is not over."""
        policy = None
        with suppress(NoAnswer):
            entry = self._entry(origin)
            policy = entry and self._decode(entry, origin)
        return policy if policy and policy.keep_until > self._clock() else None

    def _read_fresh(self, origin: Origin) -> Policy | None:
        """Return the stored policy of *origin* if it is fresh."""
        policy = self._read(origin)
        return policy if policy and policy.is_fresh(self._clock()) else None

    def _write(self, policy: Policy) -> bool:
        """Store *policy* for other crawls; return whether they can use it."""
        if not policy.may_be_shared or not self._may_replace(policy):
            return False
        if policy.keep_until <= self._clock():
            # It is over by now; nothing older stays in its place either.
            self.call("write", "forget", policy.origin)
            return False
        entry = encode(policy)
        if len(entry) > MAX_ENTRY_BYTES:
            return False
        self.call("write", "put", Stored(policy.origin, entry, policy.keep_until))
        # One that is stale at once (TTL 0) ends no wait: each worker fetches its own.
        return policy.is_fresh(self._clock())

    def _may_replace(self, policy: Policy) -> bool:
        """Return whether *policy* may take the place of what is stored.

        Ours R5: what the origin said always may. What we set ourselves must not end the
        last good policy, which a failed read or another crawl may have hidden from us.
        """
        if policy.is_known and not policy.is_stale_on_error:
            return True
        entry, now = self._entry(policy.origin), self._clock()
        stored = entry and self._decode(entry, policy.origin)
        if not stored:
            # Of another version, or longer than we read: it is not ours to judge.
            return entry is None
        is_good = stored.is_known and now < stored.keep_until
        # One from the future is not newer: the clock went back.
        is_newer = policy.fetched_at < stored.fetched_at <= now + CLOCK_SKEW
        return not (is_good and (is_newer or not policy.is_known))
