"""What `robots-compare` compares: files, folders, WARC files, and URLs it fetches.

Of a WARC file, each answer to GET /robots.txt, read within limits.
"""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from scrapy.http import Response

from scrapy_robots1994.commands import inputs
from scrapy_robots1994.compare.parsers import Capture, obeyed_body
from scrapy_robots1994.crawl.features.comparison import capture_of
from scrapy_robots1994.crawl.unpacking import (
    CODING_HEADERS,
    Undecodable,
    codings_of,
    unpack,
)
from scrapy_robots1994.errors import RobotsError, needs_extra
from scrapy_robots1994.escaping import escape_control_chars, redact_and_escape
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

OnFault = Callable[[str], object]

NOWHERE = "http://localhost"
"""The origin of a file whose name does not say one."""

_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)+(:[0-9]+)?", re.IGNORECASE)

MAX_HEADER_BYTES = 262_144
"""Bytes of all header lines of one record."""

MAX_PACKED_BYTES = 8_000_000
"""Bytes of one body as it was sent, before it is unpacked."""

_PIECE = 65_536
# Compressed bytes that are unpacked at a time, to at most a thousand times as many.
_BLOCK = 4_096
_REDIRECT = 3


@dataclass(slots=True)
class CompareInputs:
    """The files *names* and what was fetched; *unread* has a line for each fault.

    Of all of them *reader* says what is obeyed, and so compared; *freshness*, what the
    status of an answer means.
    """

    names: list[str]
    reader: Reader
    freshness: FreshnessSettings
    fetched: list[Capture] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def add_fetched(self, source: inputs.PolicySource) -> None:
        """Add what was fetched, if the origin itself answered."""
        self.fetched += self._captures(source)

    def _captures(self, source: inputs.PolicySource) -> Iterator[Capture]:
        """Yield the capture that *source* is, if it was read."""
        if not source.is_known:
            self.unread.append(f"{redact_and_escape(source.name, 100)}: {source.why}")
            return
        # The body of an answer without rules is not stored: the others read an empty file.
        rules = source.rules
        body = obeyed_body(rules) if isinstance(rules, RobotsTxt) else b""
        if source.policy is None:
            yield Capture(label_of(source.name), body)
        else:
            yield capture_of(source.policy, body)

    @property
    def count(self) -> int | None:
        """How many files there are; None where an archive does not say."""
        if any(map(inputs.is_archive, self.names)):
            return None
        return len(self.names) + len(self.fetched)

    @property
    def has_answers(self) -> bool:
        """Whether statuses are compared, too, and not files alone."""
        return bool(self.fetched) or self.count is None

    def __iter__(self) -> Iterator[Capture]:
        """Yield all captures: each file is one, an archive has one for each answer."""
        yield from self.fetched
        for name in self.names:
            if inputs.is_archive(name):
                yield from captures_in(
                    Path(name), self.reader, self.freshness, self.unread.append
                )
            else:
                source = inputs.PolicySource.from_file(name, self.reader)
                yield from self._captures(source)


def label_of(name: str) -> str:
    """Return the origin that a file is named by, as `example.org`, or by its folder, as
    `example.org/robots.txt`; else the name.
    """
    path = Path(name)
    stem = path.stem if path.suffix.lower() == ".txt" else path.name
    for part in (stem, path.absolute().parent.name):
        if _HOST.fullmatch(unquote(part)):
            return f"http://{part}"
        if stem.lower() != "robots":
            break
    return name


def origin_of(capture: Capture) -> str:
    """Return the origin of the questions; a label that is not one has a stand-in."""
    return str(Origin.of(capture.label) or NOWHERE)


class HeaderTooLongError(Exception):
    """The header of a record exceeds `MAX_HEADER_BYTES`."""


def captures_in(
    path: Path, reader: Reader, freshness: FreshnessSettings, on_fault: OnFault
) -> Iterator[Capture]:
    """Yield each answer to GET /robots.txt in a WARC file, read as it streams by.

    It is judged as a crawl with *reader* and *freshness* does.
    *on_fault* is called with a line for each record that could not be read, and for
    damage behind which nothing can be read.
    """

    def report(what: str) -> None:
        on_fault(escape_control_chars(f"{path}: {what}", 300))

    try:
        with path.open("rb") as file:
            for record in _records(file, report):
                capture = _capture(record, reader, freshness, report)
                if capture is not None:
                    yield capture
    except RobotsError:
        raise
    except Exception as error:  # noqa: BLE001 - of damage comes any error
        is_clear = not isinstance(error, (AttributeError, TypeError))
        text = " ".join(str(error).split())
        why = (is_clear and text) or "a record is damaged"
        report(f"cannot be read from here on: {why}")


def _records(file: BinaryIO, report: OnFault) -> Iterator[Any]:
    """Yield the records; one whose header is too long is skipped."""
    with needs_extra("Reading a WARC file", "report"):
        from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - an extra
        from warcio.bufferedreaders import DecompressingBufferedReader  # noqa: PLC0415 - as above

    class BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]  # untyped
        """A reader whose header lines are bounded; warcio reads them whole."""

        header_bytes = 0

        def readline(self, length: int | None = None) -> bytes:
            longest = MAX_HEADER_BYTES + 1
            line: bytes = super().readline(min(length or longest, longest))
            self.header_bytes += len(line)
            if self.header_bytes > MAX_HEADER_BYTES:
                raise HeaderTooLongError
            return line

    reader, record = BoundedReader(file, block_size=_BLOCK), None
    while True:
        archive = ArchiveIterator(file)
        archive.reader = reader
        try:
            for record in archive:
                reader.header_bytes = 0
                yield record
        except HeaderTooLongError:
            report(f"a record's header exceeds {MAX_HEADER_BYTES:,} bytes: skipped")
            while reader.read(_PIECE):
                pass
            reader.header_bytes, record = 0, None
            if reader.decompressor and reader.read_next_member():
                continue
            return
        # What is not a record any more is passed over, and then not counted.
        is_whole = archive.offset == archive.fh.tell()
        if not is_whole or (record is not None and _is_short(record)):
            report("breaks off within a record")
        return


def _capture(
    record: Any, reader: Reader, freshness: FreshnessSettings, report: OnFault
) -> Capture | None:
    """Return the capture of a robots.txt that *record* is; None for any other."""
    url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
    origin = Origin.of(url)
    is_answer = record.rec_type == "response" and record.http_headers
    if origin is None or not is_answer or target_of(url) != "/robots.txt":
        return None
    word = record.http_headers.get_statuscode() or "0"
    if not (word.isascii() and word.isdigit()):
        report(f"{url}: {word!r} is not an HTTP status")
        return None
    status = int(word[:4])
    # Ours R2: where it leads is a capture of its own.
    if status // 100 == _REDIRECT:
        return None
    raw = record.raw_stream
    # warcio reads a chunk of any size whole, so that what was sent is read here.
    record.raw_stream = io.BytesIO(_read(raw, MAX_PACKED_BYTES))
    found = _body_of(record, reader.limit)
    record.raw_stream = raw
    if _is_short(record):
        report(f"{url}: the record breaks off")
        return None
    if found is None:
        report(f"{url}: the body is not what its Content-Encoding says")
        return None
    body, is_truncated = found
    # As a crawl decides that knows nothing from before (R1 to R5).
    answer = RobotsResponse(status, body, is_truncated=is_truncated)
    policy = Policy.from_response(origin, answer, reader, 0.0, freshness)
    robots = reader.read(body, is_truncated=is_truncated)
    return capture_of(policy, obeyed_body(robots))


def _body_of(record: Any, limit: int) -> tuple[bytes, bool] | None:
    """Return the body of *record*, unpacked as in a crawl, and whether it is truncated.

    `None` for one that cannot be unpacked whole.
    """
    headers = record.http_headers
    sent = [each for each in headers.headers if each[0].title() in CODING_HEADERS]
    codings = codings_of(Response(NOWHERE, headers=sent))
    # warcio undoes chunks only: it takes half a body for a whole one, and fails at br.
    while headers.remove_header("Content-Encoding"):
        pass
    body = _read(record.content_stream(), MAX_PACKED_BYTES)
    is_truncated = "WARC-Truncated" in record.rec_headers
    is_truncated = is_truncated or len(body) == MAX_PACKED_BYTES
    with suppress(Undecodable):
        return unpack(body, codings, limit, is_truncated=is_truncated)
    # Archives may unpack a body and leave the header; packed bytes are no UTF-8.
    with suppress(UnicodeDecodeError):
        body.decode()
        return body, is_truncated
    return None


def _read(stream: Any, count: int) -> bytes:
    """Return at most *count* bytes of *stream*."""
    pieces = []
    while count > 0 and (piece := stream.read(min(count, _PIECE))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def _is_short(record: Any) -> bool:
    """Whether less of *record* is there than its header says; reads it to its end."""
    if not (record.rec_headers.get_header("Content-Length") or "").isdigit():
        return True
    while record.raw_stream.read(_PIECE):
        pass
    return bool(record.raw_stream.limit > 0)
