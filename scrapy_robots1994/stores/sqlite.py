"""`sqlite://`: one file, shared by the processes of one machine, safe from SIGKILL."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, PolicyStore, Stored
from scrapy_robots1994.stores.url import UrlParts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

MAX_BYTES: Final = 1_000_000_000
"""Bytes of the file if the URL does not say otherwise."""

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

STEPS_BETWEEN_CHECKS: Final = 10_000
"""Steps of SQLite's machine between two looks at the clock: well under 1 ms."""

BATCH: Final = 10
"""Entries deleted at a time."""

SLACK_PAGES: Final = 250
"""Pages freed at a time past the bound, so that not every write has to delete."""

PAGE: Final = 500
"""Names read at a time by a walk through all entries."""

MAX_USES: Final = 10_000
"""Uses noted in memory until the next write; past it the oldest is dropped."""

RETRY_SECONDS: Final = 0.02
"""Pause between attempts to make a database that other processes are making, too."""

PAGES_GIVEN_BACK: Final = 2_000
"""Pages by which one write shortens the file at most: some milliseconds."""

LOG_PAGES: Final = 250
"""Pages of the log beside the file (1 MB) after which they are moved into the file."""

MAX_NAME: Final = 1_000
"""Characters of an origin; a longer one is not ours."""


class SqliteStore(PolicyStore):
    """Stores policies in the file at *path*, which has about *max_bytes* bytes at most.

    The least recently used are deleted first, and their pages given back. A use is
    noted in memory and written with a later write, so reading writes nothing.
    """

    def __init__(
        self,
        path: str,
        *,
        max_bytes: int = MAX_BYTES,
        timeout: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._max_bytes = max_bytes
        # Shorter than the caller's, so that "locked" or "interrupted" is the reason.
        self._seconds = timeout * 0.8
        self._clock = clock
        self._give_up = 0.0
        self._connection: sqlite3.Connection | None = None
        self._uses: dict[str, float] = {}

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """Return the store of `sqlite:///relative.db` or `sqlite:////absolute.db`."""
        parts = UrlParts.split(url)
        parts.allow("max_bytes")
        if not parts.place.startswith("/") or len(parts.place) == 1:
            raise parts.refusal("a path must follow sqlite:///")
        max_bytes = parts.count("max_bytes", MAX_BYTES)
        return cls(parts.place[1:], max_bytes=max_bytes, timeout=timeout)

    def get(self, origin: Origin) -> bytes | None:
        """Look up one entry by its primary key."""
        with self._errors():
            base = self._open_existing()
            row = base and base.execute(_GET, (str(origin),)).fetchone()
        if not row or row[0] is None:
            return None
        self._note_use(str(origin))
        return bytes(row[0])

    def put(self, stored: Stored) -> None:
        """Store an entry, and delete what is over or past the bound, in one commit."""
        with self._errors():
            base = self._open()
            with _transaction(base):
                now = self._clock()
                row = (str(stored.origin), stored.keep_until, now, stored.packed)
                base.execute(_PUT, row)
                base.execute(_DELETE_EXPIRED, (now, BATCH))
                self._delete_unused(base)
            self._give_pages_back(base)

    def forget(self, origin: Origin) -> bool:
        """Delete one entry."""
        with self._errors():
            base = self._open_existing()
            return bool(base and base.execute(_FORGET, (str(origin),)).rowcount)

    def entries(self) -> Iterator[Stored]:
        """Yield all entries by name. No read transaction stays open between two."""
        after = ""
        while names := self._names(after):
            for name in names:
                with self._errors():
                    row = self._open().execute(_ENTRY, (name,)).fetchone()
                origin = Origin.of(name)
                if origin is not None and row is not None and row[1] is not None:
                    yield Stored(origin, bytes(row[1]), float(row[0]))
            after = names[-1]

    def close(self) -> None:
        """Write the uses that are noted, and close the file."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with self._errors():
            try:
                # A note that cannot be written costs a little of the order, no more.
                with suppress(sqlite3.Error), _transaction(connection):
                    self._write_uses(connection)
            finally:
                connection.close()

    def _names(self, after: str) -> list[str]:
        """Return the next names of a walk; none if there is no file."""
        with self._errors():
            base = self._open_existing()
            return [row[0] for row in base.execute(_NAMES, (after,))] if base else []

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Bound what SQLite does in the block in time; its errors become `StoreError`."""
        self._give_up = time.monotonic() + self._seconds
        try:
            yield
        except sqlite3.Error as error:
            shown = escape_control_chars(self._path, 500)
            text = escape_control_chars(str(error), 300)
            raise StoreError(f"{shown}: {text}") from error

    def _open_existing(self) -> sqlite3.Connection | None:
        """Return the database, or `None` if there is no file: reading makes none."""
        if self._connection is None and not Path(self._path).exists():
            return None
        return self._open()

    def _open(self) -> sqlite3.Connection:
        """Return the database, made now if need be, and checked to be ours."""
        if self._connection is None:
            base = sqlite3.connect(
                self._path, timeout=self._seconds, isolation_level=None
            )
            try:
                self._prepare(base)
            except BaseException:
                base.close()
                raise
            self._connection = base
        return self._connection

    def _prepare(self, base: sqlite3.Connection) -> None:
        """Bound what the file can make SQLite do, make the tables, check them."""
        base.set_progress_handler(self._is_late, STEPS_BETWEEN_CHECKS)
        base.text_factory = _to_text
        # Absent before Python 3.11: then `length()` and the clock are the only bounds.
        if hasattr(base, "setlimit"):
            for name, limit in LIMITS.items():
                base.setlimit(getattr(sqlite3, name), limit)
        for pragma in PRAGMAS:
            base.execute(f"PRAGMA {pragma}")
        # In this order: what another process makes meanwhile is ours and whole.
        if not base.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
            self._make(base)
        _check_owner(base)
        base.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")

    def _make(self, base: sqlite3.Connection) -> None:
        """Make the tables. Of several processes at once one does, and all continue."""
        # Before the first page is written: it cannot be changed later.
        base.execute("PRAGMA auto_vacuum = INCREMENTAL")
        while True:
            try:
                # Readers and a writer do not wait for each other, and after a process
                # was killed, the next one reads up to the last whole commit.
                base.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                # SQLite does not wait for this lock by itself.
                if self._is_late():
                    raise
                time.sleep(RETRY_SECONDS)
        base.executescript(SCHEMA)

    def _is_late(self) -> bool:
        """Return whether SQLite has to give up what it is doing."""
        return time.monotonic() > self._give_up

    def _note_use(self, name: str) -> None:
        """Remember in memory that an entry was used now."""
        self._uses.pop(name, None)
        self._uses[name] = self._clock()
        if len(self._uses) > MAX_USES:
            del self._uses[next(iter(self._uses))]

    def _write_uses(self, base: sqlite3.Connection) -> None:
        """Write when entries were used last, as far as this process knows."""
        base.executemany(_USED, [(at, name) for name, at in self._uses.items()])
        self._uses.clear()

    def _delete_unused(self, base: sqlite3.Connection) -> None:
        """Delete the least recently used entries until the rest fits."""
        if self._excess(base) <= 0:
            return
        self._write_uses(base)
        pages = self._max_bytes // _number(base, "PRAGMA page_size")
        slack = min(pages // 50, SLACK_PAGES)
        while self._excess(base) > -slack:
            if not base.execute(_DELETE_UNUSED, (BATCH,)).rowcount:
                return

    def _excess(self, base: sqlite3.Connection) -> int:
        """Return by how many pages the entries exceed the bound; less than 0 if not."""
        used = _number(base, "PRAGMA page_count") - _number(
            base, "PRAGMA freelist_count"
        )
        return used - self._max_bytes // _number(base, "PRAGMA page_size")

    def _give_pages_back(self, base: sqlite3.Connection) -> None:
        """Cut the file by free pages past the bound, a few with each write."""
        pages = self._max_bytes // _number(base, "PRAGMA page_size")
        excess = min(_number(base, "PRAGMA page_count") - pages, PAGES_GIVEN_BACK)
        if excess > 0:
            # `execute` would end after the first page.
            base.executescript(f"PRAGMA incremental_vacuum({excess})")


PRAGMAS: Final = (
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    # No fsync for a commit: it survives any death of a process. After a power failure
    # the last commits may be missing, and the file is whole.
    "synchronous = NORMAL",
    # The log is cut back after a checkpoint, or it keeps its largest size.
    "journal_size_limit = 1048576",
)

_PACKED = (
    "CASE WHEN typeof(packed) = 'blob' AND length(packed) <= "
    f"{MAX_ENTRY_BYTES} THEN packed END"
)
_GET = f"SELECT {_PACKED} FROM policies WHERE origin = ?"  # noqa: S608 - no input
_ENTRY = (
    f"SELECT keep_until, {_PACKED} FROM policies WHERE origin = ? "  # noqa: S608 - no input
    "AND typeof(keep_until) IN ('real', 'integer')"
)
_NAMES = (
    "SELECT origin FROM policies WHERE origin > ? AND typeof(origin) = 'text' "  # noqa: S608 - no input
    f"AND length(origin) <= {MAX_NAME} ORDER BY origin LIMIT {PAGE}"
)
_PUT = (
    "INSERT OR REPLACE INTO policies (origin, keep_until, used_at, packed) "
    "VALUES (?, ?, ?, ?)"
)
_FORGET = "DELETE FROM policies WHERE origin = ?"
_USED = (
    "UPDATE policies SET used_at = ?1 WHERE origin = ?2 AND used_at < ?1 "  # noqa: S608 - no input
    # SQLite would have to load a cell that another program wrote.
    f"AND length(packed) <= {MAX_ENTRY_BYTES}"
)
_DELETE_EXPIRED = (
    "DELETE FROM policies WHERE rowid IN "
    "(SELECT rowid FROM policies WHERE keep_until <= ? LIMIT ?)"
)
_DELETE_UNUSED = (
    "DELETE FROM policies WHERE rowid IN "
    "(SELECT rowid FROM policies ORDER BY used_at LIMIT ?)"
)


@contextmanager
def _transaction(base: sqlite3.Connection) -> Iterator[None]:
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


def _check_owner(base: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` unless this database is a policy store."""
    if _number(base, "PRAGMA application_id") != APPLICATION_ID:
        raise sqlite3.DatabaseError("this database belongs to another program")
    if _number(base, "PRAGMA user_version") != VERSION:
        raise sqlite3.DatabaseError("written by another version; remove it")
    found = base.execute("SELECT sql FROM sqlite_master WHERE name = 'policies'")
    # A view, a virtual table and other columns are different statements.
    if [row[0] for row in found] != [TABLE]:
        raise sqlite3.DatabaseError(
            "its table of policies is not ours; remove the file"
        )


def _number(base: sqlite3.Connection, query: str) -> int:
    """Return the one number that *query* gives."""
    number: Any = base.execute(query).fetchone()[0]
    return int(number)


def _to_text(raw: bytes) -> str:
    """Decode text of a file that another program may have written."""
    return raw.decode("utf-8", "replace")
