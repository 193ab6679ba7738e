"""Tests of the SQLite store: the contract, the size limit, damaged files, and files of
other programs.
"""

from __future__ import annotations

import os
import sqlite3
import time
import tracemalloc
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from scrapy_robots1994 import Origin, StoreError, open_store
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, PolicyStore
from tests.stores.contract import LATER, OTHER, SITE, StoreContract, entry


class TestSqliteStore(StoreContract):
    """Tests that the SQLite store fulfils the contract of all stores."""

    def url(self, folder: Path) -> str:
        """Return the URL of a store in a new file in *folder*."""
        return f"sqlite:///{folder}/robots.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a SQLite file that does not exist yet."""
    return tmp_path / "a.db"


def store_at(path: Path, **options: object) -> PolicyStore:
    """Open the SQLite store at *path* with *options* in the store URL."""
    query = "&".join(f"{name}={value}" for name, value in options.items())
    return open_store(f"sqlite:///{path}?{query}")


def host(number: int) -> Origin:
    """Return the origin with *number* in its host name."""
    return Origin("http", f"host{number}.example", 80)


def fill(store: PolicyStore, numbers: Iterable[int], size: int = 5_000) -> None:
    """Put an entry of *size* bytes for each host number. The higher the number of a
    host is, the earlier the entry of the host expires.
    """
    for number in numbers:
        store.put(entry(host(number), os.urandom(size), LATER - number))


@pytest.mark.parametrize(
    ("limit", "written", "size", "least"),
    [(500_000, 400, 5_000, 70), (65_536, 100, 2_000, 6)],
)
def test_file_is_no_larger_than_its_limit(
    limit: int, written: int, size: int, least: int, path: Path
) -> None:
    """The SQLite file never exceeds the size limit. The file and its write-ahead log
    together stay below 3 MB.
    """
    with closing(store_at(path, max_bytes=limit)) as store:
        for number in range(written):
            fill(store, [number], size)
            assert path.stat().st_size <= limit
            files = path.parent.glob(path.name + "*")
            assert sum(each.stat().st_size for each in files) < 3_000_000
        assert store.get(host(written - 1)) is not None
        assert len(list(store.entries())) >= least
    assert path.stat().st_size <= limit


def test_entry_that_was_stored_first_is_deleted_first(path: Path) -> None:
    """After the size limit was lowered, the next write deletes the oldest entries and
    shrinks the file. An entry that was stored again counts as new.
    """
    with closing(store_at(path)) as store:
        fill(store, [*range(400), 0])
    assert path.stat().st_size > 2_000_000

    with closing(store_at(path, max_bytes=500_000)) as store:
        fill(store, [400])
        kept = {number for number in range(401) if store.get(host(number))}

    assert path.stat().st_size <= 500_000
    assert kept >= {0, 399, 400}
    assert 1 not in kept
    assert len(kept) > 50


def test_entry_that_is_over_is_deleted_from_the_file(path: Path) -> None:
    """The next write deletes an expired entry, even if the write stores an entry of
    another origin.
    """
    with closing(store_at(path)) as store:
        store.put(entry(until=time.time() + 0.05))
        time.sleep(0.1)
        store.put(entry(OTHER))

    with closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT origin FROM policies").fetchall() == [(str(OTHER),)]


def test_reading_creates_no_file(tmp_path: Path) -> None:
    """Reading a store does not create a file. Otherwise, a mistyped path would become a
    new store.
    """
    with closing(store_at(tmp_path / "a.db")) as store:
        assert store.get(SITE) is None
        assert list(store.entries()) == []
        assert not store.forget(SITE)
    assert list(tmp_path.iterdir()) == []


def changed(path: Path, change: str) -> PolicyStore:
    """Return a store with one entry whose file another program has changed."""
    assert error_of(store_at(path)) == ""
    with closing(sqlite3.connect(path)) as base:
        base.executescript(change)
    return store_at(path, timeout=1)


@pytest.mark.parametrize(
    "cell",
    [
        *("packed = zeroblob(400000000)", "packed = zeroblob(20000000)"),
        *("packed = 9000000000", "packed = 'text'", "packed = 1.5"),
        "keep_until = 'soon'",
    ],
)
def test_invalid_cell_is_a_miss_and_is_not_read(cell: str, path: Path) -> None:
    """An invalid value in a cell of the table counts as a miss. The store allocates
    neither 400 MB nor `bytes(9000000000)`. A new entry can replace the invalid entry.
    """
    if "400" in cell and not hasattr(sqlite3.Connection, "setlimit"):
        pytest.skip("SQLite reads it in pages before Python 3.11")
    # The inserted SQL text comes only from the parameters of this test.
    with closing(changed(path, f"UPDATE policies SET {cell}")) as store:  # noqa: S608
        tracemalloc.start()
        assert store.get(SITE) is None
        assert list(store.entries()) == []
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 1_000_000
        if "400" not in cell:
            store.put(entry(packed=b"new"))
            assert store.get(SITE) == b"new"
            assert list(store.entries()) == [entry(packed=b"new")]


def test_origin_that_is_not_utf_8_does_not_stop_entries(path: Path) -> None:
    """If another program has written an origin that is not UTF-8, `entries` still yields
    all other entries.
    """
    change = "UPDATE policies SET origin = CAST(x'687474703a2f2f61ff' AS TEXT)"
    with closing(changed(path, change)) as store:
        store.put(entry(OTHER))
        assert OTHER in {each.origin for each in store.entries()}


ROWS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500)"
FILL = (
    "INSERT INTO policies SELECT 'http://h' || x, 9e9, 9e9, zeroblob(100000) "  # noqa: S608 - no input
    f"FROM ({ROWS} SELECT x FROM c)"
)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(
    "sql",
    [
        *(
            f"CREATE TRIGGER t {when} {event} ON policies BEGIN {FILL}; END"
            for when in ("BEFORE", "AFTER")
            for event in ("INSERT", "UPDATE", "DELETE")
        ),
        "CREATE VIEW v AS SELECT 1",
        "CREATE TABLE other (a)",
        "CREATE VIRTUAL TABLE other USING fts5(a)",
        "CREATE INDEX more ON policies (packed)",
        "CREATE UNIQUE INDEX more ON policies (used_at)",
        "DROP INDEX policies_by_end; CREATE INDEX policies_by_end ON policies (hex(packed))",
        "DROP INDEX policies_by_use",
        "ALTER TABLE policies ADD COLUMN more DEFAULT 1",
        *(
            f"DROP TABLE policies; {table}"
            for table in (
                "CREATE VIEW policies (origin, packed) AS SELECT 'a', x'00'",
                "CREATE TABLE policies (origin, keep_until, used_at, packed)",
                "CREATE TABLE policies (origin TEXT PRIMARY KEY, packed BLOB)",
                "CREATE TABLE policies (origin, keep_until, used_at, packed AS (1))",
                "CREATE VIRTUAL TABLE policies USING fts5(origin, keep_until, packed)",
            )
        ),
    ],
)
def test_sqlite_file_with_other_objects_is_refused(
    sql: str, path: Path, *, is_open: bool
) -> None:
    """The store neither reads nor writes a SQLite file that contains other database
    objects. Another program can add database objects before or after the store is
    opened.
    """
    names = "SELECT origin FROM policies LIMIT 9"
    with closing(store_at(path)) as store:
        store.put(entry())
        if not is_open:
            store.close()
        with closing(sqlite3.connect(path)) as base:
            base.executescript(sql)
            before = base.execute(names).fetchall()
        for call in (
            lambda: store.put(entry(OTHER)),
            lambda: store.get(SITE),
            lambda: list(store.entries()),
            lambda: store.forget(SITE),
        ):
            with pytest.raises(StoreError) as refused:
                call()
            assert str(refused.value) == (
                f"{path}: the file has other tables, indexes, views or triggers than ours; "
                "remove the file"
            )

    with closing(sqlite3.connect(path)) as base:
        assert base.execute(names).fetchall() == before


def test_entry_of_the_maximum_size_is_read_back(path: Path) -> None:
    """An entry of the maximum size can be stored and read. The limits that the store
    sets in SQLite are higher than the maximum size of an entry.
    """
    largest = b"x" * MAX_ENTRY_BYTES
    with closing(store_at(path, timeout=20)) as store:
        store.put(entry(packed=largest))
        assert store.get(SITE) == largest


def error_of(store: PolicyStore) -> str:
    """Put an entry into the store, and return the message of the `StoreError`. Return an
    empty string if no error is raised.
    """
    with closing(store):
        try:
            store.put(entry(packed=b"x"))
        except StoreError as error:
            return str(error)
    return ""


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"this is no database, " * 300, "not a database"), (b"", "")],
)
def test_file_that_is_not_a_database_is_a_store_error(
    path: Path, content: bytes, expected: str
) -> None:
    """A file that is not a database is neither read nor overwritten, but an empty file
    becomes a store. The error message contains the path of the file.
    """
    path.write_bytes(content)

    assert expected in error_of(store_at(path))
    assert not content or path.read_bytes() == content
    assert f"{path}/x.db: " in error_of(store_at(path / "x.db"))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("PRAGMA user_version = 99", "another version"),
        ("PRAGMA application_id = 7", "belongs to another program"),
    ],
)
def test_database_of_another_version_or_program_is_not_written_to(
    change: str, expected: str, path: Path
) -> None:
    """If another version of the package or another program has written the database,
    the store raises an error. In a later version, the tables could have another meaning
    than in this version.
    """
    assert expected in error_of(changed(path, change))


def test_locked_database_is_a_store_error(path: Path) -> None:
    """While another program has locked the database, a write fails within the timeout of
    the store.
    """
    assert error_of(store_at(path)) == ""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("BEGIN EXCLUSIVE")

        assert "locked" in error_of(store_at(path, timeout=0.05))


@pytest.mark.parametrize(
    "name", ["sqlite:///a.db", "SQLITE:///a.db", "sqlite:///a.db?"]
)
def test_three_slashes_name_a_file_in_the_working_directory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a store URL, a path after three slashes is relative to the working directory. A
    path after four slashes is absolute.
    """
    monkeypatch.chdir(tmp_path)

    assert error_of(open_store(name)) == ""
    assert error_of(open_store(f"sqlite:///{tmp_path}/b.db")) == ""

    assert {each.name for each in tmp_path.iterdir()} >= {"a.db", "b.db"}
