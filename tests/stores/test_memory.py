"""The memory store: the contract, and its limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.origin import Origin
from tests.policy.samples import SITE, parsed, unreachable
from tests.stores.clock import FakeClock
from tests.stores.contract import StoreContract
from tests.stores.guarded_store import ListedMemory

if TYPE_CHECKING:
    from pathlib import Path


def host(number: int) -> Origin:
    """Return the origin with *number* in its host name."""
    return Origin("http", f"host{number}.example", 80)


class TestListedMemory(StoreContract):
    """The memory store fulfils the contract of all stores."""

    def new_store(self, clock: FakeClock, folder: Path) -> ListedMemory:
        """Make a store for ten origins."""
        return ListedMemory(10, clock)


def test_number_of_origins_is_limited() -> None:
    """The store has at most `max_origins` policies, the latest ones."""
    store = ListedMemory(3, FakeClock())

    for number in range(50):
        store.put(parsed(origin=host(number)))
        assert len(store) <= 3

    assert {policy.origin for policy in store} == {host(47), host(48), host(49)}


def test_least_recently_used_policy_is_evicted_first() -> None:
    """Looking up an origin counts as use."""
    store = ListedMemory(2, FakeClock())
    store.put(parsed(origin=host(1)))
    store.put(parsed(origin=host(2)))

    store.get(host(1))
    store.put(parsed(origin=host(3)))

    assert {policy.origin for policy in store} == {host(1), host(3)}


def test_memory_in_bytes_is_limited() -> None:
    """Large files evict the least recently used; the last one stays, whatever its size."""
    store = ListedMemory(1_000, FakeClock(), max_bytes=100_000)

    for number in range(50):
        rules = b"".join(b"Disallow: /%d/%d\n" % (number, n) for n in range(1_000))
        store.put(parsed(body=b"User-agent: *\n" + rules, origin=host(number)))
        assert store.memory_bytes <= 100_000 or len(store) == 1

    assert 1 <= len(store) < 50
    assert host(49) in {policy.origin for policy in store}


@pytest.mark.parametrize("name", ["final_url", "etag", "last_modified"])
def test_validators_and_final_url_are_counted(name: str) -> None:
    """A server may send 16 KB in a header, for each of a thousand host names."""
    store = ListedMemory(1_000, FakeClock(), max_bytes=100_000)
    more: Any = {name: "x" * 16_000}

    for number in range(50):
        store.put(replace(parsed(origin=host(number)), **more))
    assert 1 < len(store) <= 100_000 // 16_000

    for number in range(50):
        store.forget(host(number))
    assert store.memory_bytes == 0


def test_file_shared_by_origins_is_counted_once() -> None:
    """Platforms serve one file from thousands of origins."""
    store = ListedMemory(1_000, FakeClock())
    first = parsed(body=b"User-agent: *\n" + b"Disallow: /x\n" * 5_000, origin=host(0))
    store.put(first)
    alone = store.memory_bytes

    for number in range(1, 20):
        store.put(replace(first, origin=host(number)))
    assert store.memory_bytes < alone + 20 * 2_000

    for number in range(20):
        store.forget(host(number))
    assert store.memory_bytes == 0


def test_compiled_rules_are_counted_after_measure() -> None:
    """A policy is put before its rules are compiled."""
    store = ListedMemory(10, FakeClock())
    rules = b"".join(b"Disallow: /%d\n" % number for number in range(2_000))
    policy = parsed(body=b"User-agent: *\n" + rules)
    store.put(policy)
    before = store.memory_bytes

    policy.rules("rex")
    store.measure(policy)
    assert store.memory_bytes > before

    store.forget(policy.origin)
    assert store.memory_bytes == 0


def test_replacing_a_policy_evicts_no_other() -> None:
    """A full store replaces the policy of a known origin, and keeps all others."""
    store = ListedMemory(2, FakeClock())
    store.put(parsed(origin=host(1)))
    store.put(parsed(origin=host(2)))

    store.put(unreachable(origin=host(1)))

    assert {policy.origin for policy in store} == {host(1), host(2)}


def test_policy_that_expires_during_lookup_is_not_an_error() -> None:
    """A policy may expire between two readings of the clock."""
    policy = unreachable()
    ticking = FakeClock(policy.keep_until - 2.5, tick=1.0)
    store = ListedMemory(2, ticking)
    store.put(policy)

    answers = [store.get(SITE) for _ in range(5)]
    store.forget(SITE)

    assert answers[-1] is None
    assert list(store) == []
