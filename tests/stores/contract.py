"""The contract of every store; the tests of each store inherit `StoreContract`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings
from tests.policy.samples import BODY, DAY, NOW, SITE, parsed
from tests.stores.clock import FakeClock
from tests.stores.guarded_store import SyncStore, unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy_robots1994.policy import Policy

OTHER = Origin("https", "other.example", 8443)
KEEP_SECONDS = DAY + 30 * DAY


class SynchronousStore(Protocol):
    """What the contract applies to: the memory store, or a guarded store."""

    def get(self, origin: Origin) -> Policy | None:
        """Return the stored policy."""

    def put(self, policy: Policy) -> None:
        """Store *policy*."""

    def forget(self, origin: Origin) -> object:
        """Delete the policy of *origin*."""

    def __iter__(self) -> Iterator[Policy]:
        """Iterate over every stored policy."""

    def __len__(self) -> int:
        """Return the number of stored policies."""


class StoreContract(ABC):
    """A store has one policy per origin, each until its own `keep_until`."""

    @abstractmethod
    def new_store(self, clock: FakeClock, folder: Path) -> SynchronousStore:
        """Make an empty store with room for all policies; *folder* is for its files."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        """Make the clock that the store reads."""
        return FakeClock()

    @pytest.fixture
    def store(self, clock: FakeClock, tmp_path: Path) -> Iterator[SynchronousStore]:
        """Make an empty store, and close it if it can be closed."""
        store = self.new_store(clock, tmp_path)
        yield store
        if isinstance(store, SyncStore):
            store.close()

    def test_unknown_origin_has_no_policy(self, store: SynchronousStore) -> None:
        """The result is `None`: not an error, and not a policy that allows everything."""
        assert store.get(SITE) is None
        assert len(store) == 0
        assert list(store) == []

    def test_stored_policy_is_returned(self, store: SynchronousStore) -> None:
        """An equal policy is returned, for its own origin only."""
        policy = parsed()

        store.put(policy)

        assert store.get(SITE) == policy
        assert store.get(OTHER) is None
        assert list(store) == [policy]

    @pytest.mark.parametrize(
        "other",
        [
            Origin("https", SITE.host, SITE.port),
            Origin(SITE.scheme, "www." + SITE.host, SITE.port),
            Origin(SITE.scheme, SITE.host, 8080),
        ],
    )
    def test_scheme_host_and_port_are_distinguished(
        self, store: SynchronousStore, other: Origin
    ) -> None:
        """Origins that differ in one of the three have separate policies."""
        store.put(parsed())

        assert store.get(other) is None

    def test_newer_policy_replaces_the_older(self, store: SynchronousStore) -> None:
        """One origin has one policy: the one that was put last."""
        newer = parsed(body=BODY + b"Disallow: /too\n", lifetime=DAY / 2)
        store.put(parsed())

        store.put(newer)

        assert store.get(SITE) == newer
        assert len(store) == 1

    def test_policy_that_expires_at_once_deletes_the_older(
        self, store: SynchronousStore
    ) -> None:
        """Neither the expired policy nor the older one is returned."""
        store.put(parsed())

        store.put(
            parsed(freshness=FreshnessSettings(ttl=0, min_ttl=0, stale_if_error=0))
        )

        assert store.get(SITE) is None
        assert len(store) == 0

    def test_each_policy_expires_at_its_keep_until(
        self, store: SynchronousStore, clock: FakeClock
    ) -> None:
        """A policy is stored until its `keep_until`, fresh or stale."""
        store.put(parsed())
        store.put(unavailable(origin=OTHER))

        clock.now = NOW + 300
        assert [store.get(origin) is None for origin in (SITE, OTHER)] == [False, True]
        clock.now = NOW + KEEP_SECONDS - 0.001
        assert store.get(SITE) is not None
        clock.now = NOW + KEEP_SECONDS
        assert store.get(SITE) is None
        assert list(store) == []

    def test_replacement_has_its_own_expiry(
        self, store: SynchronousStore, clock: FakeClock
    ) -> None:
        """The expiry of a replaced policy does not apply to the new one."""
        store.put(unavailable())
        store.put(parsed())

        clock.now = NOW + 300

        assert store.get(SITE) == parsed()

    def test_forgotten_policy_is_not_returned(self, store: SynchronousStore) -> None:
        """Other origins are not affected; forgetting a second time is not an error."""
        store.put(parsed())
        store.put(parsed(origin=OTHER))

        store.forget(SITE)
        store.forget(SITE)

        assert [policy.origin for policy in store] == [OTHER]

    def test_expired_policy_can_be_forgotten(
        self, store: SynchronousStore, clock: FakeClock
    ) -> None:
        """Forgetting a policy past its `keep_until` is not an error."""
        store.put(parsed())
        clock.now = NOW + KEEP_SECONDS

        store.forget(SITE)

        assert len(store) == 0

    def test_store_may_change_during_iteration(self, store: SynchronousStore) -> None:
        """The caller may forget and put policies while it iterates."""
        store.put(parsed())
        store.put(parsed(origin=OTHER))

        for policy in store:
            store.forget(policy.origin)
            store.put(replace(policy, is_stale_on_error=True))

        assert all(policy.is_stale_on_error for policy in store)
        assert len(store) == 2

    def test_clock_set_back_expires_no_policy(
        self, store: SynchronousStore, clock: FakeClock
    ) -> None:
        """Stored policies stay; one put afterwards expires by the new time."""
        store.put(parsed())
        clock.now = NOW - DAY
        store.put(unavailable(origin=OTHER, at=clock.now))

        assert store.get(SITE) == parsed()
        clock.now += 300
        assert [policy.origin for policy in store] == [SITE]
