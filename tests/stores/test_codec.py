"""The stored form: what goes in comes out, and what is broken is nothing."""

from __future__ import annotations

import base64
import json
import pickle
import tracemalloc
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason
from scrapy_robots1994.policy import FreshnessSettings, Outcome, Policy, RobotsResponse
from scrapy_robots1994.robotstxt import Reader, RobotsTxt
from scrapy_robots1994.stores.codec import (
    DICTIONARY,
    MAX_HEAD_BYTES,
    VERSION,
    decode,
    encode,
)
from tests.policy.samples import BODY, DAY, FRESHNESS, NOW, READER, SITE, parsed, use_of

REDIRECTED = "https://www.site.example/robots.txt"
DATE = "Mon, 01 Jan 2024 00:00:00 GMT"

# Encoded by version 2. This must be readable, or the version must change; the dictionary
# is a part of it.
GOLDEN = (
    "0(iU1%I0~)j2KX=)l02N%q_@C#p_)X{2HzwqZCtWV32AVqeR%xCV2d;gr31*PSr2U2d4O9"
    "y^@L&B}xM&IVZn3HH8ZR;x1g-"
)


def settled(answer: RobotsResponse) -> Policy:
    """Make the policy of *answer*."""
    return Policy.from_response(SITE, answer, READER, NOW, FRESHNESS)


POLICIES = {
    "a file": parsed(),
    "an empty file": parsed(body=b""),
    "a promise": parsed(lifetime=600.0),
    "bytes that are no text": parsed(body=bytes(range(256)) * 3),
    "validators": settled(
        RobotsResponse(
            200, BODY, etag='W/"\xe9"', last_modified=DATE, final_url=REDIRECTED
        )
    ),
    "forbidden": settled(RobotsResponse(403)),
    "absent": settled(RobotsResponse(404)),
    "busy": settled(RobotsResponse(503, retry_after=900.0)),
    "stale on error": parsed().stale_on_error(
        RobotsResponse(503), NOW + 2 * DAY, FRESHNESS
    ),
}


def read(
    packed: bytes, origin: Origin = SITE, freshness: FreshnessSettings = FRESHNESS
) -> Policy | None:
    """Unpack as a crawl does."""
    return decode(packed, origin, READER, freshness)


@pytest.mark.parametrize("name", POLICIES)
def test_decoded_policy_equals_the_encoded_one(name: str) -> None:
    """Under the same settings a stored policy is read back unchanged."""
    assert read(encode(POLICIES[name])) == POLICIES[name]


def test_a_beginning_stays_a_beginning() -> None:
    """Ours O24: of a file that was cut, the line that was cut is not obeyed later."""
    cut = replace(parsed(), stated=RobotsTxt.parse(BODY[:-1], truncated=True))

    decoded = read(encode(cut))

    assert decoded is not None
    assert decoded.robots is not None
    assert decoded.robots.is_truncated


@pytest.mark.parametrize(("limit", "use"), [(40, "last good"), (30, "fresh")])
def test_a_file_that_a_lower_limit_truncated_is_fetched_again(
    limit: int, use: str
) -> None:
    """Ours O24: what another crawl left out of a file is not allowed to this one."""
    body = b"# a comment\n" + BODY
    answer = RobotsResponse(200, body[:30], is_truncated=True)
    packed = encode(settled(answer))

    decoded = decode(packed, SITE, Reader("1994", "literal", limit), FRESHNESS)

    assert decoded is not None
    assert use_of(decoded, NOW) == use


def test_the_reader_decides_what_an_answer_means() -> None:
    """An answer is stored, not a verdict: another crawl's settings make another policy."""
    freshness = FreshnessSettings(ttl=60.0, min_ttl=0.0, forbidden_allows=True)

    file = read(encode(parsed()), freshness=freshness)
    forbidden = read(encode(POLICIES["forbidden"]), freshness=freshness)

    assert file is not None
    assert file.fresh_until == NOW + 60
    assert forbidden is not None
    assert forbidden.stated.allowed_url("http://site.example/x")  # type: ignore[union-attr]  # a blanket


def test_identical_files_of_two_origins_are_one_object() -> None:
    """Recalled policies share their file as fetched ones do."""
    other = Origin("http", "other.example", 80)
    one, two = read(encode(parsed())), read(encode(parsed(origin=other)), other)

    assert one is not None
    assert two is not None
    assert one.robots is two.robots


def test_the_golden_entry_is_still_read() -> None:
    """What the first release stored is read by this one."""
    assert read(base64.b85decode(GOLDEN)) == POLICIES["validators"]


def entry(**changes: object) -> bytes:
    """Pack an entry by hand, with fields changed."""
    head: dict[str, Any] = {
        "origin": str(SITE),
        "status": 200,
        "fetched_at": NOW,
        "freshness_lifetime": None,
        "etag": None,
        "last_modified": None,
        "final_url": None,
        "retry_at": None,
        "is_truncated": False,
    }
    packer = zlib.compressobj(zdict=DICTIONARY)
    line = json.dumps(head | changes).encode()
    return VERSION + packer.compress(line + b"\n" + BODY) + packer.flush()


def test_an_entry_made_by_hand_is_read() -> None:
    """The form is what its description says."""
    assert read(entry()) == parsed()


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": "http://other.example"},
        {"origin": 5},
        {"origin": None},
        {"status": None},
        {"status": 200.0},
        {"status": "many"},
        {"status": []},
        {"fetched_at": "now"},
        {"fetched_at": None},
        {"fetched_at": True},
        {"fetched_at": float("nan")},
        {"fetched_at": float("inf")},
        {"freshness_lifetime": float("-inf")},
        {"freshness_lifetime": "long"},
        {"retry_at": {}},
        {"retry_at": float("nan")},
        {"etag": "a\r\nX-Injected: 1"},
        {"etag": "\u20ac"},
        {"last_modified": 5},
        {"final_url": ["x"]},
    ],
)
def test_an_entry_with_a_wrong_field_is_a_miss(changes: dict[str, object]) -> None:
    """No field may have a value that no answer could have had."""
    assert read(entry(**changes)) is None


@pytest.mark.parametrize("status", [0, -1, 99, 600, 10**30])
def test_a_status_that_no_server_sends_opens_nothing(status: int) -> None:
    """Ours R5: it says nothing, so everything is refused for now."""
    policy = read(entry(status=status))

    assert policy is None or policy.outcome is Outcome.UNREACHABLE


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        VERSION,
        b"\x01" + encode(parsed())[1:],
        b"\x00" + encode(parsed())[1:],
        encode(parsed())[:-1],
        encode(parsed())[:20],
        encode(parsed())[1:],
        VERSION + zlib.compress(b"{}\n"),
        VERSION + b"\xff" * 100,
        pickle.dumps(parsed),
        VERSION + zlib.compress(b"[" * 200_000),
    ],
)
def test_broken_entry_or_other_version_is_a_miss(packed: bytes) -> None:
    """It costs one fetch, and raises nothing."""
    assert read(packed) is None


def test_an_entry_that_unpacks_to_too_much_is_a_miss() -> None:
    """An entry of the store cannot fill our memory."""
    packer = zlib.compressobj(9, zdict=DICTIONARY)
    bomb = packer.compress(b"{}\n" + b"#" * 2**26) + packer.flush()

    tracemalloc.start()
    found = read(VERSION + bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert found is None
    assert most < 8 * (READER.limit + MAX_HEAD_BYTES)


def test_a_head_that_json_would_blow_up_is_a_miss() -> None:
    """A line of a hundred thousand lists is not read, however well it packs."""
    packer = zlib.compressobj(9, zdict=DICTIONARY)
    lists = b"[" + b"[]," * 100_000 + b"[]]"
    packed = packer.compress(lists + b"\nUser-agent: *\n") + packer.flush()

    assert read(VERSION + packed) is None


@given(packed=some.binary(max_size=300))
def test_any_bytes_are_a_policy_or_a_miss(packed: bytes) -> None:
    """Whatever is found under a key, nothing is raised."""
    assert read(packed) is None
    assert read(VERSION + packed) is None


@given(place=some.integers(0, 10_000), byte=some.integers(0, 255))
def test_one_changed_byte_opens_nothing(place: int, byte: int) -> None:
    """A flipped byte in a stored file is noticed, by its checksum at the latest."""
    packed = bytearray(encode(parsed()))
    packed[place % len(packed)] = byte

    policy = read(bytes(packed))

    assert policy in (None, parsed())


def test_a_retry_that_lies_far_ahead_ends_with_the_policy() -> None:
    """An entry cannot make a policy last longer than its storage time."""
    policy = read(entry(retry_at=9e99))

    assert policy is not None
    assert policy.is_stale_on_error
    assert policy.fresh_until == policy.stale_until == policy.keep_until


def test_busy_origin_is_fetched_again_after_its_retry_after() -> None:
    """Ours R5: the Retry-After that another crawl got also applies to this one."""
    policy = read(
        encode(POLICIES["busy"]), freshness=FreshnessSettings(retry_after=5.0)
    )

    assert policy is not None
    assert policy.fresh_until == policy.keep_until == NOW + 900
    assert (
        policy.rules("me").verdict("http://site.example/").reason is Reason.UNREACHABLE
    )
