"""`robots-compare` with WARC files: every capture is compared, damage is reported."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import brotli  # type: ignore[import-untyped]  # it has no annotations

from tests.commands.comparing import CLOSED, capture, write_archive
from tests.commands.running import scrapy
from tests.support.zstandard import zstd

OPEN = "tests.commands.parsers.OpenParser"
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


def record(host: str, status: str = "200 OK", body: bytes = CLOSED) -> bytes:
    """Return the record of a capture."""
    return capture(f"http://{host}.test/robots.txt", status, body)


def test_damage_is_reported_and_the_other_captures_are_compared(tmp_path: Path) -> None:
    """Of records that make no sense, that end early, or whose header has no end."""
    end = b"\r\n\r\n"
    damage = {
        "odd.test/robots.txt: 'abc' is not an HTTP status": record("odd", "abc Odd"),
        "http://short.test/robots.txt: the record breaks off": (
            record("short").removesuffix(CLOSED + end) + CLOSED[:9]
        ),
        "a record's header exceeds": (
            record("endless").replace(end, b"\r\nX: x" * 100_000 + end, 1)
        ),
        "cannot be read from here on: Invalid WARC record\n": b"no record\r\n" * 9,
    }
    paths = []
    for number, bad in enumerate(damage.values()):
        records = [record(f"first{number}"), bad, record(f"then{number}")]
        paths.append(write_archive(tmp_path / f"{number}.warc.gz", records))
    # One that breaks off, in a header or in a body.
    for suffix, pack in ((".warc.gz", gzip.compress), (".warc", bytes)):
        first, second = [pack(record(host)) for host in ("whole", "cut")]
        for cut in (len(second) - 20, len(second) // 2, 30):
            paths.append(tmp_path / f"cut-{cut}{suffix}")
            paths[-1].write_bytes(first + second[:-cut])

    code, hosts, errors = compared(*paths)

    # Behind bytes that are no record, nothing is read.
    read = [f"{it}{number}.test" for it in ("first", "then") for number in range(4)]
    assert (code, hosts) == (3, sorted({*read, "whole.test"} - {"then3.test"}))
    assert [it for it in damage if it not in errors] == []
    assert all(str(path) in errors for path in paths)


def test_only_the_complete_lines_of_a_body_are_compared(tmp_path: Path) -> None:
    """Ours O24: of one over the size limit, and of one that the archive truncated.

    The size that a chunk announces is not allocated.
    """
    truncated = "http://cut.test/robots.txt\r\nWARC-Truncated: length"
    archive = write_archive(
        tmp_path / "some.warc.gz",
        [
            record("long", body=CLOSED + b"#" * 4_000_000),
            capture(truncated, "200 OK", b"User-agent: *\nAllow: /\nDisallow: /"),
            record(
                "chunk",
                "200 OK\r\nTransfer-Encoding: chunked",
                b"7000000000\r\n" + CLOSED + b"#" * 40_000_000,
            ),
            record("last"),
        ],
    )

    assert compared(archive) == (0, ["chunk.test", "last.test", "long.test"], "")


def test_body_is_decompressed_as_in_a_crawl(tmp_path: Path) -> None:
    """In every coding; a broken body is reported, and the other captures are read."""
    records = [record("plain")]
    for number, (coding, pack) in enumerate(PACKERS.items()):
        status = f"200 OK\r\nContent-Encoding: {coding}"
        # Some archives decompress the body and leave the header.
        bodies = {"whole": pack(CLOSED), "half": pack(CLOSED)[:-2], "unpacked": CLOSED}
        records += [record(f"{it}{number}", status, bodies[it]) for it in bodies]

    code, hosts, errors = compared(write_archive(tmp_path / "some.warc.gz", records))

    read = [f"{it}{number}.test" for it in ("unpacked", "whole") for number in range(5)]
    assert (code, hosts) == (3, sorted([*read, "plain.test"]))
    bad = "half{}.test/robots.txt: the body is not what its Content-Encoding"
    assert all(bad.format(number) in errors for number in range(5))
