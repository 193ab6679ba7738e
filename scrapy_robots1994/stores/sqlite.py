"""`sqlite://`: a store in one file. The processes of one machine can share the file. Stored
policies persist even if a process is killed.

Another program might have created or changed the file. The store detects a file that
another program created, and additional objects in the file, such as triggers. The store
does not read an entry that exceeds the maximum size.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from scrapy_robots1994.errors import SettingsError, StoreError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, PolicyStore, Stored
from scrapy_robots1994.stores.url import UrlParts

FILE_BYTES: Final = 1_000_000_000
"""Default limit for the size of the file, in bytes."""

MIN_BYTES: Final = 65_536
"""Smallest permitted limit for the size of the file, in bytes. Even a file without entries
is about 25,000 bytes long.
"""

BATCH: Final = 10
"""Maximum number of entries that one statement deletes."""

MAX_BATCHES: Final = 100
"""Maximum number of batches of old entries that one write deletes. If the file is still too
large, later writes delete more entries.
"""

MAX_NAME: Final = 1_000
"""Maximum number of characters in an origin. This package never writes an origin that
exceeds the maximum.
"""

APPLICATION_ID: Final = 0x19940630
"""The number that marks a database of this package, so that a database of another program
is never changed.
"""

VERSION: Final = 2
"""Version of the table. Entries have a separate version (`codec.VERSION`)."""

# `auto_vacuum` must be set before the first page is written. If several processes open a
# new database at once, only one process creates the table, and then all processes
# continue. `used_at` is the time when the entry was stored. In version 0.1 of this
# package, `used_at` was the time when the entry was last used.
SCHEMA: Final = f"""
PRAGMA auto_vacuum = INCREMENTAL;
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS policies (
    origin TEXT PRIMARY KEY NOT NULL,
    keep_until REAL NOT NULL,
    used_at REAL NOT NULL,
    packed BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS policies_by_end ON policies (keep_until);
CREATE INDEX IF NOT EXISTS policies_by_use ON policies (used_at);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
COMMIT;
"""

# SQLite's documentation recommends the first three pragmas for a file that another
# program might have written. With `synchronous = NORMAL` a commit does not wait for an
# fsync. If a process is killed, no commit is lost. After a power failure, the last
# commits might be missing, but the file is intact. The last two pragmas limit the
# write-ahead log. The log is copied into the database file after 250 pages (1 MB). After
# the copy, a log file that is longer than 1 MB is truncated.
PRAGMAS: Final = """
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA mmap_size = 0;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 250;
PRAGMA journal_size_limit = 1048576;
"""

# Read origins as bytes, because an origin in the file is not necessarily valid UTF-8.
# `entries` needs the exact bytes to find the next origin.
_ENTRY = (
    "SELECT CAST(origin AS BLOB), keep_until, CASE WHEN typeof(packed) = 'blob' "  # noqa: S608 - no input
    f"AND length(packed) <= {MAX_ENTRY_BYTES} THEN packed END FROM policies "
    "WHERE typeof(keep_until) IN ('real', 'integer') "
)
_GET = f"{_ENTRY} AND origin = ?"
_NEXT = (
    f"{_ENTRY} AND origin > CAST(? AS TEXT) AND typeof(origin) = 'text' "
    f"AND length(origin) <= {MAX_NAME} ORDER BY origin LIMIT 1"
)
# If another program has written 400 MB into one cell, SQLite takes seconds to free the
# cell, and no handler can interrupt SQLite. If SQLite exceeds the time limit, the crawl
# stops using the store, and the thread of the store completes the call.
_PUT = "INSERT OR REPLACE INTO policies VALUES (?, ?, ?, ?)"
_FORGET = "DELETE FROM policies WHERE origin = ?"
_DELETE = (
    "DELETE FROM policies WHERE rowid IN "  # noqa: S608 - no input
    f"(SELECT rowid FROM policies {{}} LIMIT {BATCH})"
)
_DELETE_EXPIRED = _DELETE.format("WHERE keep_until <= ?")
_DELETE_OLDEST = _DELETE.format("ORDER BY used_at")


@dataclass(eq=False)
class SqliteStore(PolicyStore):
    """Stores policies in the file at *path*. The size of the file is limited to about
    *max_bytes* bytes.

    If the file exceeds the limit, the entries that were stored first are deleted, and the
    file is shortened.
    """

    path: str
    max_bytes: int = FILE_BYTES
    timeout: float = 2.0
    clock: Callable[[], float] = time.time
    _connection: sqlite3.Connection | None = None

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> "SqliteStore":
        """Return the store for `sqlite:///relative.db` or `sqlite:////absolute.db`."""
        parts = UrlParts.split(url)
        parts.allow("max_bytes")
        if not parts.place.startswith("/") or len(parts.place) == 1:
            raise parts.refusal("a path must follow sqlite:///")
        max_bytes = parts.number("max_bytes", FILE_BYTES)
        if max_bytes < MIN_BYTES:
            raise parts.refusal(f"max_bytes must be at least {MIN_BYTES}")
        return cls(parts.place[1:], max_bytes=max_bytes, timeout=timeout)

    def get(self, origin: Origin) -> bytes | None:
        """Look up the entry of *origin* by the primary key."""
        row, _ = self._query(_GET, str(origin))
        return None if row is None or row[2] is None else bytes(row[2])

    def put(self, stored: Stored) -> None:
        """Store an entry. In the same transaction, delete some expired entries and, if
        the file exceeds its limit, the oldest entries.
        """
        now = self.clock()
        row = (str(stored.origin), stored.keep_until, now, stored.packed)
        with self._connected() as base:
            bound = self.max_bytes // _number(base, "page_size")
            with base:
                base.execute("BEGIN IMMEDIATE")
                base.execute(_PUT, row)
                base.execute(_DELETE_EXPIRED, (now,))
                _delete_oldest(base, bound)
            excess = _number(base, "page_count") - bound
            if excess > 0:
                # Use `executescript`, because `execute` would stop after the first page.
                base.executescript(f"PRAGMA incremental_vacuum({excess})")

    def forget(self, origin: Origin) -> bool:
        """Delete the entry of *origin*."""
        return self._query(_FORGET, str(origin))[1] > 0

    def entries(self) -> Iterator[Stored]:
        """Yield all entries, sorted by origin. Between two entries, no read transaction is
        open.
        """
        name = b""
        while row := self._query(_NEXT, name)[0]:
            name, keep_until, packed = row
            origin = Origin.of(name)
            if origin is not None and packed is not None:
                yield Stored(origin, bytes(packed), float(keep_until))

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @property
    def exists(self) -> bool:
        """Whether the file exists. The first `put` creates the file."""
        return Path(self.path).exists()

    def check(self) -> None:
        """Raise `SettingsError` if the path is a folder, or if the folder of the file does
        not exist.
        """
        path = Path(self.path).absolute()
        if path.is_dir():
            why = f"names a folder, {path}: add the name of a file."
        elif not path.parent.is_dir():
            why = f"names a file in a folder that does not exist, {path.parent}: make it, "
            why += "or choose another path."
        else:
            return
        raise SettingsError(f"ROBOTS1994_STORE {escape_control_chars(why, 400)}")

    def _query(self, statement: str, name: str | bytes) -> tuple[Any, int]:
        """Execute *statement*, and return its first row and the number of rows that it
        changed.
        """
        # Do not create the file if it does not exist.
        if self._connection is None and not self.exists:
            return None, 0
        with self._connected() as base:
            cursor = base.execute(statement, (name,))
            return cursor.fetchone(), cursor.rowcount

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection. After an error of SQLite, close the file and raise
        `StoreError`.

        Raise `StoreError` if the file does not belong to this package.
        """
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(
                    self.path, timeout=self.timeout, isolation_level=None
                )
                _prepare(self._connection)
            # Check the objects each time, because another program can add a trigger while
            # the file is open.
            _check_objects(self._connection)
            yield self._connection
        except sqlite3.Error as error:
            self.close()
            raise StoreError(f"{self.path}: {error}") from error


def _prepare(base: sqlite3.Connection) -> None:
    """Create the table if the file is new. Raise `sqlite3.DatabaseError` if another program
    or another version of this package wrote the file.
    """
    base.executescript(PRAGMAS)
    if not base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        base.executescript(SCHEMA)
    if _number(base, "application_id") != APPLICATION_ID:
        raise sqlite3.DatabaseError("this database belongs to another program")
    if _number(base, "user_version") != VERSION:
        raise sqlite3.DatabaseError(
            "another version of this package wrote the file; remove the file"
        )
    # With a write-ahead log (WAL), readers and a writer do not wait for each other. If a
    # process is killed, other processes read everything up to the last complete commit. If
    # another process uses the file now, the next process that opens the file sets the mode.
    with suppress(sqlite3.OperationalError):
        base.execute("PRAGMA journal_mode = WAL")


def _delete_oldest(base: sqlite3.Connection, bound: int) -> None:
    """Delete the entries that were stored first, until the remaining entries fit into
    *bound* pages.

    Delete at most `MAX_BATCHES` batches of entries.
    """
    for _ in range(MAX_BATCHES):
        if _number(base, "page_count") - _number(base, "freelist_count") <= bound:
            return
        base.execute(_DELETE_OLDEST)


def _check_objects(base: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` unless *base* contains our table and its indexes, and
    nothing else.

    A trigger would run at each write, and could fill the disk in one step. A view, a
    virtual table or an additional column could change the effects of our statements.
    """
    if _objects(base) != _own_objects():
        raise sqlite3.DatabaseError(
            "the file has other tables, indexes, views or triggers than ours; remove the file"
        )


@cache
def _own_objects() -> frozenset[tuple[str, str | None]]:
    """Return the objects in a new file of this package."""
    with closing(sqlite3.connect(":memory:")) as new:
        new.executescript(SCHEMA)
        return _objects(new)


def _objects(base: sqlite3.Connection) -> frozenset[tuple[str, str | None]]:
    """Return the name and the SQL of at most five objects in *base*. Five objects are
    enough to detect an additional object, because a file of this package has four
    objects.
    """
    return frozenset(base.execute("SELECT name, sql FROM sqlite_master LIMIT 5"))


def _number(base: sqlite3.Connection, name: str) -> int:
    return int(base.execute(f"PRAGMA {name}").fetchone()[0])
