"""The evidence files of one crawl: a WARC of answers, and a journal of decisions.

Once a second, a thread builds and writes all waiting records, and writes all waiting lines.
On the event loop, between two pages, building a record would take several times as long as
in the thread.

If the process is killed, the files remain readable. Each record of the WARC is a gzip
member, and the journal lines of each second are one gzip member. The thread writes records
before lines, so that no line refers to a missing record.
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
from io import FileIO
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple, TypeAlias

from scrapy_robots1994.crawl.features.evidence_format import (
    LEFT_OUT,
    MAX_TEXT,
    JournalLine,
)
from scrapy_robots1994.errors import SettingsError, needs_extra
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

with needs_extra("ROBOTS1994_EVIDENCE", "evidence"):
    from warcio.recordloader import ArcWarcRecord
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

FLUSH_SECONDS = 1.0
"""Number of seconds between two writes. If a crawl is killed, the evidence since the last
write is lost.
"""

FLUSH_BYTES = 4_000_000
"""If the total size of the waiting items exceeds this number of bytes, the thread writes
the items immediately.
"""

MAX_WAITING_BYTES = 64_000_000
"""Maximum total size of the waiting items, in bytes. If the waiting items exceed this size,
the disk is too slow, and no more evidence is written.
"""

CLOSE_SECONDS = 30.0
"""Maximum number of seconds to wait until the waiting items are written. The limit applies
when the spider is idle and when the crawl closes.
"""

COMPRESSION = 3
"""The compression level of gzip. Compared with level 9, level 3 takes a third of the time,
and the files are a tenth larger.
"""

_ENTRY_BYTES = 500
"""Number of bytes of memory that a record or a line takes in addition to its text."""

# Leave out headers with credentials, because users may share the files. A request header
# that a project sets may contain credentials. Therefore only the request headers in
# `_OF_REQUESTS` are written. A response header is left out if its name matches `_LEFT_OUT`.
# `Transfer-Encoding` is left out because the body is written without transfer coding.
_OF_REQUESTS = {
    *("host", "user-agent", "from", "via", "accept", "accept-language"),
    *("accept-encoding", "if-match", "if-none-match", "if-range"),
    *("if-modified-since", "if-unmodified-since"),
}
_LEFT_OUT = re.compile(
    "cookie|auth|pass|pwd|secret|token|key|credential|session|signature|csrf|xsrf|jwt"
    "|^transfer-encoding$"
)

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


HttpHeaders: TypeAlias = list[tuple[bytes, list[bytes]]]


class WarcRecord(NamedTuple):
    """A record of the WARC. *http* contains the start line and all headers of the HTTP
    message in the record. *http* is `None` if the record does not contain an HTTP message.
    """

    kind: str
    headers: Mapping[str, str]
    body: bytes = b""
    http: tuple[str, HttpHeaders] | None = None


class EvidenceFiles:
    """The WARC and the journal of one crawl.

    Only the constructor raises exceptions. If another method fails, `error` is set to the
    first exception. The thread in which the method failed then calls *on_error*.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        info: Mapping[str, str],
        header: Mapping[str, object],
        on_error: Callable[[], object],
    ) -> None:
        """Create both files, whose names begin with *name*.

        *info* contains the fields of the warcinfo record, and *header* contains the values
        of the first line of the journal. Raise `SettingsError` if the files cannot be
        created.
        """
        # Add a random part to the name, because workers of one spider may start in the same
        # second.
        stem = f"{_NOT_IN_NAMES.sub('_', name)}-{secrets.token_hex(4)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Use mode "x", so that the file of another crawl is never opened.
            self._warc = FileIO(str(folder / f"{stem}.warc.gz"), "x")
            self._journal = FileIO(str(folder / f"{stem}.jsonl.gz"), "x")
            self.paths: tuple[str, str] = self._warc.name, self._journal.name
            """The paths of the WARC and of the journal."""
            # Do not let warcio compress the records, because warcio always uses level 9.
            self._block = io.BytesIO()
            self._writer = WARCWriter(self._block, gzip=False, warc_version="1.1")
            record = self._writer.create_warcinfo_record(f"{stem}.warc.gz", info)
            self._info_id: str = record.rec_headers.get_header("WARC-Record-ID")
            _append(self._warc, self._packed(record))
            first = {**header, "warc": f"{stem}.warc.gz"}
            _append(self._journal, _packed_lines([first]))
        except OSError as error:
            raise SettingsError(
                f"ROBOTS1994_EVIDENCE: cannot write to the folder {folder}: "
                f"{error.strerror or error}."
            ) from error
        self._on_error = on_error
        self.error: Exception | None = None
        # The warcinfo record counts as a record. The first line of the journal does not
        # count as a line.
        self.records, self.lines = 1, 0
        self._waiting: deque[WarcRecord | JournalLine | Event] = deque()
        # `_accepted` is the number of bytes that `write` has accepted, and `_done` is the
        # number of bytes that the thread has handled. Only one thread changes each number.
        self._accepted = self._done = 0
        self._is_due = Event()
        self._is_closing = False
        # Use a daemon thread, so that the interpreter does not wait at exit for a disk that
        # does not respond.
        self._thread = Thread(target=self._run, name="robots1994-evidence", daemon=True)

    def start(self) -> None:
        """Start the thread, which also writes the items that were queued earlier."""
        self._thread.start()

    def write(self, item: WarcRecord | JournalLine, size: int) -> None:
        """Queue *item*, a record or a line of about *size* bytes.

        Records are written in the order of the calls to `write`, and so are lines. The
        records of each second are written before the lines. After an error, nothing more is
        written.
        """
        if self.error is not None:
            return
        self._accepted += _ENTRY_BYTES + size
        self._waiting.append(item)
        waiting = self._accepted - self._done
        if waiting > FLUSH_BYTES:
            self._is_due.set()
        if waiting > MAX_WAITING_BYTES:
            self._fail(TimeoutError("the disk is too slow for the crawl"))

    def flush(self, *, is_last: bool = False) -> None:
        """Wait until all items are written or an error occurs.

        If *is_last* is true, the thread then closes the files and ends.
        """
        is_written = Event()
        self._waiting.append(is_written)
        self._is_closing = is_last
        self._is_due.set()
        if self.error is None and not is_written.wait(CLOSE_SECONDS):
            self._fail(TimeoutError(f"the disk took more than {CLOSE_SECONDS:g} s"))

    def close(self) -> None:
        """Write the remaining items, and close the files."""
        if self._thread.ident is None:
            self._thread.start()
        self.flush(is_last=True)

    def _run(self) -> None:
        """Write the waiting items once a second, until the files are closed."""
        is_open = True
        while is_open:
            self._is_due.wait(FLUSH_SECONDS)
            self._is_due.clear()
            is_open = not self._is_closing
            accepted = self._accepted
            items = [self._waiting.popleft() for _ in range(len(self._waiting))]
            try:
                if self.error is None:
                    self._write_out(items)
                if not is_open:
                    self._warc.close()
                    self._journal.close()
            except Exception as error:  # noqa: BLE001 - after any error, evidence is missing
                self._fail(error)
            # Count the items as handled only now, because the items were in memory until
            # they were written.
            self._done = accepted
            for item in items:
                if isinstance(item, Event):
                    item.set()

    def _write_out(self, items: list[WarcRecord | JournalLine | Event]) -> None:
        """Write the records in *items*, then the lines in *items*."""
        records = [self._pack(it) for it in items if isinstance(it, WarcRecord)]
        lines = [it._asdict() for it in items if isinstance(it, JournalLine)]
        # Call `_append` even if there is no record, because `_append` also detects a
        # removed file.
        _append(self._warc, b"".join(records))
        _append(self._journal, _packed_lines(lines))
        self.records += len(records)
        self.lines += len(lines)

    def _pack(self, record: WarcRecord) -> bytes:
        """Return the bytes to write into the WARC for *record*."""
        headers = {**record.headers, "WARC-Warcinfo-ID": self._info_id}
        http = None
        if record.http is not None:
            line, sent = record.http
            shown, left_out = without_credentials(sent, record.kind)
            http = StatusAndHeaders(line, shown)
            headers |= {LEFT_OUT: left_out} if left_out else {}
        built = self._writer.create_warc_record(
            headers["WARC-Target-URI"],
            record.kind,
            payload=io.BytesIO(record.body),
            length=len(record.body),
            warc_headers_dict=headers,
            http_headers=http,
        )
        return self._packed(built)

    def _packed(self, record: ArcWarcRecord) -> bytes:
        """Return a gzip member that contains *record*, a record built by warcio."""
        self._block.seek(0)
        self._block.truncate()
        self._writer.write_record(record)
        return gzip.compress(self._block.getvalue(), COMPRESSION)

    def _fail(self, error: Exception) -> None:
        """If *error* is the first error, store *error* and call `on_error`."""
        if self.error is None:
            self.error = error
            self._on_error()


def _packed_lines(lines: Iterable[Mapping[str, object]]) -> bytes:
    """Return *lines* of the journal as one gzip member, or empty bytes if there are no
    lines.
    """
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    return gzip.compress(text.encode("ascii"), COMPRESSION) if text else b""


def without_credentials(
    headers: HttpHeaders, kind: str
) -> tuple[list[tuple[str, str]], str]:
    """Return the headers to write into a record of *kind*, and the names of the headers to
    leave out.
    """
    shown, left_out = [], []
    for raw_name, values in headers:
        name = raw_name.decode("latin-1")
        if kind == "request":
            is_shown = name.lower() in _OF_REQUESTS
        else:
            is_shown = not _LEFT_OUT.search(name.lower())
        if not is_shown:
            left_out.append(name)
            continue
        for value in values:
            text = " ".join(value[:MAX_TEXT].decode("latin-1").splitlines())
            shown.append((name, redact_credentials(text)))
    return shown, escape_control_chars(", ".join(left_out), MAX_TEXT)


def _append(file: FileIO, piece: bytes) -> None:
    """Append *piece* to *file*. If *piece* cannot be written, leave *file* unchanged and
    raise `OSError`.
    """
    status = os.fstat(file.fileno())
    # A write to a file that was removed would be lost without an error.
    if status.st_nlink == 0:
        raise FileNotFoundError(ENOENT, "it was removed", file.name)
    rest = memoryview(piece)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        # Remove the part of *piece* that was written before the error. Otherwise the file
        # would end with a broken gzip member.
        with suppress(OSError):
            file.truncate(status.st_size)
        raise
