"""`sqlite://`: one file, shared by the processes of one machine, safe from SIGKILL."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from scrapy_robots1994.errors import StoreError
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores.address import Address
from scrapy_robots1994.stores.base import PolicyStore, Stored

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from typing_extensions import Self

T = TypeVar("T")
Rows: TypeAlias = "list[tuple[Any, ...]]"

EXAMPLE = 'write for example "sqlite:///robots.db?max_origins=1000000"'
MAX_ORIGINS = 1_000_000
"""Origins held when the URL does not say otherwise."""

APPLICATION_ID = 0x19940630
"""Marks a database as ours, so that nobody else's is ever written to."""

VERSION = 1
"""Of the tables; the entries have a version of their own (`packing`)."""

SWEEP_EVERY = 1_000
"""Writes of one process after which it takes out what nobody wants."""

PAGE = 500
"""Entries read at a time by who walks through all of them."""

RETRY = 0.02
"""Seconds between attempts to make a database that others are making too."""

PRAGMAS = (
    # No fsync a commit: what was committed survives any death of a process; after a
    # power failure the last commits may be missing, and the file is whole.
    "synchronous = NORMAL",
    # The log is cut back after a checkpoint, or it keeps the size of its worst day.
    "journal_size_limit = 8388608",
)

TABLES = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS policies (
    origin TEXT PRIMARY KEY NOT NULL,
    keep_until REAL NOT NULL,
    packed BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS policies_by_end ON policies (keep_until);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {VERSION};
COMMIT;
"""


class SqliteStore(PolicyStore):
    """Holds at most about *max_origins* answers in the file at *path*.

    One thread does all of it, so that a slow disk holds up no event loop. Past the
    bound, those go first whose end is nearest.
    """

    def __init__(
        self,
        path: str,
        *,
        max_origins: int = MAX_ORIGINS,
        patience: float = 2.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._path = path
        self._max_origins = max_origins
        self._patience = patience
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._thread: ThreadPoolExecutor | None = None
        self._writes = 0
        self._sweep_every = max(1, min(SWEEP_EVERY, max_origins // 100))

    @classmethod
    def from_url(cls, url: str, *, timeout: float) -> Self:
        """`sqlite:///relative.db`, `sqlite:////absolute.db`, option `max_origins`."""
        address = Address.read(url, EXAMPLE)
        address.allow("max_origins")
        if not address.place.startswith("/") or len(address.place) == 1:
            raise address.refusal("a path is wanted after sqlite:///")
        return cls(
            address.place[1:],
            max_origins=address.count("max_origins", MAX_ORIGINS),
            # To say "locked" itself, before the caller gives up.
            patience=timeout * 0.8,
        )

    async def get(self, origin: Origin) -> bytes | None:
        """One look-up by primary key."""
        rows = await self._look(_GET, (str(origin),))
        return bytes(rows[0][0]) if rows else None

    async def put(self, stored: Stored) -> None:
        """One commit."""
        await self._do(partial(self._put, stored=stored))

    async def forget(self, origin: Origin) -> bool:
        """One commit."""
        return await self._do(
            lambda base: base.execute(_FORGET, (str(origin),)).rowcount > 0,
            nothing=False,
        )

    async def entries(self) -> AsyncIterator[Stored]:
        """All entries by name, a page at a time: no reader keeps the log growing."""
        after = ""
        while rows := await self._look(_NEXT, (after, PAGE)):
            for name, keep_until, packed in rows:
                origin = Origin.of(name)
                if origin is not None:
                    yield Stored(origin, bytes(packed), keep_until)
            after = rows[-1][0]

    async def close(self) -> None:
        """Close the file and end the thread, once what was begun is done."""
        if self._thread is None:
            return
        try:
            if self._connection is not None:
                await self._do(sqlite3.Connection.close)
        finally:
            self._connection = None
            self._thread.shutdown(wait=False)
            self._thread = None

    async def _look(self, query: str, values: tuple[Any, ...]) -> Rows:
        """The rows that *query* gives; none where there is no file."""
        rows: Rows = []
        look = partial(_rows, query=query, values=values)
        return await self._do(look, nothing=rows)

    async def _do(
        self, work: Callable[[sqlite3.Connection], T], *, nothing: T | None = None
    ) -> T:
        """Run *work* in the store's thread; whatever SQLite minds is a `StoreError`.

        Where *nothing* is given and there is no file, that is the answer.
        """
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, "robots1994-sqlite")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._in_thread, work, nothing)

    def _in_thread(
        self, work: Callable[[sqlite3.Connection], T], nothing: T | None
    ) -> T:
        """Open the file when it is first needed, then *work*."""
        try:
            if self._connection is None:
                # To look makes no file: its path may be a slip of the pen.
                if nothing is not None and not Path(self._path).exists():
                    return nothing
                self._connection = self._open()
            return work(self._connection)
        except sqlite3.Error as error:
            shown = escape_control_chars(self._path, 500)
            raise StoreError(f"{shown}: {escape_control_chars(str(error))}") from error

    def _open(self) -> sqlite3.Connection:
        """The database at our path: ours already, or made now."""
        wait = self._patience
        base = sqlite3.connect(self._path, timeout=wait, isolation_level=None)
        try:
            # In this order: what another process makes meanwhile is ours and whole.
            if not _rows(base, "SELECT 1 FROM sqlite_master LIMIT 1"):
                self._make(base)
            _check_owner(base)
            for pragma in PRAGMAS:
                base.execute(f"PRAGMA {pragma}")
        except BaseException:
            base.close()
            raise
        return base

    def _make(self, base: sqlite3.Connection) -> None:
        """Make the tables; of several processes at once, one does and all go on."""
        give_up = time.monotonic() + self._patience
        while True:
            try:
                # Readers and a writer do not wait for each other, and a process that is
                # killed leaves a log that the next one reads up to the last whole
                # commit. It stays with the file.
                base.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                # For this lock alone SQLite does not wait by itself.
                if time.monotonic() > give_up:
                    raise
                time.sleep(RETRY)
        base.executescript(TABLES)

    def _put(self, base: sqlite3.Connection, stored: Stored) -> None:
        """Write one entry, and now and then take out what nobody wants."""
        base.execute(_PUT, (str(stored.origin), stored.keep_until, stored.packed))
        self._writes += 1
        # The first write of a process sweeps too: short crawls are crawls.
        if self._writes % self._sweep_every == 1 % self._sweep_every:
            base.execute(_SWEEP, (self._clock(),))
            excess = _value(base, "SELECT count(*) FROM policies") - self._max_origins
            if excess > 0:
                base.execute(_SHRINK, (excess,))


_GET = "SELECT packed FROM policies WHERE origin = ?"
_PUT = "INSERT OR REPLACE INTO policies (origin, keep_until, packed) VALUES (?, ?, ?)"
_FORGET = "DELETE FROM policies WHERE origin = ?"
_NEXT = (
    "SELECT origin, keep_until, packed FROM policies WHERE origin > ? "
    "ORDER BY origin LIMIT ?"
)
_SWEEP = "DELETE FROM policies WHERE keep_until <= ?"
_SHRINK = (
    "DELETE FROM policies WHERE rowid IN "
    "(SELECT rowid FROM policies ORDER BY keep_until LIMIT ?)"
)


def _rows(base: sqlite3.Connection, query: str, values: tuple[Any, ...] = ()) -> Rows:
    """All rows that *query* gives."""
    return base.execute(query, values).fetchall()


def _check_owner(base: sqlite3.Connection) -> None:
    """Raise `sqlite3.DatabaseError` for a database that is not ours to write to."""
    if _value(base, "PRAGMA application_id") != APPLICATION_ID:
        raise sqlite3.DatabaseError("this database belongs to another program")
    if _value(base, "PRAGMA user_version") != VERSION:
        raise sqlite3.DatabaseError("written by another version; remove it")


def _value(base: sqlite3.Connection, query: str) -> int:
    """The one number that *query* gives."""
    number: int = base.execute(query).fetchone()[0]
    return number
