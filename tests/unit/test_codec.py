"""The codec: a policy is read back unchanged, and a damaged entry is a miss."""

from __future__ import annotations

import json
import tracemalloc
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores.codec import (
    DICTIONARY,
    MAX_HEAD_BYTES,
    VERSION,
    decode,
    encode,
)
from tests.unit.samples import BODY, DAY, FRESHNESS, NOW, READER, SITE, parsed

REDIRECTED = "https://www.site.example/robots.txt"
DATE = "Mon, 01 Jan 2024 00:00:00 GMT"


def policy_of(answer: RobotsResponse) -> Policy:
    """Return the policy of *answer*."""
    return Policy.from_response(SITE, answer, READER, NOW, FRESHNESS)


POLICIES = {
    "a file": parsed(),
    "an empty file": parsed(body=b""),
    "a lifetime": parsed(lifetime=600.0),
    "binary content": parsed(body=bytes(range(256)) * 3),
    "validators": policy_of(
        RobotsResponse(
            200, BODY, etag='W/"\xe9"', last_modified=DATE, final_url=REDIRECTED
        )
    ),
    "forbidden": policy_of(RobotsResponse(403)),
    "absent": policy_of(RobotsResponse(404)),
    "unavailable": policy_of(RobotsResponse(503, retry_after=900.0)),
    "stale on error": parsed().stale_on_error(
        RobotsResponse(503), NOW + 2 * DAY, FRESHNESS
    ),
}


def read(
    packed: bytes, origin: Origin = SITE, freshness: FreshnessSettings = FRESHNESS
) -> Policy | None:
    """Decode *packed* as a crawl does."""
    return decode(packed, origin, READER, freshness)


@pytest.mark.parametrize("name", POLICIES)
def test_decoded_policy_equals_the_encoded_one(name: str) -> None:
    """If the settings have not changed, a stored policy is read back unchanged."""
    assert read(encode(POLICIES[name])) == POLICIES[name]


@pytest.mark.parametrize(("limit", "is_used"), [(40, False), (30, True)])
def test_file_truncated_below_our_limit_is_fetched_again(
    limit: int, *, is_used: bool
) -> None:
    """If a crawl whose size limit was lower than the current limit stored a truncated
    file, the file is fetched again, because rules may be missing (O24, truncated
    files).
    """
    body = b"# a comment\n" + BODY
    answer = RobotsResponse(200, body[:30], is_truncated=True)
    packed = encode(policy_of(answer))

    decoded = decode(packed, SITE, Reader("1994", limit), FRESHNESS)

    assert decoded is not None
    assert decoded.is_fresh(NOW) is decoded.is_usable(NOW) is is_used
    assert decoded.last_good(NOW) is not None


def entry(**changes: object) -> bytes:
    """Return the entry of a file, with *changes* to the fields of its head."""
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    head, _, body = unpacker.decompress(encode(parsed())[1:]).partition(b"\n")
    line = json.dumps(json.loads(head) | changes).encode()
    compressor = zlib.compressobj(zdict=DICTIONARY)
    return VERSION + compressor.compress(line + b"\n" + body) + compressor.flush()


INVALID: dict[str, list[object]] = {
    "origin": ["http://other.example", 5, None],
    "status": [None, 200.0, "many", []],
    "fetched_at": ["now", None, True, float("nan"), float("inf")],
    "freshness_lifetime": [float("-inf"), "long"],
    "retry_at": [{}, float("nan")],
    "etag": ["a\r\nX-Injected: 1", "\u20ac"],
    "last_modified": [5],
    "final_url": [["x"]],
}


@pytest.mark.parametrize("field", INVALID)
def test_entry_with_an_invalid_field_is_a_miss(field: str) -> None:
    """If a field of an entry has a value that no response could have, the entry is a
    miss.
    """
    for value in INVALID[field]:
        assert read(entry(**{field: value})) is None, value


@pytest.mark.parametrize("status", [0, -1, 99, 600, 10**30])
def test_invalid_status_allows_nothing(status: int) -> None:
    """An entry with an invalid status is a miss, or the origin counts as unreachable
    (R5).
    """
    policy = read(entry(status=status))

    assert policy is None or policy.outcome is Outcome.UNREACHABLE


def test_decompression_bomb_is_a_miss() -> None:
    """A decompression bomb is a miss, and is not decompressed as a whole."""
    compressor = zlib.compressobj(9, zdict=DICTIONARY)
    bomb = compressor.compress(b"{}\n" + b"#" * 2**26) + compressor.flush()

    tracemalloc.start()
    decoded = read(VERSION + bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert decoded is None
    assert peak < 8 * (READER.limit + MAX_HEAD_BYTES)


def test_head_of_nested_json_is_a_miss() -> None:
    """An entry whose head contains 100,000 lists is a miss, even if the compressed head is
    small.
    """
    assert read(entry(more=[[]])) is not None
    assert read(entry(more=[[]] * 100_000)) is None


@given(packed=some.binary(max_size=300))
def test_arbitrary_bytes_are_a_miss(packed: bytes) -> None:
    """An entry of arbitrary bytes is a miss, and does not raise an exception."""
    assert read(packed) is None
    assert read(VERSION + packed) is None


def test_distant_retry_time_is_limited_by_keep_until() -> None:
    """Even if an entry has a distant retry time, its policy is not fresh after
    `keep_until`.
    """
    policy = read(entry(retry_at=9e99))

    assert policy is not None
    assert policy.is_stale_on_error
    assert policy.fresh_until == policy.stale_until == policy.keep_until
