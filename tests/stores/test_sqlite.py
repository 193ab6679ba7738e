"""The SQLite store: its size, damage, and files of other programs."""

from __future__ import annotations

import os
import sqlite3
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest

from scrapy_robots1994 import open_store
from scrapy_robots1994.stores.base import Store
from tests.stores.contract import ENTRY, LATER, OTHERS, SITE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.db"


def store_at(path: Path, options: str = "") -> Store:
    return open_store(f"sqlite:///{path}{options}")


def changed(path: Path, sql: str) -> Store:
    """Return a store with one entry, after another program has run *sql* on its file."""
    with closing(store_at(path)) as store:
        store.put(SITE, ENTRY, LATER)
    with closing(sqlite3.connect(path)) as base:
        base.executescript(sql)
    return store_at(path, "?timeout=1")


def test_file_grows_to_its_limit_and_forgets_the_oldest(path: Path) -> None:
    """An entry that is put again becomes the newest."""
    kept = "http://kept.example"
    with closing(store_at(path, "?max_bytes=1000000")) as store:
        for number in range(600):
            store.put(kept, ENTRY, LATER)
            size = 200_000 if number % 100 == 0 else 5_000
            store.put(f"http://host{number}.example", os.urandom(size), LATER)
            files = path.parent.glob(path.name + "*")
            assert sum(each.stat().st_size for each in files) < 6_000_000
        left = [it for it in range(600) if store.get(f"http://host{it}.example")]
        assert store.get(kept) == ENTRY
        assert len(left) > 50
        assert left == [*range(left[0], 600)]
        # An entry that exceeds the limit evicts all other entries, but the store still works.
        with pytest.raises(sqlite3.Error, match="full"):
            store.put(SITE, os.urandom(2_000_000), LATER)
        store.put(SITE, ENTRY, LATER)
        assert store.get(SITE) == ENTRY
    assert path.stat().st_size <= 1_000_000


def test_commits_wait_for_no_reader_and_no_disk(path: Path) -> None:
    """In WAL mode, a crawl can write while another program reads the file."""
    with closing(store_at(path)) as store, closing(sqlite3.connect(path)) as reader:
        store.put(SITE, ENTRY, LATER)
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM robots1994").fetchall()
        store.put(SITE, b"newer", LATER)
        assert store.get(SITE) == b"newer"
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize(
    "cell",
    ["zeroblob(300000000)", "9000000000", "'text'", "1.5", "randomblob(17000000)"],
)
def test_invalid_cell_is_a_miss_and_is_not_read(cell: str, path: Path) -> None:
    """A cell of 300 MB is not loaded, and an integer is not turned into `bytes(9000000000)`."""
    with closing(changed(path, f"UPDATE robots1994 SET entry = {cell}")) as store:  # noqa: S608 - no user input
        tracemalloc.start()
        try:
            assert store.get(SITE) is None
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 1_000_000
        store.put(SITE, b"new", LATER)
        assert store.get(SITE) == b"new"


def test_tables_of_sqlite_are_ignored(path: Path) -> None:
    """ANALYZE creates the table `sqlite_stat1`."""
    with closing(changed(path, "ANALYZE")) as store:
        assert store.get(SITE) == ENTRY
        store.put(OTHERS[0], ENTRY, LATER)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER t AFTER INSERT ON robots1994 BEGIN DELETE FROM robots1994; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE other (a)",
        "ALTER TABLE robots1994 ADD COLUMN more",
        "DROP TABLE robots1994; CREATE VIEW robots1994 (origin, entry) AS SELECT 1, 2",
        "DROP TABLE robots1994; CREATE TABLE users (name)",
    ],
)
def test_file_of_another_program_is_refused(sql: str, path: Path) -> None:
    with closing(changed(path, sql)) as store:
        before = path.read_bytes()
        with pytest.raises(sqlite3.DatabaseError, match="another program or version"):
            store.get(SITE)
        with pytest.raises(sqlite3.DatabaseError, match="another program or version"):
            store.put(SITE, ENTRY, LATER)
        assert path.read_bytes() == before


def test_file_that_is_no_database_is_not_overwritten(path: Path) -> None:
    rubbish = b"this is no database, " * 300
    path.write_bytes(rubbish)
    with closing(store_at(path)) as store, pytest.raises(sqlite3.DatabaseError):
        store.put(SITE, ENTRY, LATER)
    assert path.read_bytes() == rubbish
    path.write_bytes(b"")
    with closing(store_at(path)) as store:
        store.put(SITE, ENTRY, LATER)
        assert store.get(SITE) == ENTRY


def test_locked_file_fails_in_time(path: Path) -> None:
    with closing(changed(path, "")) as store:
        with closing(sqlite3.connect(path, isolation_level=None)) as base:
            base.execute("BEGIN EXCLUSIVE")
            with pytest.raises(sqlite3.OperationalError, match="locked"):
                store.put(SITE, ENTRY, LATER)
        store.put(SITE, b"new", LATER)
        assert store.get(SITE) == b"new"


def test_three_slashes_are_relative_and_four_absolute(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    with closing(open_store("sqlite:///a.db")) as store:
        store.put(SITE, ENTRY, LATER)
    with closing(store_at(path)) as store:
        assert store.get(SITE) == ENTRY
