"""Tests of the contract that every store must fulfil. The test class of each store
inherits from `StoreContract`.
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

import pytest

from scrapy_robots1994 import Origin, StoreError, open_store
from scrapy_robots1994.stores.base import (
    MAX_ENTRY_BYTES,
    PolicyStore,
    SharedStore,
    Stored,
)

SITE = Origin("http", "site.example", 80)
OTHER = Origin("https", "other.example", 8443)
LONG = Origin("http", ".".join(["a" * 61] * 4)[:247], 80)
"""An origin with a host name of 247 characters. A file system permits file names of at
most 255 characters.
"""

ROOT = Path(__file__).resolve().parents[2]
LATER = 9e9
TIMEOUT_SECONDS = 20.0

SIZE = 200_000
WRITER = f"""
import sys
from itertools import count
from scrapy_robots1994 import Origin, open_store
from scrapy_robots1994.stores.base import Stored
store = open_store(sys.argv[1])
for number in count():
    packed = bytes([number % 256]) * {SIZE}
    store.put(Stored(Origin("http", f"host{{number % 3}}.example", 80), packed, {LATER}))
    print(number, flush=True)
"""
"""A program that puts entries into a store until the program is killed. Each entry
consists of one repeated byte.
"""


def entry(
    origin: Origin = SITE, packed: bytes = b"\x01packed", until: float = LATER
) -> Stored:
    """Return an entry of *origin*."""
    return Stored(origin, packed, until)


class StoreContract(ABC):
    """A store has one entry for each origin: the bytes that were last put for that origin."""

    @abstractmethod
    def url(self, folder: Path) -> str:
        """Return the URL of an empty store, which may create files in *folder*."""

    @pytest.fixture
    def store_url(self, tmp_path: Path) -> str:
        """Return the URL of the store under test."""
        return self.url(tmp_path)

    @pytest.fixture
    def store(self, store_url: str) -> Iterator[PolicyStore]:
        """Yield an empty store, and close the store after the test."""
        with closing(open_store(store_url)) as store:
            yield store

    def test_empty_store_has_no_entry(self, store: PolicyStore) -> None:
        """An empty store returns no entries. To forget a missing entry is not an error."""
        assert store.get(SITE) is None
        assert not store.forget(SITE)
        assert list(store.entries()) == []

    def test_store_is_closed_without_being_used(self, store_url: str) -> None:
        """Closing a store that was never used is not an error."""
        open_store(store_url).close()

    @pytest.mark.parametrize(
        "stored",
        [
            *(entry(packed=it) for it in (bytes(range(256)) * 4, b"\0", b"x" * 10**6)),
            # ROBOTS1994_STALE_TTL has no upper limit.
            *(entry(until=it) for it in (1e17, 1e308, float("inf"))),
        ],
        ids=lambda it: f"{len(it.packed)} until {it.keep_until}",
    )
    def test_entry_is_returned_as_it_was_put(
        self, store: PolicyStore, stored: Stored
    ) -> None:
        """An entry may contain any bytes. Both `get` and `entries` return the bytes, and
        `entries` also returns the `keep_until` of the entry.
        """
        store.put(stored)

        assert store.get(SITE) == stored.packed
        assert list(store.entries()) == [stored]

    @pytest.mark.parametrize(
        "other",
        [
            Origin("https", SITE.host, SITE.port),
            Origin(SITE.scheme, f"www.{SITE.host}", SITE.port),
            Origin(SITE.scheme, SITE.host, 8080),
            Origin("http", "::1", 8080),
            Origin("http", "site_example", 80),
            LONG,
        ],
        ids=str,
    )
    def test_scheme_host_and_port_are_distinguished(
        self, store: PolicyStore, other: Origin
    ) -> None:
        """Origins that differ in scheme, host or port have separate entries."""
        store.put(entry())
        assert store.get(other) is None
        store.put(entry(other, b"other"))

        assert (store.get(SITE), store.get(other)) == (entry().packed, b"other")
        assert {each.origin for each in store.entries()} == {SITE, other}

    def test_newer_entry_replaces_the_older(self, store: PolicyStore) -> None:
        """A newer entry of an origin replaces the older entry and its `keep_until`.
        Afterwards, the `keep_until` of the older entry has no effect.
        """
        store.put(entry(until=time.time() + 0.05))
        store.put(entry(packed=b"newer"))
        time.sleep(0.1)
        store.put(entry(OTHER))

        assert store.get(SITE) == b"newer"
        assert store.forget(OTHER)
        assert list(store.entries()) == [entry(packed=b"newer")]

    def test_forgotten_entry_is_gone(self, store: PolicyStore) -> None:
        """`forget` deletes only the entry of the given origin, and returns whether the
        entry existed.
        """
        store.put(entry())
        store.put(entry(OTHER))

        assert store.forget(SITE)
        assert not store.forget(SITE)
        assert store.get(SITE) is None
        assert list(store.entries()) == [entry(OTHER)]

    def test_entry_that_is_over_is_not_an_error(self, store: PolicyStore) -> None:
        """A store may return or delete an expired entry. The store never returns the
        older entry that the expired entry has replaced.
        """
        store.put(entry(packed=b"older"))
        store.put(entry(until=time.time() - 1))

        assert store.get(SITE) in (None, entry().packed)
        assert b"older" not in [each.packed for each in store.entries()]

    def test_store_may_change_while_its_entries_are_listed(
        self, store: PolicyStore
    ) -> None:
        """A caller may forget and put entries while the caller iterates over `entries`."""
        store.put(entry())
        store.put(entry(OTHER))

        for each in store.entries():
            store.forget(each.origin)
            store.put(entry(each.origin, b"changed"))

        assert [each.packed for each in store.entries()] == [b"changed"] * 2

    def test_another_instance_may_change_what_is_listed(
        self, store: PolicyStore, store_url: str
    ) -> None:
        """If another instance deletes an entry during the iteration over `entries`, the
        entry is listed unchanged or omitted. The deletion causes no exception.
        """
        origins = [Origin("http", f"host{number}.example", 80) for number in range(50)]
        for origin in origins:
            store.put(entry(origin))
        with closing(open_store(store_url)) as other:
            for number, each in enumerate(store.entries()):
                assert each == entry(each.origin)
                for origin in origins if number == 0 else ():
                    other.forget(origin)

        assert list(store.entries()) == []

    def test_entry_above_the_limit_is_not_read(self, store: PolicyStore) -> None:
        """An entry of the maximum size is returned. An entry that exceeds the maximum
        size is not returned, and is not read completely into memory.
        """
        largest = entry(packed=b"x" * MAX_ENTRY_BYTES)
        store.put(largest)
        assert store.get(SITE) == largest.packed
        # A store may accept or reject an entry that is too large.
        with suppress(StoreError):
            store.put(entry(OTHER, b"x" * (8 * MAX_ENTRY_BYTES)))
        del largest

        tracemalloc.start()
        try:
            assert store.get(OTHER) is None
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 4 * MAX_ENTRY_BYTES
        assert [each.origin for each in store.entries()] == [SITE]

    def test_writer_that_is_killed_leaves_whole_entries(
        self, store: PolicyStore, store_url: str
    ) -> None:
        """After a writing process was killed, the entry of each finished `put` exists. An
        unfinished `put` leaves a whole entry or no entry.
        """
        for puts in (1, 4, 9):
            command = [sys.executable, "-c", WRITER, store_url]
            with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as writer:
                assert writer.stdout is not None
                for _ in range(puts):
                    writer.stdout.readline()
                writer.kill()

            found = {each.origin: each.packed for each in store.entries()}
            assert len(found) >= min(puts, 3)
            for origin, packed in found.items():
                assert len(packed) == SIZE
                assert len(set(packed)) == 1
                assert store.get(origin) == packed

    def test_store_exists_once_it_has_an_entry(self, store: PolicyStore) -> None:
        """The store exists after the first `put`. Reading does not create the store."""
        exists = store.exists
        assert store.get(SITE) is None
        assert list(store.entries()) == []
        assert not store.forget(SITE)
        assert store.exists is exists
        store.put(entry())

        assert store.exists

    def test_every_entry_is_listed(self, store: PolicyStore) -> None:
        """`entries` lists all 700 entries, which are more than any store reads at once."""
        origins = {Origin("http", f"host{number}.example", 80) for number in range(700)}
        for origin in origins:
            store.put(entry(origin))

        assert {each.origin for each in store.entries()} == origins

    def test_next_instance_has_what_was_put(self, store_url: str) -> None:
        """An instance returns the entries that another instance puts, even while both
        instances are open.
        """
        with (
            closing(open_store(store_url)) as one,
            closing(open_store(store_url)) as two,
        ):
            assert two.get(SITE) is None
            one.put(entry())
            assert two.get(SITE) == entry().packed
            two.put(entry(OTHER))
            assert one.forget(OTHER)
        with closing(open_store(store_url)) as third:
            assert list(third.entries()) == [entry()]

    def test_workers_that_start_together_make_one_store(self, store_url: str) -> None:
        """Twelve workers that start together create one store, which contains the entries
        of all workers.
        """

        def put(number: int) -> None:
            with closing(open_store(store_url)) as store:
                store.put(entry(Origin("http", f"host{number}.example", 80)))

        with ThreadPoolExecutor(12) as threads:
            list(threads.map(put, range(12)))

        with closing(open_store(store_url)) as store:
            assert len(list(store.entries())) == 12


class SharedStoreContract(StoreContract):
    """A store with leases. A lease decides which worker fetches a robots.txt."""

    @pytest.fixture
    def shared(self, store: PolicyStore) -> SharedStore:
        """Return the store under test."""
        assert isinstance(store, SharedStore)
        return store

    def test_lease_has_one_holder(self, shared: SharedStore) -> None:
        """The holder of a lease may acquire the lease again. Another worker can neither
        acquire nor release the lease. Each origin has a separate lease.
        """
        assert shared.acquire_lease(SITE, "one", 30).granted
        assert shared.acquire_lease(SITE, "one", 30).granted
        shared.release_lease(SITE, "two")
        assert not shared.acquire_lease(SITE, "two", 30).granted
        assert shared.acquire_lease(OTHER, "two", 30).granted
        shared.release_lease(SITE, "one")
        assert shared.acquire_lease(SITE, "two", 30).granted

    def test_lease_of_a_dead_worker_runs_out(self, shared: SharedStore) -> None:
        """The lease of a dead worker expires. After the lease has expired, another
        worker can acquire the lease.
        """
        # The lease is long enough for the second call, even on a busy machine. All calls
        # ask for a lease of equal length.
        assert shared.acquire_lease(SITE, "dead", 2).granted
        assert not shared.acquire_lease(SITE, "alive", 2).granted
        give_up = time.monotonic() + TIMEOUT_SECONDS
        while not shared.acquire_lease(SITE, "alive", 2).granted:
            assert time.monotonic() < give_up
            time.sleep(0.02)

    def test_time_of_a_lease_that_is_taken_anew_begins_anew(
        self, shared: SharedStore
    ) -> None:
        """If the holder acquires its lease again, the lease lasts for the full time
        that the second call requests.
        """
        assert shared.acquire_lease(SITE, "one", 0.2).granted
        assert shared.acquire_lease(SITE, "one", 30).granted
        time.sleep(0.3)
        assert not shared.acquire_lease(SITE, "two", 30).granted

    def test_of_many_workers_one_gets_the_lease(self, store_url: str) -> None:
        """If eight workers ask for one lease at the same moment, exactly one worker gets
        the lease.
        """

        def acquire(number: int) -> bool:
            with closing(open_store(store_url)) as store:
                assert isinstance(store, SharedStore)
                return store.acquire_lease(SITE, f"worker {number}", 30).granted

        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(acquire, range(8))) == 1

    def test_leases_are_not_entries(self, shared: SharedStore) -> None:
        """Neither `get` nor `entries` returns a lease, and `forget` does not end a lease."""
        assert shared.acquire_lease(SITE, "one", 30).granted

        assert shared.get(SITE) is None
        assert list(shared.entries()) == []
        assert not shared.forget(SITE)
        assert not shared.acquire_lease(SITE, "two", 30).granted
