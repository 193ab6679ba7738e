"""What every store promises; the tests of each store inherit this class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings
from tests.policy.samples import BODY, DAY, NOW, SITE, parsed
from tests.stores.clock import FakeClock
from tests.stores.lasting import SyncStore, busy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from scrapy_robots1994.policy import Policy

OTHER = Origin("https", "other.example", 8443)
KEEP_SECONDS = DAY + 30 * DAY


class Holder(Protocol):
    """What the contract is about: memory, or a store behind its guard."""

    def get(self, origin: Origin) -> Policy | None:
        """Return the stored policy."""

    def put(self, policy: Policy) -> None:
        """Hold *policy*."""

    def forget(self, origin: Origin) -> object:
        """Hold nothing of *origin*."""

    def __iter__(self) -> Iterator[Policy]:
        """Return every stored policy."""

    def __len__(self) -> int:
        """Return the number of stored policies."""


class StoreContract(ABC):
    """Holds policies by origin, each until its own `keep_until`."""

    @abstractmethod
    def new_store(self, clock: FakeClock, folder: Path) -> Holder:
        """Make an empty store that is large enough; *folder* is its own."""

    @pytest.fixture
    def clock(self) -> FakeClock:
        """Make the clock that the store reads."""
        return FakeClock()

    @pytest.fixture
    def store(self, clock: FakeClock, tmp_path: Path) -> Iterator[Holder]:
        """Make an empty store, and close it where it has an end."""
        store = self.new_store(clock, tmp_path)
        yield store
        if isinstance(store, SyncStore):
            store.close()

    def test_unknown_origin_has_no_policy(self, store: Holder) -> None:
        """An unknown origin is `None`, not an error and not an open site."""
        assert store.get(SITE) is None
        assert len(store) == 0
        assert list(store) == []

    def test_stored_policy_is_returned(self, store: Holder) -> None:
        """A policy comes back equal, and for its own origin only."""
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
        self, store: Holder, other: Origin
    ) -> None:
        """Origins that differ in one of the three have two policies."""
        store.put(parsed())

        assert store.get(other) is None

    def test_a_newer_policy_replaces_the_older(self, store: Holder) -> None:
        """One origin has one policy: the last that was put, with its own end."""
        newer = parsed(body=BODY + b"Disallow: /too\n", lifetime=DAY / 2)
        store.put(parsed())

        store.put(newer)

        assert store.get(SITE) == newer
        assert len(store) == 1

    def test_a_policy_that_is_over_at_once_replaces_too(self, store: Holder) -> None:
        """After a policy that is not worth keeping, the older one is gone as well."""
        store.put(parsed())

        store.put(
            parsed(freshness=FreshnessSettings(ttl=0, min_ttl=0, stale_if_error=0))
        )

        assert store.get(SITE) is None
        assert len(store) == 0

    def test_each_policy_goes_at_its_own_end(
        self, store: Holder, clock: FakeClock
    ) -> None:
        """It is stored until its `keep_until`, fresh or stale."""
        store.put(parsed())
        store.put(busy(origin=OTHER))

        clock.now = NOW + 300
        assert [store.get(origin) is None for origin in (SITE, OTHER)] == [False, True]
        clock.now = NOW + KEEP_SECONDS - 0.001
        assert store.get(SITE) is not None
        clock.now = NOW + KEEP_SECONDS
        assert store.get(SITE) is None
        assert list(store) == []

    def test_a_replaced_policy_takes_its_end_with_it(
        self, store: Holder, clock: FakeClock
    ) -> None:
        """A policy put in place of a shorter one lives as long as it says itself."""
        store.put(busy())
        store.put(parsed())

        clock.now = NOW + 300

        assert store.get(SITE) == parsed()

    def test_forgotten_policy_is_not_returned(self, store: Holder) -> None:
        """Forgetting one origin leaves the others; a second time is no error."""
        store.put(parsed())
        store.put(parsed(origin=OTHER))

        store.forget(SITE)
        store.forget(SITE)

        assert [policy.origin for policy in store] == [OTHER]

    def test_expired_policy_can_be_forgotten(
        self, store: Holder, clock: FakeClock
    ) -> None:
        """Forgetting a policy past its end is no error either."""
        store.put(parsed())
        clock.now = NOW + KEEP_SECONDS

        store.forget(SITE)

        assert len(store) == 0

    def test_walking_through_the_store_may_change_it(self, store: Holder) -> None:
        """Who goes through all policies may forget and put on the way."""
        store.put(parsed())
        store.put(parsed(origin=OTHER))

        for policy in store:
            store.forget(policy.origin)
            store.put(replace(policy, is_stale_on_error=True))

        assert all(policy.is_stale_on_error for policy in store)
        assert len(store) == 2

    def test_a_clock_that_goes_back_loses_nothing(
        self, store: Holder, clock: FakeClock
    ) -> None:
        """Stored policies stay; a policy put later has its own end."""
        store.put(parsed())
        clock.now = NOW - DAY
        store.put(busy(origin=OTHER, at=clock.now))

        assert store.get(SITE) == parsed()
        clock.now += 300
        assert [policy.origin for policy in store] == [SITE]
