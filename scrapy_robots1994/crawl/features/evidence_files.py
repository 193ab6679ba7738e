"""The evidence files of one crawl: a WARC of answers, and a journal of decisions.

The WARC and the journal are written once a second, because many lines compress better
than one line.

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
import time
from base64 import b32encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import ENOENT
from hashlib import sha256
from io import FileIO
from pathlib import Path
from typing import TypeAlias
from urllib.parse import quote_from_bytes

from scrapy_robots1994.crawl.features.evidence_format import (
    LEFT_OUT,
    MAX_TEXT,
    JournalLine,
    rfc3339,
    shown_url,
)
from scrapy_robots1994.errors import SettingsError, needs_extra
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials

with needs_extra("ROBOTS1994_EVIDENCE", "evidence"):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

FLUSH_BYTES = 4_000_000
"""If more than this number of bytes are buffered, the files are written at once."""

COMPRESSION = 3
"""The compression level of the journal. Compared with level 9, level 3 takes a third of the
time, and the journal is a tenth larger.
"""

# Leave out headers with credentials, because users might share the files. Only the
# request headers in `_OF_REQUESTS` are written, because a request header that a project
# sets can contain credentials. A header is left out if its name matches `_LEFT_OUT`.
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

_ASCII = bytes(range(128))
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


HttpHeaders: TypeAlias = list[tuple[bytes, list[bytes]]]


class EvidenceFiles:
    """The WARC and the journal of one crawl.

    If a record cannot be built, or if a write fails, nothing more is written. The
    attribute *error* is the first error, or `None`. *on_error* is called with the first
    error when it occurs.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        info: Mapping[str, str],
        header: Mapping[str, object],
        on_error: Callable[[Exception], object],
    ) -> None:
        """Create the WARC and the journal, whose names begin with *name*.

        *info* contains the fields of the warcinfo record, and *header* contains the values
        of the first line of the journal. Raise `SettingsError` if the files cannot be
        created.
        """
        # Add a random part to the name, because several workers of one spider can start
        # in the same second.
        stem = f"{_NOT_IN_NAMES.sub('_', name)}-{secrets.token_hex(4)}"
        self._on_error = on_error
        self.error: Exception | None = None
        # The number of records includes the warcinfo record. The number of lines does not
        # include the first line of the journal.
        self.records, self.lines = 1, 0
        # The next call to `flush` writes `_new_records`, which are compressed, and
        # `_new_lines`.
        self._new_records, self._new_lines = io.BytesIO(), io.StringIO()
        self._writer = WARCWriter(self._new_records, gzip=True, warc_version="1.1")
        record = self._writer.create_warcinfo_record(f"{stem}.warc.gz", info)
        self._info_id = record.rec_headers.get_header("WARC-Record-ID")
        self._writer.write_record(record)
        self._new_lines.write(f"{json.dumps({**header, 'warc': f'{stem}.warc.gz'})}\n")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Use mode "x", so that the file of another crawl is never opened.
            self._warc = FileIO(str(folder / f"{stem}.warc.gz"), "x")
            self._journal = FileIO(str(folder / f"{stem}.jsonl.gz"), "x")
            self._write()
        except OSError as error:
            raise SettingsError(
                f"ROBOTS1994_EVIDENCE: cannot write to the folder {folder}: "
                f"{error.strerror or error}."
            ) from None
        self.paths: tuple[str, str] = self._warc.name, self._journal.name
        """The paths of the WARC and of the journal."""

    def add_record(
        self,
        kind: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        http: tuple[str, HttpHeaders] | None = None,
    ) -> dict[str, str]:
        """Add to the WARC a record of *kind* with the target URL *url*. The next call to
        `flush` writes the record.

        *headers* contain at least the id of the record. *http* contains the start line
        and all headers of the HTTP message in the record. *http* is `None` if the record
        does not contain an HTTP message. Return the values with which a journal line
        refers to the record.
        """
        digest = f"sha256:{b32encode(sha256(body).digest()).decode()}"
        fields = {
            "WARC-Date": rfc3339(time.time()),
            "WARC-Payload-Digest": digest,
            "WARC-Warcinfo-ID": self._info_id,
            **headers,
        }
        try:
            message = None
            if http is not None:
                line, sent = http
                shown, left_out = without_credentials(sent, kind)
                message = StatusAndHeaders(line, shown)
                fields |= {LEFT_OUT: left_out} if left_out else {}
            record = self._writer.create_warc_record(
                shown_url(url),
                kind,
                payload=io.BytesIO(body),
                length=len(body),
                warc_headers_dict=fields,
                http_headers=message,
            )
            self._writer.write_record(record)
        except Exception as error:  # noqa: BLE001 - after any error, evidence is missing
            self._fail(error)
        self.records += 1
        self._flush_if_full()
        name = headers["WARC-Record-ID"].strip("<>")
        return {"record": name, "digest": digest}

    def add_line(self, line: JournalLine) -> None:
        """Add *line* to the journal. The next call to `flush` writes the line."""
        self._new_lines.write(f"{json.dumps(line._asdict())}\n")
        self.lines += 1
        self._flush_if_full()

    def _flush_if_full(self) -> None:
        """Write the files if too many bytes are buffered."""
        if self._new_records.tell() + self._new_lines.tell() > FLUSH_BYTES:
            self.flush()

    def flush(self) -> None:
        """Write the records and lines that were added since the last write, and check
        that neither file was removed.
        """
        try:
            self._write()
        except OSError as error:
            self._fail(error)

    def _write(self) -> None:
        """Write the buffered records and lines, unless evidence is already missing."""
        records = self._new_records.getvalue()
        lines = self._new_lines.getvalue().encode("ascii")
        for waiting in (self._new_records, self._new_lines):
            waiting.seek(0)
            waiting.truncate()
        if self.error is None:
            _append(self._warc, records)
            _append(self._journal, gzip.compress(lines, COMPRESSION) if lines else b"")

    def close(self) -> None:
        """Write the records and lines that were added since the last call to `flush`,
        and close the files.
        """
        self.flush()
        self._warc.close()
        self._journal.close()

    def _fail(self, error: Exception) -> None:
        """If *error* is the first error, store it and call `on_error`."""
        if self.error is None:
            self.error = error
            self._on_error(error)


def without_credentials(
    headers: HttpHeaders, kind: str
) -> tuple[list[tuple[str, str]], str]:
    """Return the headers to write into a record of *kind*, and the names of the headers to
    leave out.
    """
    shown, left_out = [], []
    for raw_name, values in headers:
        name = raw_name.decode("latin-1")
        is_of_kind = kind != "request" or name.lower() in _OF_REQUESTS
        if not is_of_kind or _LEFT_OUT.search(name.lower()):
            left_out.append(name)
            continue
        for value in values:
            # Encode bytes that are not ASCII, because warcio cannot write all such bytes.
            line = b" ".join(value[:MAX_TEXT].splitlines())
            text = quote_from_bytes(line, safe=_ASCII)
            shown.append((name, redact_credentials(text)))
    return shown, escape_control_chars(", ".join(left_out), MAX_TEXT)


def _append(file: FileIO, piece: bytes) -> None:
    """Append *piece* to *file*. If *piece* cannot be written, leave *file* unchanged and
    raise `OSError`.
    """
    status = os.fstat(file.fileno())
    # Check that the file exists, because data that is written to a removed file would be
    # lost without an error.
    if status.st_nlink == 0:
        raise FileNotFoundError(ENOENT, "it was removed", file.name)
    rest = memoryview(piece)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        # Remove the part of *piece* that was written before the error, so that the file
        # does not end with a broken gzip member.
        with suppress(OSError):
            file.truncate(status.st_size)
        raise
