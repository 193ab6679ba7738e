"""`sqlite://`: a store in one file, for processes on the same machine."""

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES
from scrapy_robots1994.stores.url import read_counts

FILE_BYTES: Final = 1_000_000_000
MIN_FILE_BYTES: Final = 1_000_000

_TABLE = "CREATE TABLE robots1994 (origin TEXT PRIMARY KEY, entry BLOB NOT NULL)"
# Check type and length first, because another program may have stored a number or a huge text.
_GET = (
    "SELECT entry FROM robots1994 WHERE origin = ? AND typeof(entry) = 'blob' "
    "AND length(entry) <= ?"
)
_PUT = "INSERT OR REPLACE INTO robots1994 VALUES (?, ?)"
# Deletes the oldest tenth, by rowid: an entry that is replaced gets a new, higher rowid.
_DELETE_OLDEST = (
    "DELETE FROM robots1994 WHERE rowid IN (SELECT rowid FROM robots1994 ORDER BY rowid "
    "LIMIT (SELECT count(*) / 10 + 1 FROM robots1994))"
)
# `synchronous = NORMAL` is faster than FULL, but a power failure may lose the last entries.
_PRAGMAS = """
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA synchronous = NORMAL;
PRAGMA journal_size_limit = 1048576;
"""


class SqliteStore:
    """A store in the file *path*. At about *max_bytes*, the oldest entries are deleted."""

    def __init__(self, path: str, *, max_bytes: int, timeout: float) -> None:
        self.path = path
        self.max_bytes = max_bytes
        self.timeout = timeout
        self._connection: sqlite3.Connection | None = None

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> "SqliteStore":
        """Return the store at *url*, `sqlite:///relative.db` or `sqlite:////absolute.db`."""
        address, _, query = url.partition("?")
        path = address.removeprefix("sqlite:///")
        if path in ("", address):
            raise ValueError("a path must follow sqlite:///")
        max_bytes = read_counts(query, {"max_bytes": FILE_BYTES})["max_bytes"]
        if max_bytes < MIN_FILE_BYTES:
            raise ValueError(f"max_bytes must be at least {MIN_FILE_BYTES}")
        file = Path(path).absolute()
        if file.is_dir() or not file.parent.is_dir():
            raise ValueError(
                f"it must name a file in an existing folder, unlike {file}"
            )
        return cls(path, max_bytes=max_bytes, timeout=timeout)

    def get(self, origin: str) -> bytes | None:
        row = self._opened().execute(_GET, (origin, MAX_ENTRY_BYTES)).fetchone()
        return row and bytes(row[0])

    def put(self, origin: str, entry: bytes, keep_until: float) -> None:
        base = self._opened()
        try:
            base.execute(_PUT, (origin, entry))
        except sqlite3.OperationalError as error:
            if "full" not in str(error) or not base.execute(_DELETE_OLDEST).rowcount:
                raise
            self.put(origin, entry, keep_until)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            base = sqlite3.connect(self.path, self.timeout, isolation_level=None)
            try:
                self._prepare(base)
            except BaseException:
                base.close()
                raise
            self._connection = base
        return self._connection

    def _prepare(self, base: sqlite3.Connection) -> None:
        """Create the table in a new file. Leave the file of another program unchanged."""
        base.executescript(_PRAGMAS)
        base.execute("BEGIN IMMEDIATE")
        # Ignore SQLite's own tables, such as `sqlite_stat1`.
        objects = base.execute(
            "SELECT sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' LIMIT 2"
        ).fetchall()
        if not objects:
            base.execute(_TABLE)
        elif objects != [(_TABLE,)]:
            raise sqlite3.DatabaseError(
                f"{self.path} belongs to another program or version; remove the file"
            )
        base.execute("COMMIT")
        page_size = base.execute("PRAGMA page_size").fetchone()[0]
        base.execute(f"PRAGMA max_page_count = {self.max_bytes // page_size}")
        # With a write-ahead log (WAL), readers and writers do not block each other. Switching to
        # this mode fails while another process uses the file. In that case, this process works
        # without a WAL, and the next one tries again.
        with suppress(sqlite3.OperationalError):
            base.execute("PRAGMA journal_mode = WAL")
