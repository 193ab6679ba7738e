"""Read WARC files, written by our crawls or by other programs, within limits."""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timezone
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from scrapy.http import Headers

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.crawl.features.evidence_format import VIA_PROXY
from scrapy_robots1994.errors import RobotsError, needs_extra
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy.fetch_result import FetchError, RobotsResponse
from scrapy_robots1994.policy.http_answer import (
    HttpAnswer,
    codings_of,
    read_answer,
    redirect_target,
    unpacked,
)
from scrapy_robots1994.policy.outcomes import NOT_MODIFIED
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.policy.unpacking import Undecodable
from scrapy_robots1994.robotstxt import Reader

OnFault = Callable[[str], object]

MAX_HEADER_BYTES = 262_144
"""The maximum number of bytes of all header lines of one record."""

MAX_PACKED_BYTES = 8_000_000
"""The maximum number of bytes of one body as it was sent, before it is unpacked."""

BREAKS_OFF = "breaks off within a record"
"""The fault of a file that ends early, such as the file of a crawl that was killed."""

PIECE_BYTES = 65_536
"""The number of bytes that are read at a time."""

# The number of compressed bytes that are unpacked at a time. They become at most a thousand times
# as many bytes.
_BLOCK = 4_096


class HeaderTooLongError(Exception):
    """The header of a record exceeds `MAX_HEADER_BYTES`."""


class WarcAnswer(NamedTuple):
    """An answer to GET /robots.txt, and its time in seconds since the epoch."""

    origin: Origin
    answer: RobotsResponse
    at: float


def answers_in(path: Path, limit: int, on_fault: OnFault) -> Iterator[WarcAnswer]:
    """Yield each answer to GET /robots.txt in the WARC file *path*, reading one record at a time.

    At most *limit* bytes of a body are read. *on_fault* is called with a line for each record
    that could not be read, and for damage after which the rest of the file cannot be read.
    """

    def report(what: str) -> None:
        on_fault(escape_control_chars(f"{path}: {what}", 300))

    with damage_reported(report), path.open("rb") as file:
        for _, record in records_in(file, report):
            url = (record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>")
            origin = Origin.of(url)
            is_answer = record.rec_type == "response" and record.http_headers
            if origin is None or not is_answer or target_of(url) != "/robots.txt":
                continue
            answer = _http_answer_of(record, url)
            # Skip redirects: by R2 (redirects), the target is another capture. Skip a 304, which
            # confirms an earlier capture.
            if answer and (answer.status == NOT_MODIFIED or redirect_target(answer)):
                continue
            found = answer_of(record, url, limit, report)
            if found is not None:
                yield WarcAnswer(origin, found, date_of(record))


@contextmanager
def damage_reported(report: OnFault) -> Iterator[None]:
    """Run the block. If damaged data makes it raise, call *report* with a line, and go on after the
    block.
    """
    try:
        yield
    except RobotsError:
        raise
    except Exception as error:  # noqa: BLE001 - of damage comes any error
        is_clear = not isinstance(error, (AttributeError, TypeError))
        # Cut the message of warcio before the line of the file that it quotes.
        text = " ".join(str(error).partition(", first line:")[0].split())
        why = (is_clear and text) or "a record is damaged"
        report(f"cannot be read from here on: {why}")


@cache
def _warcio() -> tuple[Any, Any, Any]:
    """Return warcio's iterator class, a reader class that bounds header lines, and a loader class
    that does not log bytes of a file.
    """
    with needs_extra("Reading a WARC file", "evidence"):
        from warcio.archiveiterator import ArchiveIterator  # noqa: PLC0415 - an extra
        from warcio.bufferedreaders import DecompressingBufferedReader  # noqa: PLC0415 - an extra
        from warcio.recordloader import ArcWarcRecordLoader  # noqa: PLC0415 - an extra

    class BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]  # untyped
        """A reader that bounds header lines; warcio's own reader reads lines of any length."""

        header_bytes = 0

        def readline(self, length: int | None = None) -> bytes:
            longest = MAX_HEADER_BYTES + 1
            line: bytes = super().readline(min(length or longest, longest))
            self.header_bytes += len(line)
            if self.header_bytes > MAX_HEADER_BYTES:
                raise HeaderTooLongError
            return line

    class QuietLoader(ArcWarcRecordLoader):  # type: ignore[misc]  # untyped
        """A loader that does not log wrong URLs: the log messages of warcio quote the file."""

        def _ensure_target_uri_format(self, rec_headers: Any) -> str:
            return str(rec_headers.get_header("WARC-Target-URI") or "").strip("<>")

    loader = QuietLoader(verify_http=False, arc2warc=False)
    return ArchiveIterator, BoundedReader, loader


def records_in(
    file: BinaryIO, report: OnFault, *, start: int = 0, check_digests: bool = False
) -> Iterator[tuple[int, Any]]:
    """Yield the records of a WARC file, each with the byte at which it begins.

    *start* is the byte of the first record. With *check_digests*, `digest_checker.problems` of
    a record has its wrong digests, once the block of the record has been read. A record whose
    header is too long is skipped.
    """
    archive_iterator, bounded_reader, quiet_loader = _warcio()
    file.seek(start)
    reader, record = bounded_reader(file, block_size=_BLOCK), None
    while True:
        archive = archive_iterator(file, check_digests=check_digests)
        archive.reader, archive.loader = reader, quiet_loader
        # If a record is longer than its header says, warcio prints this text with bytes of the
        # file.
        archive.INC_RECORD = ""
        try:
            for record in archive:
                reader.header_bytes = 0
                yield archive.offset, record
        except HeaderTooLongError:
            report(f"a record's header exceeds {MAX_HEADER_BYTES:,} bytes: skipped")
            while reader.read(PIECE_BYTES):
                pass
            reader.header_bytes, record = 0, None
            if reader.decompressor and reader.read_next_member():
                continue
            return
        if archive.err_count:
            report("a record is longer than its header says")
        # warcio skips bytes that do not belong to a record, and does not count them.
        is_whole = archive.offset == archive.fh.tell()
        if not is_whole or (record is not None and is_short(record)):
            report(BREAKS_OFF)
        return


def answer_of(
    record: Any, url: str, limit: int, report: OnFault
) -> RobotsResponse | None:
    """Return the answer to the request for *url* in *record*; None if it cannot be read."""
    answer = _http_answer_of(record, url)
    if answer is None:
        report(f"{url}: {record.http_headers.get_statuscode()!r} is not an HTTP status")
        return None
    raw = record.raw_stream
    # Bound the bytes here, because warcio reads a whole chunk, of any size, into memory.
    record.raw_stream = io.BytesIO(read_up_to(raw, MAX_PACKED_BYTES))
    body = _sent_body(record)
    record.raw_stream = raw
    if is_short(record):
        report(f"{url}: the record breaks off")
        return None
    is_truncated = "WARC-Truncated" in record.rec_headers
    is_truncated = is_truncated or len(body) == MAX_PACKED_BYTES
    answer = replace(answer, body=body, is_truncated=is_truncated)
    result = read_answer(answer, limit, 0.0)
    if isinstance(result, FetchError) and _is_text(body):
        # Some archives store the unpacked body with the header of the packed body. A packed body
        # is never UTF-8.
        result = read_answer(replace(answer, codings=()), limit, 0.0)
    if isinstance(result, FetchError):
        report(f"{url}: the body is not what its Content-Encoding says")
        return None
    if isinstance(result, RobotsResponse):
        if not answer.outcome.row.reads_body:
            # Other parsers read the body of any status; leave out a body that cannot be unpacked.
            with suppress(Undecodable):
                body, is_truncated = unpacked(answer, limit)
                result = replace(result, body=body, is_truncated=is_truncated)
        return result
    # A redirect that was not followed, and a 407, are answers without rules.
    return RobotsResponse(answer.status)


def date_of(record: Any) -> float:
    """Return the WARC-Date of *record* in seconds since the epoch; 0 if it has none."""
    date = record.rec_headers.get_header("WARC-Date") or ""
    with suppress(ValueError, OverflowError):
        # Python 3.10 does not accept the Z of RFC 3339, nor all of its fractions of seconds.
        at = datetime.fromisoformat(date[:40].rstrip("zZ").partition(".")[0])
        return at.replace(tzinfo=timezone.utc).timestamp()
    return 0.0


def _http_answer_of(record: Any, url: str) -> HttpAnswer | None:
    """Return the status and headers of *record*, an answer to a request for *url*; None if the
    record has no status.
    """
    word = record.http_headers.get_statuscode() or "0"
    if not (word.isascii() and word.isdigit()):
        return None
    headers = Headers(record.http_headers.headers)
    return HttpAnswer(
        url=url,
        status=int(word[:4]),
        headers=headers,
        codings=codings_of(headers),
        via_proxy=bool(record.rec_headers.get_header(VIA_PROXY)),
    )


def _sent_body(record: Any) -> bytes:
    """Return the body of *record* as it was sent, without transfer coding."""
    # Let warcio undo only the chunks: when it unpacks, it takes half a body for a whole one, and
    # fails at br.
    while record.http_headers.remove_header("Content-Encoding"):
        pass
    return read_up_to(record.content_stream(), MAX_PACKED_BYTES)


def _is_text(body: bytes) -> bool:
    """Return whether *body* is UTF-8."""
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def read_up_to(stream: Any, count: int) -> bytes:
    """Return at most *count* bytes of *stream*."""
    pieces = []
    while count > 0 and (piece := stream.read(min(count, PIECE_BYTES))):
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def is_short(record: Any) -> bool:
    """Read *record* to its end, and return whether it is shorter than its header says."""
    if not (record.rec_headers.get_header("Content-Length") or "").isdigit():
        return True
    while record.raw_stream.read(PIECE_BYTES):
        pass
    return bool(record.raw_stream.limit > 0)


class Captures:
    """WARC files, and the URLs about which the captures in these files decide."""

    def __init__(self) -> None:
        self._urls: dict[str, dict[Origin, list[str]]] = {}

    def add(self, name: str, url: str) -> None:
        """Add *url*. Raises `WrongUse` for a path, which belongs to no origin."""
        origin = Origin.of(url)
        if origin is None:
            shown = repr(escape_control_chars(url, 60))
            raise WrongUse(
                f"{shown} is a path: with a WARC file, which has captures of many "
                "origins, write https://host/path"
            )
        self._urls.setdefault(name, {}).setdefault(origin, []).append(url)

    def sources(
        self, reader: Reader, freshness: FreshnessSettings
    ) -> Iterator[tuple[PolicySource, list[str]]]:
        """Yield the source for the last capture of each origin, and the URLs of that origin."""
        for name, urls in self._urls.items():
            faults: list[str] = []
            answers = answers_in(Path(name), reader.limit, faults.append)
            found = {it.origin: it for it in answers if it.origin in urls}
            terminal.print_notes("not read", faults)
            for origin, wanted in urls.items():
                label = f"{name}, {origin.robots_url}"
                if origin in found:
                    _, answer, at = found[origin]
                    policy = Policy.from_response(origin, answer, reader, at, freshness)
                    yield PolicySource.from_policy(label, policy), wanted
                else:
                    why = "no capture of it is in the file"
                    yield PolicySource(label, None, "unknown", why=why), wanted
