"""Properties of the SQLite store that the results of its methods do not show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scrapy_robots1994 import Origin, StoreError
from scrapy_robots1994.stores.base import Stored
from scrapy_robots1994.stores.sqlite import SqliteStore
from tests.unit.samples import SITE


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Yield a store with one entry."""
    store = SqliteStore(str(tmp_path / "a.db"))
    store.put(Stored(SITE, b"x", 9e9))
    yield store
    store.close()


def test_schema_is_not_trusted(store: SqliteStore) -> None:
    """`trusted_schema` is off, so that SQL functions in the schema of the file are not run."""
    assert store._connection is not None
    assert store._connection.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_full_disk_is_a_store_error(store: SqliteStore) -> None:
    """If the disk is full, `put` raises `StoreError`, and stored policies can still be
    read. A limit of SQLite simulates the full disk.
    """
    assert store._connection is not None
    store._connection.execute("PRAGMA max_page_count = 1").fetchall()

    with pytest.raises(StoreError, match="full"):
        store.put(Stored(Origin("http", "b.example", 80), b"x" * 100_000, 9e9))

    assert store.get(SITE) == b"x"
