"""Leases: of all workers that want to fetch an origin, one does and the others wait."""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from scrapy_robots1994.stores.base import Lease, SharedStore
from scrapy_robots1994.stores.worker import NoAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Policy
    from scrapy_robots1994.stores.policies import StoredPolicies

LEASE_SECONDS: Final = 10.0
"""Seconds after its last renewal when the lease of a dead worker runs out."""

RENEW_SECONDS: Final = LEASE_SECONDS / 4
LOOK_AGAIN_SECONDS: Final = 1.0
"""Seconds after which a worker looks again at the earliest, if it is not notified."""

TICK_SECONDS: Final = 0.25


Settle: TypeAlias = "Callable[[Policy | None], None]"


@dataclass(frozen=True, slots=True)
class Ended:
    """A job: the lease of *origin* ended; of any, if it is `None`."""

    origin: Origin | None
    failed: bool


@dataclass(slots=True)
class _Waiting:
    """A worker's wait for the lease of an origin; *settle* ends it."""

    settle: Settle
    give_up: float
    look_at: float = 0.0


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

    def acquire(self, wanted: Mapping[Origin, Settle]) -> None:
        """Call *settle* of each origin with `None` once this process may fetch it.

        Or with the fresh policy that another worker made meanwhile.
        """
        store = self._worker.store
        if not wanted or not isinstance(store, SharedStore):
            for settle in wanted.values():
                settle(None)
            return
        # Registered before the store is asked, so that no notification is missed.
        give_up = time.monotonic() + self._max_fetch_seconds
        for origin, settle in wanted.items():
            self._waiting[origin] = _Waiting(settle, give_up)
        if not self._is_listening:
            self._is_listening = True
            # Without notifications, a worker looks again after a while.
            with suppress(NoAnswer):
                self._worker.call(self._policies.reading, store.listen, self._on_end)
        self._try(list(wanted))

    def release(self, origins: Collection[Origin], *, failed: bool) -> None:
        """End our leases of *origins*, or our waits for them.

        If the fetches *failed*, those who wait fetch at once and in parallel: waiting
        for each other, they would pay for a dead origin one after the other.
        """
        for origin in origins:
            self._waiting.pop(origin, None)
        ours = [each for each in origins if self._ours.pop(each, None) is not None]
        store = self._worker.store
        if isinstance(store, SharedStore):
            failed_for = LEASE_SECONDS if failed else 0.0
            unlease = partial(store.unlease_many, failed_for=failed_for)
            self._worker.call_many(self._policies.writing, unlease, ours, self._holder)

    def release_all(self) -> None:
        """End our leases: the crawl closes, and other workers take over."""
        self.release(list(self._ours), failed=False)

    def tick(self) -> float | None:
        """Renew leases and look again at those of others, each when it is time.

        Return the seconds until the next call, `None` if there are no leases.
        """
        if not self._ours and not self._waiting:
            return None
        now = time.monotonic()
        if now >= self._next_tick:
            self._next_tick = now + TICK_SECONDS
            if now >= self._next_renewal:
                self._next_renewal = now + RENEW_SECONDS
                with suppress(NoAnswer):
                    self._renew(now)
            self._try([o for o, each in self._waiting.items() if each.look_at <= now])
        return TICK_SECONDS

    def ended(self, failed: Mapping[Origin | None, bool]) -> None:
        """Look for the policies of origins whose lease ended; of all, if `None`.

        *failed* says of each whether its fetch failed.
        """
        waiting = self._waiting if None in failed else self._waiting.keys() & failed
        origins = list(waiting)
        try:
            policies = self._policies.read_fresh(origins)
        except NoAnswer:
            for origin in origins:
                self._settle(origin, None)
            return
        again = []
        for origin in origins:
            if origin in policies or failed.get(origin):
                self._settle(origin, policies.get(origin))
            else:
                again.append(origin)
        self._try(again)

    def _renew(self, now: float) -> None:
        """Renew our leases, but those that another worker has taken over."""
        origins = list(self._ours)
        for origin, lease in zip(origins, self._lease(origins), strict=True):
            if now > self._ours[origin] or not lease.granted:
                del self._ours[origin]

    def _lease(self, origins: list[Origin]) -> list[Lease]:
        """Take the leases of *origins* that are free."""
        store = self._worker.store
        assert isinstance(store, SharedStore)  # noqa: S101 - `acquire` looked
        arguments = (self._holder, LEASE_SECONDS)
        return self._worker.call_many(
            self._policies.writing,
            store.lease_many,
            origins,
            *arguments,
            returns=Lease,
        )

    def _try(self, origins: list[Origin]) -> None:
        """Take the leases that are free, and note when to look at the others again."""
        now = time.monotonic()
        granted = []
        try:
            for origin, lease in zip(origins, self._lease(origins), strict=True):
                if lease.granted:
                    self._ours[origin] = now + self._max_fetch_seconds
                    granted.append(origin)
                elif lease.failed or now > self._waiting[origin].give_up:
                    self._settle(origin, None)
                else:
                    # A holder that lives renews it before that.
                    pause = max(lease.seconds_left + TICK_SECONDS, LOOK_AGAIN_SECONDS)
                    look_at = now + min(pause, 2 * LEASE_SECONDS)
                    self._waiting[origin].look_at = look_at
            # Their last holders may have ended after our first look.
            policies = self._policies.read_fresh(granted)
            for origin in granted:
                self._settle(origin, policies.get(origin))
            self.release(list(policies), failed=False)
        except NoAnswer:
            # The store failed: each worker continues by itself.
            for origin in origins:
                self._settle(origin, None)

    def _settle(self, origin: Origin, policy: Policy | None) -> None:
        """End the wait for the lease of *origin*."""
        waiting = self._waiting.pop(origin, None)
        if waiting is not None:
            waiting.settle(policy)

    def _on_end(self, origin: Origin | None, failed: bool) -> None:  # noqa: FBT001 - see `SharedStore.listen`
        """Take a notification of the store, in whichever thread it comes."""
        if origin is None or origin in self._waiting:
            self._worker.submit(Ended(origin, failed))
