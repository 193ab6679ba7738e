"""The URLs in evidence, its folder, writing after an error, and reading hostile evidence."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import os
from typing import TYPE_CHECKING

import pytest
from scrapy import Spider

from scrapy_robots1994.commands import evidence
from scrapy_robots1994.crawl.features.evidence import (
    FORMAT,
    EvidenceWriter,
    shown_url,
)
from scrapy_robots1994.crawl.features.paths import fill_in_path
from scrapy_robots1994.robotstxt import Reader, RobotsTxt

if TYPE_CHECKING:
    from pathlib import Path


def test_url_is_shown_without_credentials_and_fragment() -> None:
    url = "http://me:p@ss@h.test/a@b?c@d#e"

    assert shown_url(url) == "http://h.test/a@b?c@d"


def test_tilde_is_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    folder = fill_in_path(
        "ROBOTS1994_EVIDENCE", "~/%(start)s", Spider("x", start="http://h")
    )

    assert folder == tmp_path / "http:/h"


def test_nothing_is_written_after_a_write_that_failed(tmp_path: Path) -> None:
    """A reader could not decompress what follows an incomplete gzip member."""
    file = EvidenceWriter(tmp_path, "spider")
    file.add({"crawl": {}})
    assert file.write().result() is None
    size = file.path.stat().st_size
    assert file.write().result() is None

    with open("/dev/full", "wb") as full, file.path.open("ab") as good:  # noqa: PTH123 - a device
        place = file._file.fileno()
        for target, count in (full, 1), (good, 2):
            os.dup2(target.fileno(), place)
            file.add({"decision": count})
            assert isinstance(file.write().result(), OSError)
    file.close()

    assert file.path.stat().st_size == size


CRAWL = {"format": FORMAT, "robot": "rex", "settings": {}}
ROBOTS = {
    "origin": "http://h.test",
    "url": "http://h.test/robots.txt",
    "urls": [],
    "status": 404,
    "outcome": "absent",
    "fetched": "2026-01-01",
}
DECISION = {"url": "http://h.test/", "robots": 1, "time": "2026-01-01"}
DECISION |= {"decision": "allowed", "reason": "absent"}


def read(folder: Path, *lines: object) -> list[str]:
    """Return the differences in the evidence that consists of *lines*."""
    path = folder / "x.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    file = evidence.EvidenceFile(str(path), verifies=True)
    return [it for it in file.events() if isinstance(it, str)]


def test_large_bodies_are_not_kept_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "MIN_PARSED_BYTES", 60)
    monkeypatch.setattr(evidence, "MAX_PARSED_BYTES", 100)
    parsed = ROBOTS | {"status": 200, "outcome": "parsed", "body": "#" * 70}
    parsed["sha256"] = hashlib.sha256(b"#" * 70).hexdigest()
    lines = [{"robots": parsed | {"id": it}} for it in (1, 2)]
    read_bodies: list[bytes] = []
    read_body = Reader.read

    def counted(self: Reader, body: bytes, *, is_truncated: bool) -> RobotsTxt:
        read_bodies.append(body)
        return read_body(self, body, is_truncated=is_truncated)

    monkeypatch.setattr(Reader, "read", counted)
    decisions = [{"decision": DECISION | {"robots": it}} for it in (1, 1, 2, 1)]

    read(tmp_path, {"crawl": CRAWL}, *lines, *decisions)

    assert len(read_bodies) == 3


def test_overlong_name_of_a_robot_is_a_difference(tmp_path: Path) -> None:
    """Names are cached, so a long one would stay in memory."""
    lines = [{"crawl": CRAWL}, {"robots": ROBOTS | {"id": 1}}]
    longest = DECISION | {"robot": "x" * 10_000, "line": None}
    long = DECISION | {"robot": "x" * 10_001, "line": None}

    assert read(tmp_path, *lines, {"decision": DECISION}) == []
    assert "no robot" not in "".join(read(tmp_path, *lines, {"decision": longest}))
    assert "no robot" in "".join(read(tmp_path, *lines, {"decision": long}))


def test_url_that_is_not_of_the_origin_is_a_difference(tmp_path: Path) -> None:
    other = ROBOTS | {"id": 1, "url": "http://other.test/robots.txt"}

    assert len(read(tmp_path, {"crawl": CRAWL}, {"robots": other})) == 1
    # Only `--verify` looks for such differences.
    found = evidence.EvidenceFile(str(tmp_path / "x.jsonl.gz"), verifies=False)
    assert [*found.events()] == []


def test_what_json_cannot_say_is_not_printed_as_json(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.gz"
    numbers = json.dumps({"decision": DECISION | {"x": [math.nan, math.inf]}})
    path.write_bytes(gzip.compress(numbers.replace("Infinity", "1e999").encode()))

    event, *_ = evidence.EvidenceFile(str(path), verifies=False).events()

    assert isinstance(event, evidence.Decision)
    assert json.dumps(event.values["x"], allow_nan=False) == '["NaN", "1e999"]'
