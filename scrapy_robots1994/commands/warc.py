"""Read WARC files that our crawls or other programs wrote.

The sizes of headers and bodies are limited, because a WARC file may be damaged or hostile.
"""

import io
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from scrapy.http import Headers

from scrapy_robots1994.commands import terminal
from scrapy_robots1994.commands.inputs import PolicySource
from scrapy_robots1994.commands.terminal import WrongUse
from scrapy_robots1994.crawl.features.evidence_format import STATUS, VIA_PROXY
from scrapy_robots1994.errors import RobotsError, needs_extra
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.policy.fetch_result import (
    FetchError,
    HttpAnswer,
    LocalFault,
    RobotsResponse,
    read_answer,
    unpacked,
)
from scrapy_robots1994.policy.outcomes import NOT_MODIFIED, outcome_of
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.policy.unpacking import Undecodable
from scrapy_robots1994.robotstxt import Reader

with needs_extra("Reading a WARC file", "evidence"):
    from warcio.archiveiterator import ArchiveIterator
    from warcio.bufferedreaders import ChunkedDataReader, DecompressingBufferedReader
    from warcio.recordloader import ArcWarcRecordLoader

OnFault = Callable[[str], object]

MAX_HEADER_BYTES = 262_144
"""The maximum total size of the header lines of one record, in bytes."""

MAX_BODY_BYTES = 8_000_000
"""The maximum size of one body in bytes, before and after decompression. A longer body is
truncated.
"""

BREAKS_OFF = "breaks off within a record"
"""The fault that is reported for a file that ends early, for example because the crawl was
killed.
"""

PIECE_BYTES = 65_536
"""The number of bytes of a record that are read at once and then discarded."""

# This number of compressed bytes is decompressed at a time. The decompressed data can be
# about a thousand times as long as the compressed data.
_BLOCK = 4_096


def answers_in(
    path: Path, limit: int, on_fault: OnFault
) -> Iterator[tuple[Origin, RobotsResponse]]:
    """Yield each answer to GET /robots.txt in the WARC file *path*, with its origin.

    One record is read at a time. Redirects and 304 answers are skipped. Decompression of a
    body stops soon after *limit* bytes. *on_fault* is called with one line about each
    record that could not be read. If the rest of the file is unreadable, *on_fault* is
    called with one line that says why.
    """

    def report(what: str) -> None:
        on_fault(escape_control_chars(f"{path}: {what}", 300))

    with damage_reported(report), path.open("rb") as file:
        for _, record in records_in(file, report):
            url = url_of(record)
            origin = Origin.of(url)
            is_answer = record.rec_type == "response" and record.http_headers
            if origin is None or not is_answer or target_of(url) != "/robots.txt":
                continue
            answer = answer_of(record, limit, report)
            # Skip 304 answers, because a 304 answer only confirms an earlier capture.
            if answer is not None and answer.status != NOT_MODIFIED:
                yield origin, answer


@contextmanager
def damage_reported(report: OnFault) -> Iterator[None]:
    """Run the block. If the block raises an exception, report the exception as damage.

    *report* is called with one line that says why the rest of the file cannot be read. A
    `RobotsError` is raised again, because a `RobotsError` does not mean that the file is
    damaged.
    """
    try:
        yield
    except RobotsError:
        raise
    except Exception as error:  # noqa: BLE001 - damage may raise anything
        # Do not print the messages of warcio, because some messages quote the file.
        why = (
            "a record is damaged, or the records are not compressed separately; "
            "`warcio recompress` writes a file with separately compressed records"
        )
        is_ours = isinstance(error, (OSError, ValueError)) and str(error)
        report(f"cannot be read from here on: {error if is_ours else why}")


class _BoundedReader(DecompressingBufferedReader):  # type: ignore[misc]  # untyped
    """A reader that limits the size of headers. The base class from warcio does not limit
    the size of headers.
    """

    def __init__(self, file: BinaryIO, report: OnFault) -> None:
        super().__init__(file, block_size=_BLOCK)
        self._report = report
        # The number of bytes in the lines since the last record or gzip member.
        self.header_bytes = 0

    def readline(self, length: int | None = None) -> bytes:
        """Read a line. If the header exceeds the limit, report the header as too long,
        and skip the rest of the gzip member.
        """
        longest = MAX_HEADER_BYTES + 1
        line: bytes = super().readline(min(length or longest, longest))
        self.header_bytes += len(line)
        if self.header_bytes <= MAX_HEADER_BYTES:
            return line
        if line:
            self._report(
                f"a record's header exceeds {MAX_HEADER_BYTES:,} bytes: skipped"
            )
        while self.read(PIECE_BYTES):
            pass
        return b""

    def read_next_member(self) -> bool:
        """Begin to read the next gzip member. Return whether there is a next member."""
        has_next = bool(super().read_next_member())
        if has_next:
            self.header_bytes = 0
        return has_next


class _QuietLoader(ArcWarcRecordLoader):  # type: ignore[misc]  # untyped
    """A loader that does not log invalid URLs, because the log messages would quote the
    file.
    """

    def _ensure_target_uri_format(self, rec_headers: Any) -> str:
        return str(rec_headers.get_header("WARC-Target-URI") or "").strip("<>")


def records_in(
    file: BinaryIO, report: OnFault, *, start: int = 0, check_digests: bool = False
) -> Iterator[tuple[int, Any]]:
    """Yield the offset (in bytes) of each record in the WARC *file*, and the record
    itself.

    *start* is the offset of the first record to read. If *check_digests* is true, the
    attribute `digest_checker.problems` of a record lists the wrong digests. The list of
    wrong digests is complete after the block of the record has been read. A record whose
    header is too long is skipped. *report* is called with one line about each fault.
    """
    file.seek(start)
    archive = ArchiveIterator(file, check_digests=check_digests)
    archive.reader = reader = _BoundedReader(file, report)
    archive.loader = _QuietLoader(verify_http=False, arc2warc=False)
    # `INC_RECORD` is the message that warcio prints if a record is longer than its header
    # says. The message quotes bytes of the file. If `INC_RECORD` is empty, the message is
    # empty.
    archive.INC_RECORD = ""
    last = None
    for record in archive:
        last = None if reader.header_bytes > MAX_HEADER_BYTES else record
        reader.header_bytes = 0
        if last is not None:
            yield archive.offset, last
    if archive.err_count:
        report("a record is longer than its header says")
    # warcio skips bytes that do not belong to a record, and `offset` does not include the
    # skipped bytes. Therefore, `offset` is not the end of the file if bytes were skipped.
    is_whole = archive.offset == archive.fh.tell()
    # A header that is too long was reported and skipped when it was read.
    is_skipped = reader.header_bytes > MAX_HEADER_BYTES
    if not is_skipped and (not is_whole or (last is not None and is_short(last))):
        report(BREAKS_OFF)


def answer_of(record: Any, limit: int, report: OnFault) -> RobotsResponse | None:
    """Return the answer in *record*, or None if the answer is a redirect.

    *record* is a response, or a resource that contains a policy of one of our crawls. If
    the answer cannot be read, call *report* with the reason and return None. Decompression
    of the body stops soon after *limit* bytes, or soon after `MAX_BODY_BYTES`.
    """
    limit = min(limit, MAX_BODY_BYTES)
    url, http = url_of(record), record.http_headers
    word = (http.get_statuscode() if http else record.rec_headers.get(STATUS)) or ""
    if not (word.isascii() and word.isdigit()):
        report(f"{url}: {word!r} is not an HTTP status")
        return None
    headers = Headers(http.headers if http else {})
    status, via_proxy = int(word[:4]), VIA_PROXY in record.rec_headers
    answer = HttpAnswer(url=url, status=status, headers=headers, via_proxy=via_proxy)
    body = record.raw_stream.read(MAX_BODY_BYTES)
    is_truncated = "WARC-Truncated" in record.rec_headers
    is_truncated = is_truncated or len(body) == MAX_BODY_BYTES
    if is_short(record):
        report(f"{url}: the record breaks off")
        return None
    if http is None:
        return RobotsResponse(
            status, body, is_truncated=is_truncated, via_proxy=via_proxy
        )
    if http.get_header("Transfer-Encoding") == "chunked":
        body = ChunkedDataReader(io.BytesIO(body)).read()
    answer = replace(answer, body=body, is_truncated=is_truncated)
    result = read_answer(answer, limit, 0.0)
    if isinstance(result, FetchError):
        # Some archives store the decompressed body, but do not remove the header
        # Content-Encoding. Compressed bytes are hardly ever valid UTF-8, so a body that is
        # valid UTF-8 is treated as a decompressed body.
        with suppress(UnicodeDecodeError):
            body.decode()
            headers.pop("Content-Encoding", None)
            result = read_answer(answer, limit, 0.0)
    if isinstance(result, FetchError):
        report(f"{url}: the body is not encoded as its Content-Encoding says")
    if isinstance(result, LocalFault):
        # Return only the status, because a 407 answer does not contain rules.
        return RobotsResponse(status)
    # Skip redirects, because the capture of the target contains the policy, according to R2
    # (redirects).
    if not isinstance(result, RobotsResponse):
        return None
    if not outcome_of(status).row.reads_body:
        # Add the body if decompression succeeds. Other parsers read the body even if our
        # parser obeys only the status.
        with suppress(Undecodable):
            body, is_truncated = unpacked(answer, limit)
            result = replace(result, body=body, is_truncated=is_truncated)
    return result


def url_of(record: Any) -> str:
    """Return the target URL of *record*, or "" if *record* has no target URL."""
    return str(record.rec_headers.get("WARC-Target-URI") or "").strip("<>")


def is_short(record: Any) -> bool:
    """Read *record* to its end, and return whether the record is shorter than its header
    says.
    """
    if not (record.rec_headers.get_header("Content-Length") or "").isdigit():
        return True
    while record.raw_stream.read(PIECE_BYTES):
        pass
    return bool(record.raw_stream.limit > 0)


def captures_of(
    name: str, urls: list[str], reader: Reader, freshness: FreshnessSettings
) -> Iterator[tuple[PolicySource, list[str]]]:
    """Yield, for each origin of *urls*, a source and the URLs of the origin.

    The source contains the policy of the last capture of the origin in the WARC file
    *name*. If the file contains no capture of the origin, the policy is unknown. Raises
    `WrongUse` if one of *urls* is only a path, because a path has no origin.
    """
    wanted: defaultdict[Origin, list[str]] = defaultdict(list)
    for url in urls:
        origin = Origin.of(url)
        if origin is None:
            shown = repr(escape_control_chars(url, 60))
            raise WrongUse(
                f"{shown} is a path: with a WARC file, which has captures of many "
                "origins, write https://host/path"
            )
        wanted[origin].append(url)
    faults: list[str] = []
    answers = answers_in(Path(name), reader.limit, faults.append)
    found = {origin: answer for origin, answer in answers if origin in wanted}
    terminal.print_notes("not read", faults)
    for origin, asked in wanted.items():
        label = f"{name}, {origin.robots_url}"
        if origin in found:
            # The time of the answer can be 0.0, because no printed value depends on the
            # time.
            policy = Policy.from_response(origin, found[origin], reader, 0.0, freshness)
            yield PolicySource.from_policy(label, policy), asked
        else:
            why = "the file has no capture of this robots.txt"
            yield PolicySource(label, None, "unknown", why=why), asked
