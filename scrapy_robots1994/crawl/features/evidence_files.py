"""The evidence files of one crawl: a WARC of answers, and a journal of decisions.

Both files are written once a second, because many lines compress better than one line.

If the process is killed, the files remain readable. Each record of the WARC is a gzip
member, and the journal lines of each second are one gzip member. The records of a second
are written before the journal lines of that second, so that no line refers to a missing
record.
"""

import gzip
import io
import json
import os
import re
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import ENOENT
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

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

FLUSH_BYTES = 4_000_000
"""If more than this number of bytes wait to be written, the files are written at once."""

COMPRESSION = 3
"""The compression level of gzip. Compared with level 9, level 3 takes a third of the time,
and the files are a tenth larger.
"""

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

    If a record cannot be built, or if a write fails, nothing more is written. The
    attribute *error* is the first error, or `None`. *on_error* is called with the first
    error when the error occurs.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        info: Mapping[str, str],
        header: Mapping[str, object],
        on_error: Callable[[Exception], object],
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
            _append(self._journal, _packed_lines(f"{json.dumps(first)}\n"))
        except OSError as error:
            raise SettingsError(
                f"ROBOTS1994_EVIDENCE: cannot write to the folder {folder}: "
                f"{error.strerror or error}."
            ) from None
        self._on_error = on_error
        self.error: Exception | None = None
        # The warcinfo record counts as a record. The first line of the journal does not
        # count as a line.
        self.records, self.lines = 1, 0
        # `_new_records` (packed) and `_new_lines` wait for the next call to `flush`.
        self._new_records: list[bytes] = []
        self._new_lines: list[str] = []
        self._new_bytes = 0

    def add_record(self, record: WarcRecord) -> None:
        """Add *record* to the WARC. The next call to `flush` writes *record*."""
        try:
            packed = self._packed(self._built(record))
        except Exception as error:  # noqa: BLE001 - after any error, evidence is missing
            self._fail(error)
            return
        self.records += 1
        self._add(self._new_records, packed)

    def add_line(self, line: JournalLine) -> None:
        """Add *line* to the journal. The next call to `flush` writes *line*."""
        self.lines += 1
        self._add(self._new_lines, f"{json.dumps(line._asdict())}\n")

    def _add(self, waiting: list[Any], item: bytes | str) -> None:
        """Add *item* to *waiting*. Write the files if too many bytes wait to be written."""
        waiting.append(item)
        self._new_bytes += len(item)
        if self._new_bytes > FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the records and lines that were added since the last call, and check
        that no file was removed.
        """
        records, lines = b"".join(self._new_records), "".join(self._new_lines)
        self._new_records, self._new_lines, self._new_bytes = [], [], 0
        if self.error is not None:
            return
        try:
            _append(self._warc, records)
            _append(self._journal, _packed_lines(lines) if lines else b"")
        except OSError as error:
            self._fail(error)

    def close(self) -> None:
        """Write the records and lines that were added since the last call to `flush`,
        and close the files.
        """
        self.flush()
        self._warc.close()
        self._journal.close()

    def _fail(self, error: Exception) -> None:
        """If *error* is the first error, store *error* and call `on_error`."""
        if self.error is None:
            self.error = error
            self._on_error(error)

    def _built(self, record: WarcRecord) -> ArcWarcRecord:
        """Return the record of warcio for *record*."""
        headers = {**record.headers, "WARC-Warcinfo-ID": self._info_id}
        http = None
        if record.http is not None:
            line, sent = record.http
            shown, left_out = without_credentials(sent, record.kind)
            http = StatusAndHeaders(line, shown)
            headers |= {LEFT_OUT: left_out} if left_out else {}
        return self._writer.create_warc_record(
            headers["WARC-Target-URI"],
            record.kind,
            payload=io.BytesIO(record.body),
            length=len(record.body),
            warc_headers_dict=headers,
            http_headers=http,
        )

    def _packed(self, record: ArcWarcRecord) -> bytes:
        """Return a gzip member that contains *record*, a record built by warcio."""
        self._block.seek(0)
        self._block.truncate()
        self._writer.write_record(record)
        return gzip.compress(self._block.getvalue(), COMPRESSION)


def _packed_lines(lines: str) -> bytes:
    """Return *lines* of the journal as one gzip member."""
    return gzip.compress(lines.encode("ascii"), COMPRESSION)


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
        # Remove the part of *piece* that was written before the error. With that part, the
        # file would end with a broken gzip member.
        with suppress(OSError):
            file.truncate(status.st_size)
        raise
