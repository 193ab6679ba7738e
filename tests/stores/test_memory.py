"""The memory store: the contract, and its bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import MemoryStore
from tests.policy.samples import NOW, SITE, parsed, unreachable
from tests.stores.clock import FakeClock
from tests.stores.contract import StoreContract

if TYPE_CHECKING:
    from pathlib import Path


def host(number: int) -> Origin:
    """Name the origin of a number."""
    return Origin("http", f"host{number}.example", 80)


class TestMemoryStore(StoreContract):
    """The memory store keeps the contract of all stores."""

    def new_store(self, clock: FakeClock, folder: Path) -> MemoryStore:
        """Make a store of ten."""
        return MemoryStore(10, clock)


def test_it_never_holds_more_than_its_bound() -> None:
    """However many origins a crawl meets, memory holds at most `max_origins`."""
    store = MemoryStore(3, FakeClock())

    for number in range(50):
        store.put(parsed(origin=host(number)))
        assert len(store) <= 3

    assert {policy.origin for policy in store} == {host(47), host(48), host(49)}


def test_the_least_recently_used_goes_first() -> None:
    """An origin that was asked for a moment ago outlives one that was not."""
    store = MemoryStore(2, FakeClock())
    store.put(parsed(origin=host(1)))
    store.put(parsed(origin=host(2)))

    store.get(host(1))
    store.put(parsed(origin=host(3)))

    assert {policy.origin for policy in store} == {host(1), host(3)}


def test_what_is_over_makes_room_before_what_is_not() -> None:
    """An expired policy goes first, though it was used more recently."""
    clock = FakeClock()
    store = MemoryStore(2, clock)
    store.put(parsed(origin=host(1)))
    store.put(unreachable(origin=host(2)))

    clock.now = NOW + 300
    store.put(parsed(origin=host(3), at=clock.now))

    assert {policy.origin for policy in store} == {host(1), host(3)}


def test_replacing_puts_nobody_out() -> None:
    """A full store takes a newer policy of an origin it holds, and keeps the rest."""
    store = MemoryStore(2, FakeClock())
    store.put(parsed(origin=host(1)))
    store.put(parsed(origin=host(2)))

    store.put(unreachable(origin=host(1)))

    assert {policy.origin for policy in store} == {host(1), host(2)}


def test_a_policy_that_ends_while_it_is_looked_up_is_no_error() -> None:
    """Between two readings of the clock a policy may run out; then it is gone."""
    policy = unreachable()
    ticking = FakeClock(policy.keep_until - 2.5, tick=1.0)
    store = MemoryStore(2, ticking)
    store.put(policy)

    answers = [store.get(SITE) for _ in range(3)]
    store.forget(SITE)

    assert answers[-1] is None
    assert list(store) == []
