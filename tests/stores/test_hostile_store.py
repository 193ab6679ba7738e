"""Another writer of a store: an SQLite file with more in it than our table is refused."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from scrapy_robots1994 import Origin, RobotsError, open_store
from scrapy_robots1994.stores.base import Stored

SITE = Origin("http", "a.example", 80)
ROWS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500)"
FILL = (
    "INSERT INTO policies SELECT 'http://h' || x, 9e9, 9e9, zeroblob(100000) "  # noqa: S608 - no input
    f"FROM ({ROWS} SELECT x FROM c)"
)
OBJECTS = [
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
]


def stored(name: str) -> Stored:
    """Return an entry of an hour."""
    return Stored(Origin("http", name, 80), b"packed", time.time() + 3600)


def add(path: Path, sql: str) -> None:
    """Let another program execute *sql* in the file at *path*."""
    with closing(sqlite3.connect(path)) as base:
        base.executescript(sql)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("sql", OBJECTS)
def test_sqlite_file_with_other_objects_is_refused(
    sql: str, tmp_path: Path, *, is_open: bool
) -> None:
    """Nothing is written, whether they were there before it was opened or not."""
    path = tmp_path / "a.db"
    store = open_store(f"sqlite:///{path}")
    store.put(stored("a.example"))
    if not is_open:
        store.close()
    add(path, sql)

    with pytest.raises(RobotsError) as refused:
        store.put(stored("b.example"))
    if is_open:
        for call in (store.get, store.forget):
            with pytest.raises(RobotsError, match="other tables, indexes"):
                call(SITE)
    store.close()

    assert str(refused.value) == (
        f"{path}: it has other tables, indexes, views or triggers than ours; remove it"
    )
    with closing(sqlite3.connect(path)) as base:
        names = base.execute("SELECT origin FROM policies").fetchall()
    assert names == [("http://a.example",)]
