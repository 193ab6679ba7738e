"""The bytes that the memory store counts. Its bounds are tested by crawls."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import MemoryStore
from tests.unit.clock import FakeClock
from tests.unit.samples import SITE, parsed, unreachable


def host(number: int) -> Origin:
    """Return the origin with *number* in its host name."""
    return Origin("http", f"host{number}.example", 80)


@pytest.mark.parametrize("name", ["final_url", "etag", "last_modified"])
def test_validators_and_final_url_are_counted(name: str) -> None:
    """A server may send 16 KB in a header, for each of a thousand host names."""
    store = MemoryStore(1_000, FakeClock(), max_bytes=100_000)
    more: Any = {name: "x" * 16_000}

    for number in range(50):
        store.put(replace(parsed(origin=host(number)), **more))
    left = [number for number in range(50) if store.get(host(number))]
    assert 1 < len(left) <= 100_000 // 16_000

    for number in left:
        store.forget(host(number))
    assert store.memory_bytes == 0


def test_file_shared_by_origins_is_counted_once() -> None:
    """Platforms serve one file from thousands of origins."""
    store = MemoryStore(1_000, FakeClock())
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
    store = MemoryStore(10, FakeClock())
    rules = b"".join(b"Disallow: /%d\n" % number for number in range(2_000))
    policy = parsed(body=b"User-agent: *\n" + rules)
    store.put(policy)
    before = store.memory_bytes

    policy.rules("rex")
    store.measure(policy)
    assert store.memory_bytes > before

    store.forget(policy.origin)
    assert store.memory_bytes == 0


def test_policy_is_over_at_its_end() -> None:
    """It may even run out between two readings of the clock."""
    policy = unreachable()
    store = MemoryStore(2, FakeClock(policy.keep_until - 2.5, tick=1.0))
    store.put(policy)

    answers = [store.get(SITE) for _ in range(5)]

    assert answers == [policy, policy, policy, None, None]
