"""Leases: of all workers that want to fetch an origin, one does and the others wait."""

from __future__ import annotations

import math
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from scrapy_robots1994.stores.base import Lease, SharedStore
from scrapy_robots1994.stores.worker import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.stores.policies import StoredPolicies

LEASE_SECONDS: Final = 5.0
"""Seconds after its last renewal when the lease of a dead worker runs out."""

RENEW_SECONDS: Final = 0.4 * LEASE_SECONDS
LOOK_AGAIN_SECONDS: Final = 1.0
"""Seconds after which a worker looks again at the earliest, if it is not notified."""

TICK_SECONDS: Final = 0.25


@dataclass(slots=True)
class _Waiting:
    """A worker's wait for the lease of an origin; *settle* ends it."""

    settle: Callable[[Policy | None], None]
    give_up: float
    look_at: float = math.inf


class Leases:
    """The leases that this process has, and those it waits for.

    Methods run in the thread of the store. They never wait there: a refused lease is
    looked at again when it ends or runs out. No lease is renewed, and none waited for,
    longer than *max_fetch_seconds*.
    """

    def __init__(self, policies: StoredPolicies, max_fetch_seconds: float) -> None:
        self._policies = policies
        self._worker = policies.worker
        self._max_fetch_seconds = max_fetch_seconds
        self._holder = uuid.uuid4().hex
        self._ours: dict[Origin, float] = {}
        self._waiting: dict[Origin, _Waiting] = {}
        self._is_listening = False
        self._next_tick = self._next_renewal = 0.0

    def acquire(self, origin: Origin, settle: Callable[[Policy | None], None]) -> None:
        """Call *settle* with `None` once this process may fetch *origin*.

        Or with the fresh policy that another worker made meanwhile.
        """
        store = self._worker.store
        if not isinstance(store, SharedStore):
            settle(None)
            return
        if not self._is_listening:
            self._is_listening = True
            self._worker.call(self._policies.reading, store.listen, self._on_end)
        # Registered before the store is asked, so that no notification is missed.
        give_up = time.monotonic() + self._max_fetch_seconds
        self._waiting[origin] = _Waiting(settle, give_up)
        self._try(origin)

    def release(self, origin: Origin, *, failed: bool) -> None:
        """End our lease of *origin*, or our wait for it.

        If the fetch *failed*, those who wait fetch at once and in parallel: waiting for
        each other, they would pay for a dead origin one after the other.
        """
        self._waiting.pop(origin, None)
        if self._ours.pop(origin, None) is not None:
            failed_for = LEASE_SECONDS if failed else 0.0
            store = self._worker.store
            assert isinstance(store, SharedStore)  # noqa: S101 - it has granted a lease
            unlease = partial(store.unlease, failed_for=failed_for)
            self._worker.call(self._policies.writing, unlease, origin, self._holder)

    def release_all(self) -> None:
        """End our leases: the crawl closes, and other workers take over."""
        for origin in list(self._ours):
            self.release(origin, failed=False)

    def tick(self) -> float | None:
        """Renew leases and look again at those of others, each when it is time.

        Return the seconds until the next call, `None` if there are no leases.
        """
        if not self._ours and not self._waiting:
            return None
        now = time.monotonic()
        if now >= self._next_tick:
            self._next_tick = now + TICK_SECONDS
            due = [o for o, each in self._waiting.items() if each.look_at <= now]
            for origin in due:
                self._try(origin)
            if now >= self._next_renewal:
                self._next_renewal = now + RENEW_SECONDS
                with suppress(NoAnswer):
                    self._renew(now)
        return TICK_SECONDS

    def _renew(self, now: float) -> None:
        """Renew our leases, but those that another worker has taken over."""
        for origin, until in list(self._ours.items()):
            if now > until or not self._lease(origin).granted:
                del self._ours[origin]

    def _lease(self, origin: Origin) -> Lease:
        """Take the lease of *origin* if it is free."""
        store = self._worker.store
        assert isinstance(store, SharedStore)  # noqa: S101 - `acquire` looked
        arguments = (origin, self._holder, LEASE_SECONDS)
        return self._worker.call(
            self._policies.writing, store.lease, *arguments, returns=Lease
        )

    def _try(self, origin: Origin) -> None:
        """Take the lease of *origin* if it is free, or note when to look again."""
        waiting = self._waiting[origin]
        now = time.monotonic()
        try:
            lease = self._lease(origin)
            if lease.granted:
                self._ours[origin] = now + self._max_fetch_seconds
                # Its last holder may have ended after our first look.
                policy = self._policies.read_fresh(origin)
                self._settle(origin, policy)
                if policy is not None:
                    self.release(origin, failed=False)
            elif lease.failed or now > waiting.give_up:
                self._settle(origin, None)
            else:
                # A holder that lives renews it before that.
                pause = max(lease.seconds_left + TICK_SECONDS, LOOK_AGAIN_SECONDS)
                waiting.look_at = now + min(pause, 2 * LEASE_SECONDS)
        except NoAnswer:
            # The store failed: each worker continues by itself.
            self._settle(origin, None)

    def _settle(self, origin: Origin, policy: Policy | None) -> None:
        """End the wait for the lease of *origin*."""
        waiting = self._waiting.pop(origin, None)
        if waiting is not None:
            waiting.settle(policy)

    def _on_end(self, origin: Origin | None, failed: bool) -> None:  # noqa: FBT001 - see `SharedStore.listen`
        """Take a notification of the store, in whichever thread it comes."""
        if origin is None or origin in self._waiting:
            self._worker.submit(partial(self._ended, origin, failed=failed))

    def _ended(self, origin: Origin | None, *, failed: bool) -> None:
        """Look for the policy of an origin whose lease ended; of all, if `None`."""
        for each in list(self._waiting) if origin is None else [origin]:
            if each not in self._waiting:
                continue
            try:
                policy = self._policies.read_fresh(each)
            except NoAnswer:
                policy, failed = None, True
            if policy is not None or failed:
                self._settle(each, policy)
            else:
                self._try(each)
