"""ROBOTS1994_EVIDENCE and `robots-evidence`.

The tests read the evidence files with code of their own, not the package's.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import replies
from tests.support.commands import scrapy
from tests.support.crawl import CrawlRequest, crawl, start_crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.support.crawl import Reactor

RULES = b"User-agent: *\nDisallow: /a\nContent-Usage: train-ai=n\n"


def lines_of(folder: Path) -> list[dict[str, Any]]:
    (file,) = folder.iterdir()
    return [json.loads(line) for line in gzip.open(file).read().splitlines()]


def of_kind(lines: Iterable[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [line[kind] for line in lines if kind in line]


def packed(lines: Iterable[object]) -> bytes:
    return gzip.compress("".join(f"{json.dumps(line)}\n" for line in lines).encode())


def write(folder: Path, lines: Iterable[object], name: str = "x.jsonl.gz") -> Path:
    path = folder / name
    folder.mkdir(exist_ok=True)
    path.write_bytes(packed(lines))
    return path


def evidence(*args: object) -> Any:
    return scrapy("robots-evidence", *map(str, args))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("recorded")
    with Site() as site:
        site.answer("/robots.txt", replies.text(RULES))
        pages = [site.url(path) for path in ("/a", "/b")]
        crawl(pages, settings={"ROBOTS1994_EVIDENCE": str(folder)})
    return lines_of(folder)


def test_what_a_request_brings_decides_again(tmp_path: Path) -> None:
    with Site() as site, Site() as proxy:
        site.robots(f"User-agent: rex\nDisallow: /{'a' * 2_000}\n")
        proxy.answer("/robots.txt", replies.status(402))
        pages = [
            CrawlRequest(site.url(f"/{'a' * 2_000}"), headers={"User-Agent": "rex"}),
            CrawlRequest("http://far.test/", meta={"proxy": proxy.url("")}),
        ]
        settings = {"ROBOTS1994_EVIDENCE": str(tmp_path), "RETRY_ENABLED": False}
        result = crawl(pages, settings=settings)

    assert sorted(map(str, result.reasons)) == ["rule", "unreachable"]
    rules = [it["rule"] for it in of_kind(lines_of(tmp_path), "decision")]
    assert {it and len(it) for it in rules} == {None, 1_000}
    verified = evidence(tmp_path, "--verify")
    assert (verified.code, len(verified.lines)) == (0, 1)


def test_killed_crawl_leaves_whole_lines(site: Site, tmp_path: Path) -> None:
    site.answer("/robots.txt", replies.text(RULES))
    site.answer("*", replies.Reply(delay=0.02))
    pages = [site.url(f"/{page}") for page in range(20_000)]
    running = start_crawl(pages, settings={"ROBOTS1994_EVIDENCE": str(tmp_path)})
    site.wait("*", count=1)
    (path,) = tmp_path.iterdir()
    while not path.stat().st_size:
        site.wait("*", count=len(site.log()) + 1)
    running.kill()

    whole = evidence(tmp_path, "--verify")
    assert (whole.code, whole.err) == (0, "")
    assert whole.lines[-1].endswith(" 0 differences")


def test_crawl_that_cannot_start_leaves_evidence_that_verifies(tmp_path: Path) -> None:
    settings = {
        "ROBOTS1994_EVIDENCE": str(tmp_path),
        "ITEM_PIPELINES": {"no.such.Pipeline": 1},
    }
    # The crawl fails at the start, so nothing closes the file or ends its thread.
    result = crawl(settings=settings, may_warn=True)

    assert "Spider opened" not in result.log
    (line,) = lines_of(tmp_path)
    assert line["crawl"]["spider"]
    assert evidence(tmp_path, "--verify").code == 0


def test_whole_lines_of_a_file_that_is_cut_anywhere_are_read(
    recorded: list[dict[str, Any]], tmp_path: Path
) -> None:
    """If the crawl is killed during a write, the last gzip member may end at any byte."""
    first = packed(recorded)
    last = packed([{"decision": it} for it in of_kind(recorded, "decision") * 2])
    whole = 0
    for end in range(1, len(last)):
        (tmp_path / f"{end:03}.jsonl.gz").write_bytes(first + last[:end])
        whole += zlib.decompressobj(31).decompress(last[:end]).count(b"\n")

    result = evidence(tmp_path, "--verify", "--json")

    assert result.code == 0
    found = json.loads(result.lines[-1])
    assert found["decisions"] == 2 * (len(last) - 1) + whole
    assert (found["differences"], whole > 0) == (0, True)
    assert result.err.count("is cut off") == found["files"] == len(last) - 1


def test_full_disk_closes_the_crawl_with_one_sentence(
    site: Site, tmp_path: Path, reactor: Reactor
) -> None:
    site.answer("/robots.txt", replies.text(RULES))
    site.answer("*", replies.Reply(delay=0.05))
    result = crawl(
        [site.url(f"/{page}") for page in range(800)],
        settings={"ROBOTS1994_EVIDENCE": str(tmp_path)},
        hook="fill_disk",
        reactor=reactor,
    )

    assert result.stats["finish_reason"] == "robots_evidence_failed"
    (error,) = [it for it in result.log.split("\n") if "] ERROR: " in it]
    assert "The evidence in" in error
    assert str(tmp_path) in error
    assert not result.lines("The evidence was written")
    assert evidence(tmp_path, "--verify").code == 0


ODD = [b"[]", b"{", b'{"a": 1, "b": 2}', b'{"robots": 5}', b"[" * 50_000, b"\xff"]
ODD += [b'{"decision": {"url": 5}}', b'{"robots": {"id": true}}', b"9" * 9_000]
ODD += [
    b'{"crawl": {}}',
    b'{"decision": {"url": "http://h", "robots": [], "time": "2026-01-01"}}',
]


def test_odd_lines_are_differences(
    recorded: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = write(tmp_path, recorded)
    odd = gzip.compress(b"\n".join(ODD) + b"\n" + b"[]\n" * 2_000)
    long = gzip.compress(b"x" * 20_000_000 + b"\n")
    unended = gzip.compress(b"x" * 20_000_000)
    odd += long
    path.write_bytes(packed(recorded[:-1]) + odd + packed(recorded[-1:]) + unended)

    result = evidence(tmp_path, "--verify")

    assert result.code == 1
    count = 2_000 + len(ODD) + 2
    end = f"2 decisions, 1 answer: {count:,} differences"
    assert (result.lines[-1].endswith(end), len(result.lines)) == (True, 22)


def test_folder_of_others_opens_and_imports_nothing(
    recorded: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Evidence from others may be hostile."""
    base = of_kind(recorded, "robots")[0]["origin"]
    lines = json.loads(json.dumps(recorded))
    marker = tmp_path / "imported"
    (tmp_path / "trap.py").write_text(f"open({str(marker)!r}, 'w')")
    lines[0]["crawl"]["settings"] |= {
        "ROBOTS1994_STORE": "trap.Store",
        "ROBOTS1994_EVIDENCE": str(marker),
        "ROBOTSTXT_PARSER": "trap.Parser",
    }
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    write(folder, lines)
    secret = write(outside, recorded)
    (folder / "link.jsonl.gz").symlink_to(secret)
    os.mkfifo(folder / "pipe.jsonl.gz")

    result = scrapy("robots-evidence", str(folder), "--verify", folder=tmp_path)

    assert result.code == 1
    assert result.out.count("is not a setting that affects decisions") == 3
    assert "1 file, " in result.lines[-1]
    assert not marker.exists()
    pipe = evidence(folder / "pipe.jsonl.gz", f"{base}/a")
    assert (pipe.code, "not a regular file" in pipe.err) == (3, True)
    (folder / "bad.gz").write_bytes(b"not gzip")
    assert evidence(folder, "--verify").code == 3
