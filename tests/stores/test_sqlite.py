"""The SQLite store: the contract, its size limit, and damaged or foreign files."""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.errors import SettingsError, StoreError
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import Stored, sqlite
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES
from scrapy_robots1994.stores.sqlite import MIN_BYTES, SqliteStore
from tests.policy.samples import NOW, SITE, parsed
from tests.stores.clock import FakeClock
from tests.stores.contract import OTHER, StoreContract
from tests.stores.guarded_store import SyncStore, unavailable

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def clock() -> FakeClock:
    """Make the clock that the store reads."""
    return FakeClock()


class TestSqliteStore(StoreContract):
    """The SQLite store fulfils the contract of all stores."""

    def new_store(self, clock: FakeClock, folder: Path) -> SyncStore:
        """Make an empty store in its own file."""
        return store_on(folder / "robots.db", clock)


def store_on(path: Path, clock: FakeClock) -> SyncStore:
    """Open the store at *path*."""
    return SyncStore(lambda: SqliteStore(str(path), clock=clock), clock)


def total_size(path: Path) -> int:
    """Return the total size of the database and its log in bytes."""
    return sum(each.stat().st_size for each in path.parent.glob(path.name + "*"))


def host(number: int) -> Origin:
    """Return the origin with *number* in its host name."""
    return Origin("http", f"host{number}.example", 80)


def test_policies_are_found_after_reopening(tmp_path: Path, clock: FakeClock) -> None:
    """A new store on the same file returns the policies."""
    with store_on(tmp_path / "a.db", clock) as store:
        store.put(parsed())
        store.put(unavailable(origin=OTHER))

    with store_on(tmp_path / "a.db", clock) as store:
        assert store.get(SITE) == parsed()
        assert len(store) == 2


def test_two_processes_see_each_others_policies(
    tmp_path: Path, clock: FakeClock
) -> None:
    """A policy that one process puts is found by the other, with the file open in both."""
    with (
        store_on(tmp_path / "a.db", clock) as one,
        store_on(tmp_path / "a.db", clock) as two,
    ):
        one.put(parsed())
        assert two.get(SITE) == parsed()
        two.put(parsed(origin=OTHER))
        assert one.get(OTHER) is not None


def test_many_threads_may_create_the_file_at_once(tmp_path: Path) -> None:
    """Workers that start together create one complete store."""
    path = str(tmp_path / "a.db")

    def put(number: int) -> None:
        store = SqliteStore(path, timeout=20)
        store.put(Stored(host(number), b"x", 9e9))
        store.close()

    with ThreadPoolExecutor(12) as threads:
        list(threads.map(put, range(12)))

    with closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT count(*) FROM policies").fetchone() == (12,)


def test_file_is_no_larger_than_its_limit(tmp_path: Path) -> None:
    """The limit applies to the file; the log next to it takes a few megabytes at most."""
    path = tmp_path / "a.db"
    store = SqliteStore(str(path), max_bytes=500_000)
    for number in range(400):
        store.put(Stored(host(number), os.urandom(5_000), 9e9))
        assert path.stat().st_size <= 500_000
        assert total_size(path) < 3_000_000

    assert store.get(host(399)) is not None
    assert len(list(store.entries())) > 70
    store.close()
    assert path.stat().st_size <= 500_000


def test_smallest_limit_has_room_for_policies(tmp_path: Path) -> None:
    """A smaller limit would leave no room for policies, and is rejected."""
    with pytest.raises(SettingsError, match="max_bytes must be at least 65536"):
        SqliteStore.from_url("sqlite:///a.db?max_bytes=20000", timeout=2)
    store = SqliteStore(str(tmp_path / "a.db"), max_bytes=MIN_BYTES)
    for number in range(100):
        store.put(Stored(host(number), os.urandom(2_000), 9e9))

    assert len(list(store.entries())) > 5
    store.close()


def test_least_recently_used_policy_is_deleted_first(tmp_path: Path) -> None:
    """The order of use applies in this process and in the next one."""
    clock = FakeClock()
    for _ in range(2):
        store = SqliteStore(str(tmp_path / "a.db"), max_bytes=500_000, clock=clock)
        store.put(Stored(SITE, b"used", 9e9))
        for number in range(200):
            clock.now += 1
            store.put(Stored(host(number), os.urandom(5_000), 9e9))
            assert store.get(SITE) == b"used"
        clock.now += 1
        assert store.get(host(150)) is not None
        store.close()

    store = SqliteStore(str(tmp_path / "a.db"), max_bytes=500_000, clock=clock)
    for number in range(1000, 1060):
        store.put(Stored(host(number), os.urandom(5_000), 9e9))
    # Only used through the previous store.
    assert store.get(host(150)) is not None
    assert store.get(host(151)) is None
    store.close()


def test_reading_does_not_write(tmp_path: Path) -> None:
    """The order of use is written by later writes, not by reads."""
    store = SqliteStore(str(tmp_path / "a.db"))
    store.put(Stored(SITE, b"x", 9e9))
    connection = store._connection
    assert connection is not None
    changes = connection.total_changes
    for _ in range(100):
        store.get(SITE)

    assert connection.total_changes == changes
    store.close()


def test_smaller_limit_shrinks_the_file(tmp_path: Path) -> None:
    """A file that was created with a larger limit shrinks."""
    path = tmp_path / "a.db"
    store = SqliteStore(str(path))
    for number in range(400):
        store.put(Stored(host(number), os.urandom(5_000), 9e9))
    store.close()
    assert path.stat().st_size > 2_000_000

    store = SqliteStore(str(path), max_bytes=500_000)
    store.put(Stored(SITE, b"x", 9e9))
    store.close()

    assert path.stat().st_size <= 500_000


def test_much_smaller_limit_is_reached_by_several_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleting most of a gigabyte takes longer than one call may take."""
    store = SqliteStore(str(tmp_path / "a.db"))
    for number in range(400):
        store.put(Stored(host(number), os.urandom(5_000), 9e9))
    store.close()
    # A disk so slow that 50 ms pass between two readings of the clock.
    ticks = itertools.count(0.0, 0.05)
    monkeypatch.setattr(time, "monotonic", lambda: next(ticks))
    monkeypatch.setattr(sqlite, "STEPS_BETWEEN_CHECKS", 300)

    store = SqliteStore(str(tmp_path / "a.db"), max_bytes=500_000)
    store.put(Stored(SITE, b"x", 9e9))
    assert len(list(store.entries())) > 200
    for number in range(40):
        store.put(Stored(host(number), b"x", 9e9))

    assert len(list(store.entries())) < 200
    assert store.get(SITE) == b"x"
    store.close()


def tampered(path: Path, change: str, *values: object) -> SqliteStore:
    """Return a store with one entry whose file was changed as another program could."""
    assert error_of(SqliteStore(str(path))) == ""
    with closing(sqlite3.connect(path)) as base:
        base.executescript(change) if not values else base.execute(change, values)
        base.commit()
    return SqliteStore(str(path), timeout=1)


@pytest.mark.parametrize(
    "value",
    ["zeroblob(400000000)", "9000000000", "'text'", "1.5", "zeroblob(20000000)"],
)
def test_invalid_cell_is_a_miss_and_is_not_read(value: str, tmp_path: Path) -> None:
    """Neither 400 MB nor `bytes(9000000000)` is allocated; the entry can be replaced."""
    path = tmp_path / "a.db"
    if "400" in value and not hasattr(sqlite3.Connection, "setlimit"):
        pytest.skip("SQLite reads it in pages before Python 3.11")
    # The values are those above.
    store = tampered(path, f"UPDATE policies SET packed = {value}")  # noqa: S608
    began = time.process_time()

    assert store.get(SITE) is None
    assert list(store.entries()) == []
    assert time.process_time() - began < 1
    if "400" not in value:
        store.put(Stored(SITE, b"new", 9e9))
        assert store.get(SITE) == b"new"
    store.close()


VIEW = "CREATE VIEW policies (origin, keep_until, used_at, packed) AS"
ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"


@pytest.mark.parametrize(
    "table",
    [
        f"{VIEW} {ENDLESS} SELECT 'a', x, x, x FROM c WHERE x < 0",  # noqa: S608 - no input
        f"{VIEW} SELECT 'a', 1, 1, x'00'",
        "CREATE TABLE policies (origin, keep_until, used_at, packed)",
        "CREATE TABLE policies (origin TEXT PRIMARY KEY, packed BLOB)",
        "CREATE TABLE policies (origin, keep_until, used_at, packed AS (zeroblob(9)))",
        "CREATE VIRTUAL TABLE policies USING fts5(origin, keep_until, used_at, packed)",
    ],
)
def test_foreign_table_of_policies_is_an_error(table: str, tmp_path: Path) -> None:
    """The error is raised before anything is read from the table."""
    store = tampered(tmp_path / "a.db", f"DROP TABLE policies; {table}")

    for call in (
        lambda: store.get(SITE),
        lambda: store.put(Stored(SITE, b"x", 9e9)),
        lambda: list(store.entries()),
        lambda: store.forget(SITE),
    ):
        with pytest.raises(StoreError, match="it has other tables"):
            call()
    store.close()


def test_endless_query_is_interrupted(tmp_path: Path) -> None:
    """No statement takes longer than a call may."""
    store = SqliteStore(str(tmp_path / "a.db"))

    with pytest.raises(StoreError, match="interrupted"), store._connected() as base:
        base.execute(f"{ENDLESS} SELECT count(*) FROM c").fetchone()  # noqa: S608 - no input

    store.put(Stored(SITE, b"x", 9e9))
    assert store.get(SITE) == b"x"
    store.close()


def test_schema_is_not_trusted(tmp_path: Path) -> None:
    """SQL functions in the schema of the file are not run: `trusted_schema` is off."""
    store = tampered(tmp_path / "a.db", "PRAGMA user_version = 2")
    store.get(SITE)
    assert store._connection is not None

    assert store._connection.execute("PRAGMA trusted_schema").fetchone() == (0,)
    store.close()


def test_entry_of_the_maximum_size_is_read_back(tmp_path: Path) -> None:
    """The limits set for SQLite are wider than the limit of an entry."""
    store = SqliteStore(str(tmp_path / "a.db"), timeout=20)
    entry = b"x" * MAX_ENTRY_BYTES

    store.put(Stored(SITE, entry, 9e9))

    assert store.get(SITE) == entry
    store.close()


def test_expired_policies_are_deleted_from_the_file(
    tmp_path: Path, clock: FakeClock
) -> None:
    """The first write of a later crawl deletes expired policies."""
    with store_on(tmp_path / "a.db", clock) as store:
        store.put(unavailable())
    clock.now += 300

    with store_on(tmp_path / "a.db", clock) as store:
        store.put(parsed(origin=OTHER, at=clock.now))

    with closing(sqlite3.connect(tmp_path / "a.db")) as base:
        assert base.execute("SELECT origin FROM policies").fetchall() == [(str(OTHER),)]


def test_entries_yields_every_page(tmp_path: Path, clock: FakeClock) -> None:
    """More entries than are read at once are all yielded."""
    store = SqliteStore(str(tmp_path / "a.db"), clock=clock)
    for number in range(1101):
        store.put(Stored(host(number), b"x", NOW + 1))

    found = [stored.origin for stored in store.entries()]

    assert sorted(found) == sorted(map(host, range(1101)))
    store.close()


def test_origins_that_are_not_utf_8_do_not_stop_entries(tmp_path: Path) -> None:
    """Another program can write any bytes; `entries` still yields the entry."""
    store = tampered(
        tmp_path / "a.db",
        "UPDATE policies SET origin = CAST(x'687474703a2f2f61ff' AS TEXT)",
    )

    assert len(list(store.entries())) == 1
    store.close()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            b"this is no database, and long enough to be read as one" * 99,
            "not a database",
        ),
        (b"", ""),
    ],
)
def test_file_that_is_not_a_database_is_a_store_error(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    """The file is neither read nor overwritten; an empty file becomes a store."""
    path = tmp_path / "a.db"
    path.write_bytes(content)

    assert expected in error_of(SqliteStore(str(path)))
    assert not content or path.read_bytes() == content


def error_of(store: SqliteStore) -> str:
    """Put a policy; return the message of the `StoreError`, or an empty string."""
    try:
        store.put(Stored(SITE, b"x", 9e9))
    except StoreError as error:
        return str(error)
    finally:
        store.close()
    return ""


def test_database_of_another_program_is_not_written_to(tmp_path: Path) -> None:
    """The error says that the database belongs to another program."""
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE policies (number INTEGER)")

    assert "belongs to another program" in error_of(SqliteStore(str(path)))


def test_database_of_another_version_is_not_written_to(tmp_path: Path) -> None:
    """The tables of a later version may have another meaning."""
    path = tmp_path / "later.db"
    assert error_of(SqliteStore(str(path))) == ""
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA user_version = 99")

    assert "another version" in error_of(SqliteStore(str(path)))


def test_missing_folder_is_a_store_error(tmp_path: Path) -> None:
    """The message contains the path."""
    path = tmp_path / "not" / "there.db"

    assert str(path) in error_of(SqliteStore(str(path)))


def test_locked_database_is_a_store_error(tmp_path: Path) -> None:
    """While another program has the lock, a write fails after its timeout."""
    path = tmp_path / "a.db"
    assert error_of(SqliteStore(str(path))) == ""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("BEGIN EXCLUSIVE")

        assert "locked" in error_of(SqliteStore(str(path), timeout=0.05))


def test_full_disk_is_a_store_error(tmp_path: Path) -> None:
    """Stored policies can still be read. A limit of SQLite simulates the full disk."""
    path = tmp_path / "a.db"
    store = SqliteStore(str(path))
    store.put(Stored(SITE, b"x", NOW * 9000))
    assert store._connection is not None
    store._connection.execute("PRAGMA max_page_count = 1").fetchall()

    with pytest.raises(StoreError, match="full"):
        store.put(Stored(OTHER, b"x" * 100_000, NOW * 9000))

    assert store.get(SITE) == b"x"
    store.close()


def test_reading_creates_no_file(tmp_path: Path) -> None:
    """A mistyped path does not become a new store."""
    store = SqliteStore(str(tmp_path / "a.db"))

    assert store.get(SITE) is None
    assert list(store.entries()) == []
    assert not store.forget(SITE)
    store.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["sqlite:///a.db", "SQLITE:///a.db", "sqlite:///a.db?"]
)
def test_three_slashes_name_a_file_in_the_working_directory(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three slashes are for a relative path, four for an absolute one."""
    monkeypatch.chdir(tmp_path)

    assert error_of(SqliteStore.from_url(name, timeout=2)) == ""
    absolute = f"sqlite:///{tmp_path}/b.db?max_bytes=100000"
    assert error_of(SqliteStore.from_url(absolute, timeout=2)) == ""

    assert {path.name for path in tmp_path.iterdir()} >= {"a.db", "b.db"}


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "sqlite://robots.db",
        "sqlite:///a.db?max_bytes=0",
        "sqlite:///a.db?max_bytes=65535",
        "sqlite:///a.db?size=5",
    ],
)
def test_invalid_url_is_rejected_with_an_example(url: str) -> None:
    """The message has an example of a valid URL."""
    with pytest.raises(
        SettingsError, match=r'write for example "sqlite:///'
    ) as refused:
        SqliteStore.from_url(url, timeout=2)

    assert str(refused.value).endswith(".")
