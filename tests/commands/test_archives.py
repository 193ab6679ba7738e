"""`robots-compare` over archives: every capture of a WARC file, whole or damaged."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import brotli  # type: ignore[import-untyped]  # it has no annotations
import pytest
from backports import zstd

from scrapy_robots1994.commands.compare_inputs import (
    MAX_HEADER_BYTES,
    captures_in,
)
from scrapy_robots1994.robotstxt import Reader
from tests.commands.running import Ran, scrapy

if TYPE_CHECKING:
    from pathlib import Path

OPEN = "tests.commands.parsers.OpenParser"
CLOSED = b"User-agent: *\nDisallow: /\n"
READER = Reader("1994", "literal", 1_000)


def compare(*args: object) -> Ran:
    """Run the command."""
    return scrapy("robots-compare", *map(str, args))


def archived(path: Path, captures: list[tuple[str, str, bytes]]) -> Path:
    """Write a WARC file of answers: URL, status line and body of each."""
    with path.open("wb") as file:
        for url, status, body in captures:
            answer = (
                f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            )
            head = (
                "WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Target-URI: {url}\r\n"
                "WARC-Date: 2026-11-20T12:00:00Z\r\n"
                "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(answer) + len(body)}\r\n\r\n"
            )
            record = head.encode() + answer + body + b"\r\n\r\n"
            file.write(gzip.compress(record))
    return path


def test_an_archive_is_read_capture_by_capture(tmp_path: Path) -> None:
    """Status included; redirects and what is no robots.txt are passed over."""
    archive = archived(
        tmp_path / "some.warc.gz",
        [
            ("http://a.test/robots.txt", "200 OK", CLOSED),
            ("https://b.test/robots.txt", "404 Not Found", CLOSED),
            ("http://c.test/robots.txt", "503 Busy", b""),
            ("http://d.test/robots.txt", "301 Moved", b""),
            ("http://a.test/", "200 OK", CLOSED),
        ],
    )

    ran = compare(archive, "--parsers", "Protego", "--json", "--robot", "me")

    report = json.loads(ran.out)
    assert report["files"] == 3
    protego = report["parsers"]["ProtegoRobotParser"]
    assert protego["causes"] == {"status": protego["stricter"] + protego["laxer"]}
    where = {row["where"]: row["direction"] for row in report["disagreements"]}
    assert where == {"https://b.test": "stricter", "http://c.test": "laxer"}


def test_damage_in_an_archive_costs_no_more_than_what_is_damaged(
    tmp_path: Path,
) -> None:
    """A capture without a status is passed over; what stands before is compared."""
    archive = archived(
        tmp_path / "some.warc.gz",
        [
            ("http://a.test/robots.txt", "abc Odd", CLOSED),
            ("http://b.test/robots.txt", "200 OK", CLOSED),
        ],
    )
    archive.write_bytes(archive.read_bytes() + b"no record\r\n" * 9)
    whole = archived(
        tmp_path / "whole.warc.gz", [("http://c.test/robots.txt", "200 OK", CLOSED)]
    )

    ran = compare(archive, whole, "--parsers", OPEN, "--json")

    assert ran.code == 3
    assert json.loads(ran.out)["files"] == 2
    assert "http://a.test/robots.txt: 'abc' is not an HTTP status" in ran.err
    assert "some.warc.gz: cannot be read from here on: Invalid WARC record" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("is_packed", [True, False])
def test_truncated_archive_is_reported(tmp_path: Path, *, is_packed: bool) -> None:
    """Wherever it does: what is whole is compared, and nothing is taken for whole."""
    urls = ("http://a.test/robots.txt", "http://b.test/robots.txt")
    packed = tmp_path / "some.warc.gz"
    whole = archived(packed, [(url, "200 OK", CLOSED) for url in urls]).read_bytes()
    record = len(archived(packed, [(urls[0], "200 OK", CLOSED)]).read_bytes())
    ends = [0, record, len(whole)]
    if not is_packed:
        ends = [len(gzip.decompress(whole[:end])) for end in ends]
        whole = gzip.decompress(whole)
    # Behind the body only the two line ends, and what a compressed member ends with.
    last = 12 if is_packed else 4
    path = tmp_path / ("cut.warc.gz" if is_packed else "cut.warc")

    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        faults: list[str] = []

        captures = list(captures_in(path, READER, faults.append))

        count = sum(0 < end <= length for end in ends)
        is_end = any(end - last <= length <= end for end in ends)
        assert [it.body for it in captures[:count]] == [CLOSED] * count
        assert all(it.body == CLOSED for it in captures)
        assert is_end or faults, length
        assert length not in ends or not faults
        assert not any("object" in fault for fault in faults)


def test_a_capture_longer_than_what_is_read_is_no_damage(tmp_path: Path) -> None:
    """Its whole lines within the limit count (O24), and what follows it is read."""
    long = CLOSED + b"#" * 4_000_000
    urls = ("http://a.test/robots.txt", "http://b.test/robots.txt")
    path = archived(tmp_path / "some.warc.gz", [(it, "200 OK", long) for it in urls])
    faults: list[str] = []

    captures = list(captures_in(path, READER, faults.append))

    assert [it.body for it in captures] == [CLOSED] * 2
    assert faults == []


CODED = {
    "br": brotli.compress,
    "zstd": zstd.compress,
    "x-gzip": gzip.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "deflate": zlib.compress,
}


@pytest.mark.parametrize("coding", CODED)
def test_a_body_is_unpacked_as_in_a_crawl(tmp_path: Path, coding: str) -> None:
    """In whatever coding; one that is broken is reported, and costs no other."""
    packed = CODED[coding](CLOSED)
    status = f"200 OK\r\nContent-Encoding: {coding}"
    archive = archived(
        tmp_path / "some.warc.gz",
        [
            ("http://a.test/robots.txt", status, packed),
            ("http://b.test/robots.txt", status, packed[:-2]),
            # Some archives leave the header of a body that they unpack.
            ("http://c.test/robots.txt", status, CLOSED),
            ("http://d.test/robots.txt", "200 OK", CLOSED),
        ],
    )
    faults: list[str] = []

    found = list(captures_in(archive, READER, faults.append))

    labels = [capture.label for capture in found]
    assert labels == ["http://a.test", "http://c.test", "http://d.test"]
    assert {capture.body for capture in found} == {CLOSED}
    (fault,) = faults
    assert "b.test/robots.txt: the body is not what its Content-Encoding" in fault


def test_of_a_truncated_capture_the_whole_lines_are_compared(tmp_path: Path) -> None:
    """Ours O24: its archive says that it took only the beginning."""
    archive = archived(
        tmp_path / "some.warc.gz",
        [
            (
                "http://a.test/robots.txt\r\nWARC-Truncated: length",
                "200 OK",
                CLOSED + b"User-agent: b",
            )
        ],
    )

    (capture,) = captures_in(archive, READER, pytest.fail)

    assert capture.body == CLOSED


def test_truncated_record_is_reported(tmp_path: Path) -> None:
    """It says more than its part of the file holds; what follows it is compared."""
    path = tmp_path / "some.warc.gz"
    parts = []
    for host in ("a.test", "b.test"):
        archived(path, [(f"http://{host}/robots.txt", "200 OK", CLOSED)])
        parts.append(gzip.decompress(path.read_bytes()))
    short = parts[0].removesuffix(CLOSED + b"\r\n\r\n") + CLOSED[:9]
    path.write_bytes(gzip.compress(short) + gzip.compress(parts[1]))
    faults: list[str] = []

    captures = list(captures_in(path, READER, faults.append))

    assert [it.label for it in captures] == ["http://b.test"]
    assert faults == [f"{path}: http://a.test/robots.txt: the record breaks off"]


def headed(path: Path, line: bytes) -> bytes:
    """Return a compressed record whose header has *line*, before a good one."""
    archived(path, [("http://a.test/robots.txt", "200 OK", CLOSED)])
    good = gzip.decompress(path.read_bytes())
    bad = good.replace(b"WARC-Type:", line + b"\r\nWARC-Type:", 1)
    return gzip.compress(bad) + gzip.compress(good.replace(b"a.test", b"b.test"))


@pytest.mark.parametrize("is_one", [True, False], ids=["one line", "many lines"])
def test_a_header_without_end_is_skipped_and_what_follows_is_read(
    tmp_path: Path, *, is_one: bool
) -> None:
    """Within bounded memory, however long the line is once it is unpacked."""
    path = tmp_path / "some.warc.gz"
    line = b"X: " + b"x" * 60_000_000 if is_one else b"X: x\r\n" * 100_000 + b"X: x"
    path.write_bytes(headed(path, line))
    faults: list[str] = []

    tracemalloc.start()
    captures = list(captures_in(path, READER, faults.append))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [it.label for it in captures] == ["http://b.test"]
    assert faults == [
        f"{path}: a record's header exceeds {MAX_HEADER_BYTES:,} bytes: skipped"
    ]
    assert peak < 30_000_000


def test_a_skipped_record_is_exit_code_3(tmp_path: Path) -> None:
    """The rest is compared."""
    path = tmp_path / "some.warc.gz"
    path.write_bytes(headed(path, b"X: " + b"x" * MAX_HEADER_BYTES))

    ran = compare(path, "--parsers", OPEN, "--json")

    assert ran.code == 3
    assert json.loads(ran.out)["files"] == 1
    assert "header exceeds" in ran.err


def test_a_body_of_one_endless_chunk_is_read_within_bounds(tmp_path: Path) -> None:
    """The size that a chunk says is not what is put into memory."""
    path = tmp_path / "some.warc.gz"
    body = b"40000000\r\n" + CLOSED + b"#" * 40_000_000
    status = "200 OK\r\nTransfer-Encoding: chunked"
    archived(path, [("http://a.test/robots.txt", status, body)])
    faults: list[str] = []

    tracemalloc.start()
    captures = list(captures_in(path, READER, faults.append))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert [it.body for it in captures] == [CLOSED]
    assert peak < 40_000_000
