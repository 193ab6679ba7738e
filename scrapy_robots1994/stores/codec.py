"""The stored form of a policy: the answer it was made of, as bytes, with a version.

One byte for the version, then a zlib stream of one line of JSON and the body of the
file. Nothing in it can be executed, and what cannot be read is no policy.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import (
    FetchError,
    Outcome,
    Policy,
    RobotsResponse,
    outcome_of,
)

if TYPE_CHECKING:
    from scrapy_robots1994.policy import FreshnessSettings
    from scrapy_robots1994.policy.reader import Reader

VERSION = b"\x01"

_HEADER = re.compile("[\t\x20-\x7e\xa0-\xff]*")

MAX_HEAD = 2**14
"""Bytes of the line before the body; a longer one is not of our making, and JSON takes
many times its length in memory."""

# What most entries are made of; the end counts most. Part of version 1: whoever changes
# a byte of it makes a new version.
DICTIONARY = (
    b"\nSitemap: https://www.sitemap.xml\nCrawl-delay: 10\nAllow: /\nDisallow: /*?\n"
    b"Disallow: /search/\nDisallow: /admin/\nDisallow: /cgi-bin/\n"
    b"User-agent: Googlebot\nDisallow: /\n\n"
    b"User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php"
    b'","located":"https://www.","promised":86400.0,"retry_at":null,"is_cut":false}\n'
    b'{"origin":"http://www.","status":404,"fetched_at":1790000000.0,"promised":null,'
    b'"etag":null,"last_modified":null,"located":null,"retry_at":null,"is_cut":false}\n'
    b'{"origin":"https://www.","status":200,"fetched_at":1790000000.0,"promised":null,'
    b'"etag":"\\"W/","last_modified":"Mon, 01 Jan 2026 00:00:00 GMT","located":null,'
    b'"retry_at":null,"is_cut":false}\nUser-agent: *\nDisallow: /'
)


def pack(policy: Policy) -> bytes:
    """The stored form of *policy*; how long it holds is decided where it is read."""
    robots = policy.robots
    # Ours R5: what we set ourselves, and what only stands in, is asked again then.
    is_ours = policy.is_stale_on_error or not policy.is_known
    head = {
        "origin": str(policy.origin),
        "status": policy.status,
        "fetched_at": policy.fetched_at,
        "promised": policy.freshness_lifetime,
        "etag": policy.etag,
        "last_modified": policy.last_modified,
        "located": policy.final_url,
        "retry_at": policy.fresh_until if is_ours else None,
        "is_cut": robots is not None and robots.is_truncated,
    }
    packer = zlib.compressobj(6, zdict=DICTIONARY)
    line = json.dumps(head, separators=(",", ":")).encode("ascii")
    body = b"" if robots is None else robots.body
    return VERSION + packer.compress(line + b"\n" + body) + packer.flush()


def unpack(
    packed: bytes, origin: Origin, reader: Reader, terms: FreshnessSettings
) -> Policy | None:
    """The policy of *origin* that *packed* makes under *terms*.

    `None` for another version, another origin and anything broken; never raises.
    """
    try:
        if packed[:1] != VERSION:
            return None
        unpacker = zlib.decompressobj(zdict=DICTIONARY)
        # Whoever shares the store cannot fill our memory through it: what unpacks to
        # more than this crawl would have downloaded is asked for anew.
        text = unpacker.decompress(packed[1:], MAX_HEAD + reader.limit + 1)
        line, _, body = text.partition(b"\n")
        if not unpacker.eof or len(line) > MAX_HEAD:
            return None
        head = json.loads(line)
        if Origin.of(head["origin"]) != origin:
            return None
        return _policy(head, body, origin, reader, terms)
    except (
        ValueError,
        TypeError,
        KeyError,
        ArithmeticError,
        RecursionError,
        zlib.error,
    ):
        return None


def _policy(
    head: dict[str, Any],
    body: bytes,
    origin: Origin,
    reader: Reader,
    terms: FreshnessSettings,
) -> Policy:
    """The policy of a stored answer, made as it was when the answer came."""
    at = _seconds(head["fetched_at"])
    retry_at = None if head["retry_at"] is None else _seconds(head["retry_at"])
    if head["status"] is None:
        return Policy.unreachable(
            origin, FetchError("stored", "as another crawl found"), at, terms
        )
    answer = RobotsResponse(
        status=int(head["status"]),
        body=body,
        is_truncated=head["is_cut"] is True,
        freshness_lifetime=(
            None if head["promised"] is None else _seconds(head["promised"])
        ),
        retry_after=None if retry_at is None else retry_at - at,
        etag=_header(head["etag"]),
        last_modified=_header(head["last_modified"]),
        final_url=_header(head["located"]),
    )
    is_file = outcome_of(answer.status) is Outcome.PARSED
    robots = (
        reader.read(answer.body, is_truncated=answer.is_truncated) if is_file else None
    )
    policy = Policy.from_response(origin, answer, robots, at, terms)
    if retry_at is None or not policy.is_known:
        return policy
    # Ours R5: the last good policy stands, and its end does not move.
    fresh_until = min(retry_at, policy.keep_until)
    stale_until = min(fresh_until + terms.stale_while_revalidate, policy.keep_until)
    return replace(
        policy, fresh_until=fresh_until, stale_until=stale_until, is_stale_on_error=True
    )


def _seconds(value: Any) -> float:
    """A finite number, or a `ValueError`."""
    if type(value) in {int, float} and math.isfinite(value):
        return float(value)
    raise ValueError(value)


def _header(value: object) -> str | None:
    """A text that may stand in a header of a request, or a `ValueError`."""
    if value is None:
        return None
    if not isinstance(value, str) or not _HEADER.fullmatch(value):
        raise ValueError(value)
    return value
