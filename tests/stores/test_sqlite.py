"""The SQLite store: the contract, its bound, and files that are not right."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.errors import SettingsError, StoreError
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import Stored
from scrapy_robots1994.stores.sqlite import SqliteStore
from tests.policy.samples import NOW, SITE, parsed, unreachable
from tests.stores.clock import FakeClock
from tests.stores.contract import OTHER, StoreContract
from tests.stores.lasting import Held

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def clock() -> FakeClock:
    """Make the clock that the store reads."""
    return FakeClock()


class TestSqliteStore(StoreContract):
    """The SQLite store keeps the contract of all stores."""

    def new_store(self, clock: FakeClock, folder: Path) -> Held:
        """Make an empty store in a file of its own."""
        return held_at(folder / "robots.db", clock)


def held_at(path: Path, clock: FakeClock, max_origins: int = 1000) -> Held:
    """Open the store at a path."""
    return Held(SqliteStore(str(path), max_origins=max_origins, clock=clock), clock)


def host(number: int) -> Origin:
    """Name the origin of a number."""
    return Origin("http", f"host{number}.example", 80)


def test_policies_outlive_the_store_that_was_told(
    tmp_path: Path, clock: FakeClock
) -> None:
    """Closed and opened again, the file holds what was put."""
    with held_at(tmp_path / "a.db", clock) as store:
        store.put(parsed())
        store.put(unreachable(origin=OTHER))

    with held_at(tmp_path / "a.db", clock) as store:
        assert store.get(SITE) == parsed()
        assert len(store) == 2


def test_two_processes_see_each_others_policies(
    tmp_path: Path, clock: FakeClock
) -> None:
    """What one put the other one finds, both having the file open."""
    with (
        held_at(tmp_path / "a.db", clock) as one,
        held_at(tmp_path / "a.db", clock) as two,
    ):
        one.put(parsed())
        assert two.get(SITE) == parsed()
        two.put(parsed(origin=OTHER))
        assert one.get(OTHER) is not None


def test_many_may_make_the_file_at_once(tmp_path: Path) -> None:
    """Workers that start together find one whole store, whoever makes it."""
    path = str(tmp_path / "a.db")

    async def put(number: int) -> None:
        store = SqliteStore(path, patience=20)
        await store.put(Stored(host(number), b"x", 9e9))
        await store.close()

    async def all_at_once() -> None:
        await asyncio.gather(*map(put, range(12)))

    asyncio.run(all_at_once())

    with closing(sqlite3.connect(path)) as base:
        assert base.execute("SELECT count(*) FROM policies").fetchone() == (12,)


def test_it_holds_no_more_than_its_bound(tmp_path: Path, clock: FakeClock) -> None:
    """Past `max_origins` those go first whose end is nearest."""
    with held_at(tmp_path / "a.db", clock, max_origins=3) as store:
        for number in range(9):
            store.put(parsed(origin=host(number), at=NOW + number))
            assert len(store) <= 3

        assert {policy.origin for policy in store} == {host(6), host(7), host(8)}


def test_what_is_over_goes_from_the_file(tmp_path: Path, clock: FakeClock) -> None:
    """The first write of a later crawl takes out what nobody wants any more."""
    with held_at(tmp_path / "a.db", clock) as store:
        store.put(unreachable())
    clock.now += 300

    with held_at(tmp_path / "a.db", clock) as store:
        store.put(parsed(origin=OTHER, at=clock.now))

    with closing(sqlite3.connect(tmp_path / "a.db")) as base:
        assert base.execute("SELECT origin FROM policies").fetchall() == [(str(OTHER),)]


def test_every_page_of_a_walk_is_walked(tmp_path: Path, clock: FakeClock) -> None:
    """Who goes through more entries than are read at once misses none."""
    store = SqliteStore(str(tmp_path / "a.db"), clock=clock)

    async def walk() -> list[Origin]:
        for number in range(1101):
            await store.put(Stored(host(number), b"x", NOW + 1))
        found = [stored.origin async for stored in store.entries()]
        await store.close()
        return found

    assert sorted(asyncio.run(walk())) == sorted(map(host, range(1101)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"this is no database, and long enough to be read as one" * 99,
            "not a database",
        ),
        (b"", ""),
    ],
)
def test_a_file_that_is_no_database_is_a_store_error(
    tmp_path: Path, content: bytes, said: str
) -> None:
    """It is neither read nor overwritten; an empty file becomes a store."""
    path = tmp_path / "a.db"
    path.write_bytes(content)

    assert said in said_of(SqliteStore(str(path)))
    assert not content or path.read_bytes() == content


def said_of(store: SqliteStore) -> str:
    """Put a policy, and give the sentence of the `StoreError`, if there is one."""

    async def put() -> str:
        try:
            await store.put(Stored(SITE, b"x", NOW))
        except StoreError as error:
            return str(error)
        finally:
            await store.close()
        return ""

    return asyncio.run(put())


def test_the_database_of_another_program_is_not_written_to(tmp_path: Path) -> None:
    """Tables that are not ours stay as they are."""
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE policies (number INTEGER)")

    assert "belongs to another program" in said_of(SqliteStore(str(path)))


def test_a_database_of_another_version_is_not_written_to(tmp_path: Path) -> None:
    """A later version's tables may mean something else."""
    path = tmp_path / "later.db"
    assert said_of(SqliteStore(str(path))) == ""
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA user_version = 99")

    assert "another version" in said_of(SqliteStore(str(path)))


def test_a_folder_that_is_not_there_is_a_store_error(tmp_path: Path) -> None:
    """The sentence names the file."""
    path = tmp_path / "not" / "there.db"

    assert str(path) in said_of(SqliteStore(str(path)))


def test_a_locked_database_is_a_store_error(tmp_path: Path) -> None:
    """While another program holds the lock, a write gives up after its patience."""
    path = tmp_path / "a.db"
    assert said_of(SqliteStore(str(path))) == ""
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("BEGIN EXCLUSIVE")

        assert "locked" in said_of(SqliteStore(str(path), patience=0.05))


def test_a_full_disk_is_a_store_error(tmp_path: Path) -> None:
    """SQLite's own limit stands in for the disk's; what is held can still be read."""
    path = tmp_path / "a.db"
    store = SqliteStore(str(path))

    async def fill() -> bytes | None:
        await store.put(Stored(SITE, b"x", NOW * 9000))
        assert store._connection is not None
        limit = "PRAGMA max_page_count = 1"
        await store._do(lambda base: base.execute(limit).fetchall())
        with pytest.raises(StoreError, match="full"):
            await store.put(Stored(OTHER, b"x" * 100_000, NOW * 9000))
        held = await store.get(SITE)
        await store.close()
        return held

    assert asyncio.run(fill()) == b"x"


def test_closing_ends_the_thread(tmp_path: Path) -> None:
    """After `close` no thread of the store is left, opened or not."""
    store = SqliteStore(str(tmp_path / "a.db"))
    asyncio.run(store.close())

    said_of(store)

    ours = [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith("robots1994-sqlite")
    ]
    for thread in ours:
        thread.join(10)
    assert not [thread for thread in ours if thread.is_alive()]


@pytest.mark.parametrize(
    "name", ["sqlite:///a.db", "SQLITE:///a.db", "sqlite:///a.db?"]
)
def test_three_slashes_name_a_file_of_the_working_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As everywhere else: three for a relative path, four for an absolute one."""
    monkeypatch.chdir(tmp_path)

    assert said_of(SqliteStore.from_url(name, timeout=2)) == ""
    absolute = f"sqlite:///{tmp_path}/b.db?max_origins=5"
    assert said_of(SqliteStore.from_url(absolute, timeout=2)) == ""

    assert {path.name for path in tmp_path.iterdir()} >= {"a.db", "b.db"}


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///",
        "sqlite://robots.db",
        "sqlite:///a.db?max_origins=0",
        "sqlite:///a.db?size=5",
    ],
)
def test_a_wrong_url_is_refused_in_one_sentence(url: str) -> None:
    """The sentence says what to write."""
    with pytest.raises(
        SettingsError, match=r'write for example "sqlite:///'
    ) as refused:
        SqliteStore.from_url(url, timeout=2)

    assert str(refused.value).endswith(".")
