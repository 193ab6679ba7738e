"""The codec decodes the answers that it encodes. Any other entry is a miss."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.stores.codec import MAX_HEAD_BYTES, VERSION, decode, encode
from tests.unit.samples import SITE

LIMIT = 1_000
FILE = Answer(
    urls=(SITE.robots_url,),
    status=200,
    body=b"User-agent: *\nDisallow: /closed\n",
    fetched_at=1_790_000_000.5,
    lifetime=600.0,
    source="store",
)
HEAD: dict[str, Any] = {
    "urls": FILE.urls,
    "status": 200,
    "fetched_at": 1.0,
    "lifetime": None,
    "cut_at": None,
}


def entry_of(head: object, body: bytes = b"") -> bytes:
    return VERSION + zlib.compress(json.dumps(head).encode() + b"\n" + body)


@pytest.mark.parametrize(
    "answer",
    [
        FILE,
        FILE._replace(body=bytes(range(256)) * 3),
        FILE._replace(body=b"", lifetime=None),
        FILE._replace(urls=(*FILE.urls, "https://www.site.example/\u00e9")),
        FILE._replace(status=403, body=b""),
        FILE._replace(status=404, body=b""),
        FILE._replace(is_truncated=True),
    ],
    ids=repr,
)
def test_answer_is_read_back_as_it_was(answer: Answer) -> None:
    assert decode(encode(answer, LIMIT), SITE, LIMIT) == answer


@pytest.mark.parametrize("status", [503, 429, 301, 407, 1, True, None, "200", [200]])
def test_what_no_origin_said_is_a_miss(status: object) -> None:
    """Ours R1, R3, R4: only these outcomes are stored, so any other status is a miss."""
    assert decode(entry_of(HEAD), SITE, LIMIT) is not None
    assert decode(entry_of(HEAD | {"status": status}), SITE, LIMIT) is None


@pytest.mark.parametrize(
    "change",
    [
        {"urls": ["http://other.example/robots.txt"]},
        {"urls": []},
        {"urls": [1]},
        {"urls": 1},
        {"urls": [SITE.robots_url, "http://x/\ud800"]},
        {"fetched_at": None},
        {"fetched_at": "x"},
        {"fetched_at": []},
        {"fetched_at": 1e999},
        {"fetched_at": 10**400},
        {"fetched_at": float("nan")},
        {"lifetime": "x"},
        {"lifetime": []},
        {"lifetime": float("inf")},
        {"cut_at": "x"},
        {"cut_at": LIMIT - 1},
    ],
    ids=repr,
)
def test_damaged_field_is_a_miss(change: dict[str, Any]) -> None:
    assert decode(entry_of(HEAD | change), SITE, LIMIT) is None


@pytest.mark.parametrize("key", HEAD)
def test_missing_field_is_a_miss(key: str) -> None:
    """Other versions of the package may write other fields."""
    head = {name: value for name, value in HEAD.items() if name != key}

    assert decode(entry_of(head), SITE, LIMIT) is None


GOOD = encode(FILE, LIMIT)


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        VERSION,
        GOOD[1:],
        GOOD[:-1],
        bytes([VERSION[0] + 1]) + GOOD[1:],
        bytes([*GOOD[:20], GOOD[20] ^ 4, *GOOD[21:]]),
        entry_of([]),
        entry_of("x"),
        VERSION + zlib.compress(b"[" * MAX_HEAD_BYTES),
        entry_of(HEAD | {"more": "x" * MAX_HEAD_BYTES}),
        encode(FILE._replace(body=b"x" * (LIMIT + 1)), 2 * LIMIT),
    ],
)
def test_damaged_entry_is_a_miss(entry: bytes) -> None:
    assert decode(entry, SITE, LIMIT) is None


@given(some.binary())
def test_any_bytes_are_a_miss(data: bytes) -> None:
    assert decode(data, SITE, LIMIT) is None
    assert decode(VERSION + zlib.compress(data), SITE, LIMIT) is None


def test_bomb_takes_little_memory() -> None:
    entry = entry_of(HEAD, bytes(40_000_000))
    tracemalloc.start()
    try:
        assert decode(entry, SITE, LIMIT) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 1_000_000
