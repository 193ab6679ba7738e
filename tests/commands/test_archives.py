"""`robots-compare` with WARC files: every capture is compared, damage is reported."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]  # it has no annotations
import pytest

from tests.commands.comparing import write_archive
from tests.commands.running import scrapy
from tests.support.zstandard import zstd

OPEN = "tests.commands.parsers.OpenParser"
CLOSED = b"User-agent: *\nDisallow: /\n"
PACKERS = {
    "br": brotli.compress,
    "zstd": zstd.compress,
    "x-gzip": gzip.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
    "deflate": zlib.compress,
}


def compared(*paths: Path) -> tuple[int, list[str], str]:
    """Return exit code, the hosts of the captures that are closed, and the errors."""
    result = scrapy("robots-compare", *map(str, paths), "--parsers", OPEN, "--json")
    report: dict[str, Any] = json.loads(result.out) if result.out else {}
    assert "Traceback" not in result.err
    # One parser allows everything, so each capture of CLOSED is a difference.
    hosts = {row["where"].split("/")[2] for row in report.get("disagreements", ())}
    return result.code, sorted(hosts), result.err


def record(
    path: Path, host: str, status: str = "200 OK", body: bytes = CLOSED
) -> bytes:
    """Return the record of a capture, uncompressed."""
    write_archive(path, [(f"http://{host}.test/robots.txt", status, body)])
    return gzip.decompress(path.read_bytes())


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

    result = scrapy(
        *("robots-compare", str(archive), "--parsers", "Protego", "--json"),
        *("--robot", "me"),
    )

    report = json.loads(result.out)
    assert report["files"] == 3
    where = {row["where"]: row["direction"] for row in report["disagreements"]}
    assert where == {"https://b.test": "stricter", "http://c.test": "laxer"}


def test_damaged_record_does_not_affect_others(tmp_path: Path) -> None:
    """One without a status, one that is too short, and bytes that are no record."""
    path, whole = tmp_path / "some.warc.gz", tmp_path / "whole.warc.gz"
    short = record(path, "short").removesuffix(CLOSED + b"\r\n\r\n") + CLOSED[:9]
    parts = [record(path, "odd", "abc Odd"), short, record(path, "b")]
    path.write_bytes(b"".join(map(gzip.compress, parts)) + b"no record\r\n" * 9)
    record(whole, "c")

    code, hosts, errors = compared(path, whole)

    assert (code, hosts) == (3, ["b.test", "c.test"])
    assert "http://odd.test/robots.txt: 'abc' is not an HTTP status" in errors
    assert "http://short.test/robots.txt: the record breaks off" in errors
    assert "some.warc.gz: cannot be read from here on: Invalid WARC record\n" in errors


def test_truncated_archive_is_reported(tmp_path: Path) -> None:
    """Complete captures are compared, whether it breaks off in a header or in a body."""
    paths = []
    for suffix, pack in ((".warc.gz", gzip.compress), (".warc", bytes)):
        first, second = [pack(record(tmp_path / "x.warc.gz", host)) for host in "ab"]
        for cut in (len(second) - 20, len(second) // 2, 30):
            paths.append(tmp_path / f"cut-{cut}{suffix}")
            paths[-1].write_bytes(first + second[:-cut])

    code, hosts, errors = compared(*paths)

    assert (code, hosts) == (3, ["a.test"])
    assert all(str(path) in errors for path in paths)


def test_only_the_complete_lines_of_a_body_are_compared(tmp_path: Path) -> None:
    """Ours O24: of one over the size limit, and of one that the archive truncated."""
    cut = "http://cut.test/robots.txt\r\nWARC-Truncated: length"
    archive = write_archive(
        tmp_path / "some.warc.gz",
        [
            ("http://long.test/robots.txt", "200 OK", CLOSED + b"#" * 4_000_000),
            (cut, "200 OK", b"User-agent: *\nAllow: /\nDisallow: /"),
            ("http://last.test/robots.txt", "200 OK", CLOSED),
        ],
    )

    assert compared(archive) == (0, ["last.test", "long.test"], "")


def test_body_is_decompressed_as_in_a_crawl(tmp_path: Path) -> None:
    """In every coding; a broken body is reported, and the other captures are read."""
    captures = [("http://plain.test/robots.txt", "200 OK", CLOSED)]
    for number, (coding, pack) in enumerate(PACKERS.items()):
        status = f"200 OK\r\nContent-Encoding: {coding}"
        # Some archives decompress the body and leave the header.
        bodies = {"whole": pack(CLOSED), "half": pack(CLOSED)[:-2], "unpacked": CLOSED}
        captures += [
            (f"http://{name}{number}.test/robots.txt", status, body)
            for name, body in bodies.items()
        ]

    code, hosts, errors = compared(write_archive(tmp_path / "some.warc.gz", captures))

    read = [f"{it}{number}.test" for it in ("unpacked", "whole") for number in range(5)]
    assert (code, hosts) == (3, sorted([*read, "plain.test"]))
    for number in range(len(PACKERS)):
        said = (
            f"half{number}.test/robots.txt: the body is not what its Content-Encoding"
        )
        assert said in errors


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"X: x\r\n" * 100_000 + b"X: x", id="many lines"),
        pytest.param(b"X: " + b"x" * 60_000_000, id="one", marks=pytest.mark.long),
    ],
)
def test_record_with_an_endless_header_is_skipped(tmp_path: Path, line: bytes) -> None:
    """The next record is read, however long the decompressed header is."""
    path = tmp_path / "some.warc.gz"
    bad = record(path, "a").replace(b"WARC-Type:", line + b"\r\nWARC-Type:", 1)
    path.write_bytes(gzip.compress(bad) + gzip.compress(record(path, "b")))

    code, hosts, errors = compared(path)

    assert (code, hosts) == (3, ["b.test"])
    assert "a record's header exceeds" in errors


def test_body_of_one_huge_chunk_is_read_in_bounded_memory(tmp_path: Path) -> None:
    """The announced size of the chunk is not allocated."""
    path = tmp_path / "some.warc.gz"
    body = b"7000000000\r\n" + CLOSED + b"#" * 40_000_000
    status = "200 OK\r\nTransfer-Encoding: chunked"
    write_archive(path, [("http://a.test/robots.txt", status, body)])

    assert compared(path)[:2] == (0, ["a.test"])
