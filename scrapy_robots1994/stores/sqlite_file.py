"""The file of a SQLite store: made, recognised, and bounded in what it can do."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

APPLICATION_ID: Final = 0x19940630
"""Marks a database as ours, so that the one of another program is never written to."""

VERSION: Final = 2
"""Of the table. The entries have a version of their own (`codec`)."""

TABLE: Final = """CREATE TABLE policies (
    origin TEXT PRIMARY KEY NOT NULL,
    keep_until REAL NOT NULL,
    used_at REAL NOT NULL,
    packed BLOB NOT NULL
)"""

SCHEMA: Final = f"""
BEGIN IMMEDIATE;
{TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1)};
CREATE INDEX IF NOT EXISTS policies_by_end ON policies (keep_until);
CREATE INDEX IF NOT EXISTS policies_by_use ON policies (used_at);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
COMMIT;
"""

LIMITS: Final = {
    # From "Defense Against The Dark Arts" in SQLite's documentation, for a file that
    # another program may have written.
    "SQLITE_LIMIT_LENGTH": MAX_ENTRY_BYTES + 2**16,
    "SQLITE_LIMIT_SQL_LENGTH": 100_000,
    "SQLITE_LIMIT_COLUMN": 100,
    "SQLITE_LIMIT_EXPR_DEPTH": 20,
    "SQLITE_LIMIT_COMPOUND_SELECT": 10,
    "SQLITE_LIMIT_VDBE_OP": 25_000,
    "SQLITE_LIMIT_ATTACHED": 0,
    "SQLITE_LIMIT_TRIGGER_DEPTH": 10,
}

PRAGMAS: Final = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    # No fsync for a commit: it survives any death of a process. After a power failure
    # the last commits may be missing, and the file is whole.
    "synchronous = NORMAL",
    # Pages (1 MB) of the log next to the file, after which they are moved into it. The
    # log is cut back then, or it would keep its largest size.
    "wal_autocheckpoint = 250",
    "journal_size_limit = 1048576",
)

STEPS_BETWEEN_CHECKS: Final = 10_000
"""Steps of SQLite's machine between two looks at the clock: well under 1 ms."""

RETRY_SECONDS: Final = 0.02
"""Pause between attempts to make a database that other processes are making, too."""


def connect(
    path: str, timeout: float, is_late: Callable[[], bool]
) -> sqlite3.Connection:
    """Return a connection to the store at *path*, made now if need be.

    A lock is waited for up to *timeout* seconds. What SQLite does is interrupted once
    *is_late* returns `True`. Raise `sqlite3.Error` if the file is not a store of ours.
    """
    base = sqlite3.connect(path, timeout=timeout, isolation_level=None)
    try:
        _prepare(base, is_late)
    except BaseException:
        base.close()
        raise
    return base


@contextmanager
def transaction(base: sqlite3.Connection) -> Iterator[None]:
    """Commit what the block writes, or nothing of it."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
        base.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself after some errors, a full disk for example.
        if base.in_transaction:
            base.execute("ROLLBACK")
        raise


def number_of(base: sqlite3.Connection, name: str) -> int:
    """Return the number that `PRAGMA` *name* gives."""
    number: Any = base.execute(f"PRAGMA {name}").fetchone()[0]
    return int(number)


def _prepare(base: sqlite3.Connection, is_late: Callable[[], bool]) -> None:
    """Bound what the file can make SQLite do, make the table, check it."""
    base.set_progress_handler(is_late, STEPS_BETWEEN_CHECKS)
    base.text_factory = _to_text
    # Absent before Python 3.11: then `length()` and the clock are the only bounds.
    if hasattr(base, "setlimit"):
        for name, limit in LIMITS.items():
            base.setlimit(getattr(sqlite3, name), limit)
    for pragma in PRAGMAS:
        base.execute(f"PRAGMA {pragma}")
    # In this order: what another process makes meanwhile is ours and whole.
    if not base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        _make(base, is_late)
    _check_owner(base)


def _make(base: sqlite3.Connection, is_late: Callable[[], bool]) -> None:
    """Make the table. Of several processes at once one does, and all continue."""
    # Before the first page is written: it cannot be changed later.
    base.execute("PRAGMA auto_vacuum = INCREMENTAL")
    while True:
        try:
            # Readers and a writer do not wait for each other, and after a process was
            # killed, the next one reads up to the last whole commit.
            base.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError:
            # SQLite does not wait for this lock by itself.
            if is_late():
                raise
            time.sleep(RETRY_SECONDS)
    base.executescript(SCHEMA)


def _check_owner(base: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` unless this database is a policy store."""
    if number_of(base, "application_id") != APPLICATION_ID:
        raise sqlite3.DatabaseError("this database belongs to another program")
    if number_of(base, "user_version") != VERSION:
        raise sqlite3.DatabaseError("written by another version; remove it")
    found = base.execute("SELECT sql FROM sqlite_master WHERE name = 'policies'")
    # A view, a virtual table and other columns are different statements.
    if [row[0] for row in found] != [TABLE]:
        raise sqlite3.DatabaseError(
            "its table of policies is not ours; remove the file"
        )


def _to_text(raw: bytes) -> str:
    """Decode text of a file that another program may have written."""
    return raw.decode("utf-8", "replace")
