"""What the SQLite store does to its file, where no result shows it."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_robots1994 import Origin, StoreError
from scrapy_robots1994.stores import Stored, sqlite
from scrapy_robots1994.stores.sqlite import SqliteStore
from tests.unit.samples import SITE


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Yield a store with one entry."""
    store = SqliteStore(str(tmp_path / "a.db"))
    store.put(Stored(SITE, b"x", 9e9))
    yield store
    store.close()


def test_reading_does_not_write(store: SqliteStore) -> None:
    """The order of use is written by later writes, not by reads."""
    assert store._connection is not None
    changes = store._connection.total_changes
    for _ in range(100):
        store.get(SITE)

    assert store._connection.total_changes == changes


def test_schema_is_not_trusted(store: SqliteStore) -> None:
    """SQL functions in the schema of the file are not run: `trusted_schema` is off."""
    assert store._connection is not None
    assert store._connection.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_endless_query_is_interrupted(store: SqliteStore) -> None:
    """No statement takes longer than a call may."""
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    with pytest.raises(StoreError, match="interrupted"), store._connected() as base:
        base.execute(f"{endless} SELECT count(*) FROM c").fetchone()  # noqa: S608 - no input

    assert store.get(SITE) == b"x"


def test_full_disk_is_a_store_error(store: SqliteStore) -> None:
    """Stored policies can still be read. A limit of SQLite simulates the full disk."""
    assert store._connection is not None
    store._connection.execute("PRAGMA max_page_count = 1").fetchall()

    with pytest.raises(StoreError, match="full"):
        store.put(Stored(Origin("http", "b.example", 80), b"x" * 100_000, 9e9))

    assert store.get(SITE) == b"x"


def test_much_smaller_limit_is_reached_by_several_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleting most of a gigabyte takes longer than one call may take."""
    origins = [Origin("http", f"host{number}.example", 80) for number in range(400)]
    store = SqliteStore(str(tmp_path / "a.db"))
    for origin in origins:
        store.put(Stored(origin, os.urandom(5_000), 9e9))
    store.close()
    # A disk so slow that 50 ms pass between two readings of the clock.
    ticks = itertools.count(0.0, 0.05)
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    monkeypatch.setattr(sqlite, "STEPS_BETWEEN_CHECKS", 300)

    store = SqliteStore(str(tmp_path / "a.db"), max_bytes=500_000)
    store.put(Stored(SITE, b"x", 9e9))
    assert len(list(store.entries())) > 200
    for origin in origins[:40]:
        store.put(Stored(origin, b"x", 9e9))

    assert len(list(store.entries())) < 200
    assert store.get(SITE) == b"x"
    store.close()
