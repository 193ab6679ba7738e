"""`robots-compare` with WARC files: every capture is compared, damage is reported."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it has no annotations
import pytest
from backports import zstd

from scrapy_robots1994.commands.compare_inputs import (
    MAX_HEADER_BYTES,
    captures_in,
)
from scrapy_robots1994.policy import FreshnessSettings
from scrapy_robots1994.robotstxt import Reader
from tests.commands.running import CommandResult, scrapy

OPEN = "tests.commands.parsers.OpenParser"
CLOSED = b"User-agent: *\nDisallow: /\n"
READER = Reader("1994", "literal", 1_000)


def compare(*args: object) -> CommandResult:
    """Run the command."""
    return scrapy("robots-compare", *map(str, args))


def write_archive(path: Path, captures: list[tuple[str, str, bytes]]) -> Path:
    """Write a WARC file with the URL, status line and body of each response."""
    with path.open("wb") as file:
        for url, status, body in captures:
            response = (
                f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            )
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Target-URI: {url}\r\n"
                "WARC-Date: 2026-11-20T12:00:00Z\r\n"
                "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(response) + len(body)}\r\n\r\n"
            )
            record = head.encode() + response + body + b"\r\n\r\n"
            file.write(gzip.compress(record))
    return path


def test_archive_is_compared_capture_by_capture(tmp_path: Path) -> None:
    """The status counts; redirects and URLs other than /robots.txt are skipped."""
    archive = write_archive(
        tmp_path / "some.warc.gz",
        [
            ("http://a.test/robots.txt", "200 OK", CLOSED),
            ("https://b.test/robots.txt", "404 Not Found", CLOSED),
            ("http://c.test/robots.txt", "503 Busy", b""),
            ("http://d.test/robots.txt", "301 Moved", b""),
            ("http://a.test/", "200 OK", CLOSED),
        ],
    )

    result = compare(archive, "--parsers", "Protego", "--json", "--robot", "me")

    report = json.loads(result.out)
    assert report["files"] == 3
    protego = report["parsers"]["ProtegoRobotParser"]
    assert protego["causes"] == {"status": protego["stricter"] + protego["laxer"]}
    where = {row["where"]: row["direction"] for row in report["disagreements"]}
    assert where == {"https://b.test": "stricter", "http://c.test": "laxer"}


def test_damaged_record_does_not_affect_others(
    tmp_path: Path,
) -> None:
    """A capture without a status is skipped; captures before unreadable bytes are compared."""
    archive = write_archive(
        tmp_path / "some.warc.gz",
        [
            ("http://a.test/robots.txt", "abc Odd", CLOSED),
            ("http://b.test/robots.txt", "200 OK", CLOSED),
        ],
    )
    archive.write_bytes(archive.read_bytes() + b"no record\r\n" * 9)
    whole = write_archive(
        tmp_path / "whole.warc.gz", [("http://c.test/robots.txt", "200 OK", CLOSED)]
    )

    result = compare(archive, whole, "--parsers", OPEN, "--json")

    assert result.code == 3
    assert json.loads(result.out)["files"] == 2
    assert "http://a.test/robots.txt: 'abc' is not an HTTP status" in result.err
    assert (
        "some.warc.gz: cannot be read from here on: Invalid WARC record" in result.err
    )
    assert "Traceback" not in result.err


@pytest.mark.parametrize("is_compressed", [True, False])
def test_truncated_archive_is_reported(tmp_path: Path, *, is_compressed: bool) -> None:
    """At any length: complete captures are compared, an incomplete one is reported."""
    urls = ("http://a.test/robots.txt", "http://b.test/robots.txt")
    compressed = tmp_path / "some.warc.gz"
    whole = write_archive(
        compressed, [(url, "200 OK", CLOSED) for url in urls]
    ).read_bytes()
    record = len(write_archive(compressed, [(urls[0], "200 OK", CLOSED)]).read_bytes())
    ends = [0, record, len(whole)]
    if not is_compressed:
        ends = [len(gzip.decompress(whole[:end])) for end in ends]
        whole = gzip.decompress(whole)
    # The body is followed by two line ends and the trailer of a compressed member.
    last = 12 if is_compressed else 4
    path = tmp_path / ("cut.warc.gz" if is_compressed else "cut.warc")

    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        errors: list[str] = []

        captures = list(captures_in(path, READER, FreshnessSettings(), errors.append))

        count = sum(0 < end <= length for end in ends)
        is_end = any(end - last <= length <= end for end in ends)
        assert [it.body for it in captures[:count]] == [CLOSED] * count
        assert all(it.body == CLOSED for it in captures)
        assert is_end or errors, length
        assert length not in ends or not errors
        assert not any("object" in error for error in errors)


def test_capture_over_the_size_limit_is_not_reported_as_damage(tmp_path: Path) -> None:
    """Complete lines within the limit count (O24), and the next capture is read."""
    long = CLOSED + b"#" * 4_000_000
    urls = ("http://a.test/robots.txt", "http://b.test/robots.txt")
    path = write_archive(
        tmp_path / "some.warc.gz", [(it, "200 OK", long) for it in urls]
    )
    errors: list[str] = []

    captures = list(captures_in(path, READER, FreshnessSettings(), errors.append))

    assert [it.body for it in captures] == [CLOSED] * 2
    assert errors == []


COMPRESS_BY_CODING = {
    "br": brotli.compress,
    "zstd": zstd.compress,
    "x-gzip": gzip.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "deflate": zlib.compress,
}


@pytest.mark.parametrize("coding", COMPRESS_BY_CODING)
def test_body_is_decompressed_as_in_a_crawl(tmp_path: Path, coding: str) -> None:
    """In every coding; a broken body is reported, and the other captures are read."""
    compressed = COMPRESS_BY_CODING[coding](CLOSED)
    status = f"200 OK\r\nContent-Encoding: {coding}"
    archive = write_archive(
        tmp_path / "some.warc.gz",
        [
            ("http://a.test/robots.txt", status, compressed),
            ("http://b.test/robots.txt", status, compressed[:-2]),
            # Some archives decompress the body and leave the header.
            ("http://c.test/robots.txt", status, CLOSED),
            ("http://d.test/robots.txt", "200 OK", CLOSED),
        ],
    )
    errors: list[str] = []

    found = list(captures_in(archive, READER, FreshnessSettings(), errors.append))

    labels = [capture.label for capture in found]
    assert labels == ["http://a.test", "http://c.test", "http://d.test"]
    assert {capture.body for capture in found} == {CLOSED}
    (error,) = errors
    assert "b.test/robots.txt: the body is not what its Content-Encoding" in error


def test_truncated_capture_is_compared_by_its_complete_lines(tmp_path: Path) -> None:
    """Ours O24: WARC-Truncated says that the archive has only the beginning."""
    archive = write_archive(
        tmp_path / "some.warc.gz",
        [
            (
                "http://a.test/robots.txt\r\nWARC-Truncated: length",
                "200 OK",
                CLOSED + b"User-agent: b",
            )
        ],
    )

    (capture,) = captures_in(archive, READER, FreshnessSettings(), pytest.fail)

    assert capture.body == CLOSED


def test_truncated_record_is_reported(tmp_path: Path) -> None:
    """Its Content-Length exceeds its compressed member; the next record is compared."""
    path = tmp_path / "some.warc.gz"
    parts = []
    for host in ("a.test", "b.test"):
        write_archive(path, [(f"http://{host}/robots.txt", "200 OK", CLOSED)])
        parts.append(gzip.decompress(path.read_bytes()))
    short = parts[0].removesuffix(CLOSED + b"\r\n\r\n") + CLOSED[:9]
    path.write_bytes(gzip.compress(short) + gzip.compress(parts[1]))
    errors: list[str] = []

    captures = list(captures_in(path, READER, FreshnessSettings(), errors.append))

    assert [it.label for it in captures] == ["http://b.test"]
    assert errors == [f"{path}: http://a.test/robots.txt: the record breaks off"]


def with_header_line(path: Path, line: bytes) -> bytes:
    """Return a compressed record whose header has *line*, before a good one."""
    write_archive(path, [("http://a.test/robots.txt", "200 OK", CLOSED)])
    good = gzip.decompress(path.read_bytes())
    bad = good.replace(b"WARC-Type:", line + b"\r\nWARC-Type:", 1)
    return gzip.compress(bad) + gzip.compress(good.replace(b"a.test", b"b.test"))


@pytest.mark.parametrize("is_one", [True, False], ids=["one line", "many lines"])
def test_record_with_an_endless_header_is_skipped(
    tmp_path: Path, *, is_one: bool
) -> None:
    """The next record is read, in bounded memory however long the decompressed header is."""
    path = tmp_path / "some.warc.gz"
    line = b"X: " + b"x" * 60_000_000 if is_one else b"X: x\r\n" * 100_000 + b"X: x"
    path.write_bytes(with_header_line(path, line))
    errors: list[str] = []

    tracemalloc.start()
    captures = list(captures_in(path, READER, FreshnessSettings(), errors.append))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [it.label for it in captures] == ["http://b.test"]
    assert errors == [
        f"{path}: a record's header exceeds {MAX_HEADER_BYTES:,} bytes: skipped"
    ]
    assert peak < 30_000_000


def test_skipped_record_sets_exit_code_3(tmp_path: Path) -> None:
    """The other records are compared."""
    path = tmp_path / "some.warc.gz"
    path.write_bytes(with_header_line(path, b"X: " + b"x" * MAX_HEADER_BYTES))

    result = compare(path, "--parsers", OPEN, "--json")

    assert result.code == 3
    assert json.loads(result.out)["files"] == 1
    assert "header exceeds" in result.err


def test_body_of_one_huge_chunk_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """The announced size of the chunk is not allocated."""
    path = tmp_path / "some.warc.gz"
    body = b"40000000\r\n" + CLOSED + b"#" * 40_000_000
    status = "200 OK\r\nTransfer-Encoding: chunked"
    write_archive(path, [("http://a.test/robots.txt", status, body)])
    errors: list[str] = []

    tracemalloc.start()
    captures = list(captures_in(path, READER, FreshnessSettings(), errors.append))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [it.body for it in captures] == [CLOSED]
    assert peak < 40_000_000
