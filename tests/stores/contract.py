"""Tests that every store must pass.

Inherit from `StoreContract`, or from `LeasingContract` if your store has leases, and let `url`
return the URL of an empty store.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import cast

import pytest

from scrapy_robots1994 import open_store
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, LeasingStore, Store

SITE = "http://site.example"
OTHERS = (
    "https://site.example",
    "http://www.site.example",
    "http://site.example:8080",
    "http://[::1]:8080",
    # This origin exceeds the 255 bytes of a file name once its `:` and `/` are escaped.
    "http://" + ".".join(["a" * 61] * 4)[:247],
)
ENTRY = bytes(range(256)) * 4
LATER = 9e9

SIZE = 200_000
WRITER = f"""
import sys
from itertools import count
from scrapy_robots1994 import open_store
store = open_store(sys.argv[1])
for number in count():
    store.put(f"http://host{{number % 3}}.example", bytes([number % 256]) * {SIZE}, {LATER})
    print(number, flush=True)
"""
"""A script that puts entries until it is killed. Each entry repeats one byte."""


class StoreContract(ABC):
    """A store returns the last bytes that were put for an origin."""

    @abstractmethod
    def url(self, folder: Path) -> str:
        """Return the URL of an empty store, which may use the empty *folder*."""

    @pytest.fixture
    def store_url(self, tmp_path: Path) -> str:
        return self.url(tmp_path)

    @pytest.fixture
    def store(self, store_url: str) -> Iterator[Store]:
        with closing(open_store(store_url)) as store:
            yield store

    def test_store_is_closed_without_being_used(self, store_url: str) -> None:
        open_store(store_url).close()

    @pytest.mark.parametrize("entry", [ENTRY, b"\0", b"x" * 10**6], ids=len)
    @pytest.mark.parametrize("keep_until", [LATER, 1e17, float("inf")])
    def test_entry_is_returned_as_it_was_put(
        self, store: Store, entry: bytes, keep_until: float
    ) -> None:
        """An entry may contain any bytes and may be kept forever."""
        assert store.get(SITE) is None
        store.put(SITE, entry, keep_until)

        assert store.get(SITE) == entry

    @pytest.mark.parametrize("other", OTHERS)
    def test_origins_are_told_apart(self, store: Store, other: str) -> None:
        store.put(SITE, ENTRY, LATER)
        assert store.get(other) is None
        store.put(other, b"other", LATER)

        assert (store.get(SITE), store.get(other)) == (ENTRY, b"other")

    def test_newer_entry_replaces_the_older(self, store: Store) -> None:
        """The newer entry is still there when the older one would have expired."""
        store.put(SITE, ENTRY, time.time() + 1)
        store.put(SITE, b"newer", LATER)
        # The Redis store keeps entries for at least a second.
        time.sleep(1.2)

        assert store.get(SITE) == b"newer"

    def test_entry_that_is_over_hides_the_older(self, store: Store) -> None:
        """A store may still return an expired entry, but not the one that this entry replaced."""
        store.put(SITE, b"older", LATER)
        store.put(SITE, ENTRY, time.time() - 1)

        assert store.get(SITE) in (None, ENTRY)

    def test_too_large_entry_is_not_read(self, store: Store) -> None:
        largest = b"x" * MAX_ENTRY_BYTES
        store.put(SITE, largest, LATER)
        assert store.get(SITE) == largest
        # A store may raise any exception to reject an entry.
        with suppress(Exception):
            store.put(OTHERS[0], largest * 6, LATER)
        del largest

        tracemalloc.start()
        try:
            assert store.get(OTHERS[0]) is None
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 4 * MAX_ENTRY_BYTES

    def test_killed_writer_leaves_whole_entries(
        self, store: Store, store_url: str
    ) -> None:
        """An interrupted put leaves the older entry, or none."""
        for puts in (1, 4, 9):
            command = [sys.executable, "-c", WRITER, store_url]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
                assert writer.stdout is not None
                for _ in range(puts):
                    writer.stdout.readline()
                writer.kill()

            entries = [store.get(f"http://host{number}.example") for number in range(3)]
            whole = [entry for entry in entries if entry is not None]
            assert len(whole) >= min(puts, 3)
            assert all(len(entry) == SIZE and len(set(entry)) == 1 for entry in whole)

    def test_instances_share_the_entries(self, store: Store, store_url: str) -> None:
        assert store.get(SITE) is None
        with closing(open_store(store_url)) as other:
            other.put(SITE, ENTRY, LATER)
            assert store.get(SITE) == ENTRY
            store.put(SITE, b"newer", LATER)
            assert other.get(SITE) == b"newer"
        with closing(open_store(store_url)) as third:
            assert third.get(SITE) == b"newer"

    def test_workers_that_start_together_make_one_store(self, store_url: str) -> None:
        origins = [f"http://host{number}.example" for number in range(12)]

        def put(origin: str) -> None:
            with closing(open_store(store_url)) as store:
                store.put(origin, origin.encode(), LATER)

        with ThreadPoolExecutor(12) as threads:
            list(threads.map(put, origins))

        with closing(open_store(store_url)) as store:
            assert [store.get(it) for it in origins] == [it.encode() for it in origins]


class LeasingContract(StoreContract):
    """A store with leases decides which worker fetches a robots.txt."""

    @pytest.fixture
    def leases(self, store: Store) -> LeasingStore:
        return cast("LeasingStore", store)

    def test_lease_is_given_once_until_it_is_released(
        self, leases: LeasingStore
    ) -> None:
        assert leases.lease(SITE, 30)
        assert not leases.lease(SITE, 30)
        assert leases.lease(OTHERS[0], 30)
        assert leases.get(SITE) is None
        leases.release(SITE)
        leases.release(SITE)

        assert leases.lease(SITE, 30)

    def test_lease_of_a_dead_worker_ends(self, leases: LeasingStore) -> None:
        assert leases.lease(SITE, 1)
        give_up = time.monotonic() + 30
        while not leases.lease(SITE, 1):
            assert time.monotonic() < give_up
            time.sleep(0.05)

    def test_one_of_many_workers_gets_the_lease(self, store_url: str) -> None:
        def lease(_: int) -> bool:
            with closing(open_store(store_url)) as store:
                return cast("LeasingStore", store).lease(SITE, 30)

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(lease, range(8))) == 1
