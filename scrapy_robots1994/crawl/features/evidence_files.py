"""The files of evidence of one crawl: a WARC of answers, and a journal of decisions.

A thread writes them, every second. What it has written stays readable when the process is
killed: each record of the WARC is a gzip member, and so are the lines of a second in the
journal. The WARC is written first, so that no line names a record that is not there.
"""

import gzip
import io
import json
import os
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from errno import ENOENT
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple, TypeAlias

from scrapy_robots1994.errors import SettingsError, needs_extra

with needs_extra("ROBOTS1994_EVIDENCE", "evidence"):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

FLUSH_SECONDS = 1.0
"""Seconds between two writes: what a crawl that is killed may lose."""

FLUSH_BYTES = 4_000_000
"""Bytes at which the thread writes earlier."""

MAX_QUEUED_BYTES = 64_000_000
"""Bytes that wait for the thread; more mean that the disk does not follow."""

CLOSE_SECONDS = 30.0
"""Seconds that the last write may take."""

_ENTRY_BYTES = 500
"""Bytes of memory that a record or a line takes besides its texts."""

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


class Record(NamedTuple):
    """A record of the WARC; *http* are the start line and the headers of its message."""

    kind: str
    headers: Mapping[str, str]
    body: bytes = b""
    http: tuple[str, list[tuple[str, str]]] | None = None


Line: TypeAlias = dict[str, Any]
"""A line of the journal."""


class EvidenceFiles:
    """The WARC and the journal of one crawl.

    Neither `write` nor `flush` raises: the first error is in *error*, and *on_error* is
    called with it, in the thread.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        info: Mapping[str, str],
        header: Line,
        on_error: Callable[[Exception], object],
    ) -> None:
        """Create both files, whose names begin with *name*.

        *info* is what the WARC says of itself, *header* the first line of the journal.
        Raise `SettingsError` if the folder cannot be written.
        """
        # Workers of one spider start in the same second.
        stem = f"{_NOT_IN_NAMES.sub('_', name)}-{secrets.token_hex(4)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._warc = _File(folder / f"{stem}.warc.gz")
            self._journal = _File(folder / f"{stem}.jsonl.gz")
            self._packed = io.BytesIO()
            self._writer = WARCWriter(self._packed, gzip=True, warc_version="1.1")
            record = self._writer.create_warcinfo_record(self._warc.path.name, info)
            self._info_id: str = record.rec_headers.get_header("WARC-Record-ID")
            self._writer.write_record(record)
            self._lines = [header | {"warc": self._warc.path.name}]
            self._write_out()
        except OSError as error:
            raise SettingsError(
                f"ROBOTS1994_EVIDENCE names a folder that cannot be written, {folder}: "
                f"{error.strerror or error}."
            ) from error
        self._on_error = on_error
        self.error: Exception | None = None
        self.records = self.lines = 0
        self._queue: deque[Record | Line | Event | None] = deque()
        self._wake = Event()
        # Each written by one thread.
        self._queued_bytes = self._taken_bytes = 0
        # A daemon: the interpreter must not wait for a disk that hangs.
        self._thread = Thread(target=self._run, name="robots1994-evidence", daemon=True)

    @property
    def paths(self) -> tuple[Path, Path]:
        """The WARC and the journal."""
        return self._warc.path, self._journal.path

    def start(self) -> None:
        """Begin to write; what came before waits."""
        self._thread.start()

    def write(self, item: Record | Line) -> None:
        """Write *item* soon, after all items before it; nothing after an error."""
        waiting = self._queued_bytes - self._taken_bytes
        if waiting > MAX_QUEUED_BYTES:
            self._fail(TimeoutError("the disk does not follow the crawl"))
        if self.error is None:
            self._queued_bytes += _size(item)
            self._queue.append(item)
            if waiting > FLUSH_BYTES:
                self._wake.set()

    def flush(self) -> None:
        """Return when all items are written, or cannot be."""
        written = Event()
        self._queue.append(written)
        self._wake.set()
        written.wait(CLOSE_SECONDS)

    def close(self) -> None:
        """Write the rest, and close the files."""
        self._queue.append(None)
        self._wake.set()
        if self._thread.ident is None:
            self._thread.start()
        self._thread.join(CLOSE_SECONDS)
        if self._thread.is_alive():
            self._fail(TimeoutError(f"the disk took more than {CLOSE_SECONDS:g} s"))

    def _run(self) -> None:
        """Write what comes, until the end."""
        is_open = True
        while is_open:
            waiting: list[Event] = []
            try:
                is_open = self._collect(waiting)
                if self.error is None:
                    self._write_out()
            except Exception as error:  # noqa: BLE001 - whatever it is, evidence is missing
                self._fail(error)
            for each in waiting:
                each.set()
        self._warc.close()
        self._journal.close()

    def _collect(self, waiting: list[Event]) -> bool:
        """Take what came within a second; return whether more may come."""
        # Not woken for each item: that would cost more than to write it.
        self._wake.wait(FLUSH_SECONDS)
        self._wake.clear()
        for _ in range(len(self._queue)):
            item = self._queue.popleft()
            if item is None:
                return False
            if isinstance(item, Event):
                waiting.append(item)
                continue
            self._taken_bytes += _size(item)
            # After an error the rest is dropped.
            if self.error is None:
                self._add(item)
        return True

    def _add(self, item: Record | Line) -> None:
        """Add *item* to what is written next."""
        if not isinstance(item, Record):
            self._lines.append(item)
            self.lines += 1
            return
        headers = dict(item.headers) | {"WARC-Warcinfo-ID": self._info_id}
        http = item.http and StatusAndHeaders(*item.http)
        record = self._writer.create_warc_record(
            headers["WARC-Target-URI"],
            item.kind,
            payload=io.BytesIO(item.body),
            length=len(item.body),
            warc_headers_dict=headers,
            http_headers=http,
        )
        self._writer.write_record(record)
        self.records += 1

    def _write_out(self) -> None:
        """Write what was added, records first."""
        self._warc.append(self._packed.getvalue())
        self._packed.seek(0)
        self._packed.truncate()
        if self._lines:
            text = "".join(f"{json.dumps(line)}\n" for line in self._lines)
            self._journal.append(gzip.compress(text.encode("ascii"), 6))
            self._lines.clear()

    def _fail(self, error: Exception) -> None:
        """Report the first *error*."""
        if self.error is None:
            self.error = error
            self._on_error(error)


class _File:
    """A new file that is appended to; what it has ends with a whole piece."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Never an old one, of any crawl.
        self._file = path.open("xb", buffering=0)

    def append(self, piece: bytes) -> None:
        """Write *piece* whole, or raise OSError."""
        # Written to a file that was removed, it would be lost without an error.
        if os.fstat(self._file.fileno()).st_nlink == 0:
            raise FileNotFoundError(ENOENT, "it was removed", str(self.path))
        start, rest = self._file.tell(), memoryview(piece)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            # What a full disk took of it would be a broken end.
            with suppress(OSError):
                self._file.truncate(start)
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _size(item: Record | Line) -> int:
    """Return about how much memory *item* takes."""
    texts: Iterable[object] = item.values() if isinstance(item, dict) else (item.body,)
    return _ENTRY_BYTES + sum(len(it) for it in texts if isinstance(it, (str, bytes)))
