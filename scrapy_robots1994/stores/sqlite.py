"""`sqlite://`: one file, shared by the processes of one machine, safe from SIGKILL."""

from __future__ import annotations

import sqlite3
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.base import MAX_ENTRY_BYTES, PolicyStore, Stored
from scrapy_robots1994.stores.sqlite_file import connect, number_of, transaction
from scrapy_robots1994.stores.url import UrlParts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from typing_extensions import Self

MAX_BYTES: Final = 1_000_000_000
"""Bytes of the file if the URL does not say otherwise."""

BATCH: Final = 10
"""Entries deleted at a time."""

SLACK_PAGES: Final = 250
"""Pages freed at a time past the bound, so that not every write has to delete."""

PAGE: Final = 500
"""Names read at a time by a walk through all entries."""

MAX_USES: Final = 10_000
"""Uses noted in memory until the next write; past it the oldest is dropped."""

PAGES_GIVEN_BACK: Final = 2_000
"""Pages by which one write shortens the file at most: some milliseconds."""

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
            with transaction(base):
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
                with suppress(sqlite3.Error), transaction(connection):
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
            self._connection = connect(self._path, self._seconds, self._is_late)
        return self._connection

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
        base.executemany(_USED, [(at, name, at) for name, at in self._uses.items()])
        self._uses.clear()

    def _delete_unused(self, base: sqlite3.Connection) -> None:
        """Delete the least recently used entries until the rest fits."""
        if self._excess(base) <= 0:
            return
        self._write_uses(base)
        pages = self._max_bytes // number_of(base, "page_size")
        slack = min(pages // 50, SLACK_PAGES)
        while self._excess(base) > -slack:
            if not base.execute(_DELETE_UNUSED, (BATCH,)).rowcount:
                return

    def _excess(self, base: sqlite3.Connection) -> int:
        """Return by how many pages the entries exceed the bound; less than 0 if not."""
        used = number_of(base, "page_count") - number_of(base, "freelist_count")
        return used - self._max_bytes // number_of(base, "page_size")

    def _give_pages_back(self, base: sqlite3.Connection) -> None:
        """Cut the file by free pages past the bound, a few with each write."""
        pages = self._max_bytes // number_of(base, "page_size")
        excess = min(number_of(base, "page_count") - pages, PAGES_GIVEN_BACK)
        if excess > 0:
            # `execute` would end after the first page.
            base.executescript(f"PRAGMA incremental_vacuum({excess})")


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
# To free a cell of 400 MB that another program wrote takes SQLite seconds, in one step
# that no handler interrupts. The call is abandoned then, and its thread completes it.
_PUT = (
    "INSERT OR REPLACE INTO policies (origin, keep_until, used_at, packed) "
    "VALUES (?, ?, ?, ?)"
)
_FORGET = "DELETE FROM policies WHERE origin = ?"
_USED = (
    "UPDATE policies SET used_at = ? WHERE origin = ? AND used_at < ? "  # noqa: S608 - no input
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
