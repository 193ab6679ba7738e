"""The stored form of a policy: a version, and the bytes of the response.

An entry consists of one byte for the version and a zlib stream. The zlib stream contains
one line of JSON (the head), and then the body of the robots.txt file. Decoding an entry
cannot execute code. An entry that cannot be decoded is ignored.
"""

import json
import math
import re
import zlib
from dataclasses import replace
from types import NoneType
from typing import Any, Final

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader

VERSION: Final = b"\x02"

MAX_HEAD_BYTES: Final = 2**14
"""Maximum size of the JSON line in bytes. This package never writes a JSON line that
exceeds this maximum. A JSON line that exceeds the maximum is not parsed, because parsed
JSON takes many times more memory than its text.
"""

_HEADER = re.compile("[\t\x20-\x7e\xa0-\xff]*")

# The dictionary for zlib contains text that occurs in most entries. The most frequent text
# is at the end of the dictionary, where zlib encodes matches most efficiently. The
# dictionary is part of version 2, so a change to the dictionary requires a new version.
DICTIONARY: Final = (
    b"\nSitemap: https://www.sitemap.xml\nCrawl-delay: 10\nAllow: /\nDisallow: /*?\n"
    b"Disallow: /search/\nDisallow: /admin/\nDisallow: /cgi-bin/\n"
    b"User-agent: Googlebot\nDisallow: /\n\n"
    b"User-agent: *\nDisallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php"
    b'","final_url":"https://www.","freshness_lifetime":86400.0,'
    b'{"origin":"http://www.","status":404,"fetched_at":1790000000.0,'
    b'"freshness_lifetime":null,"etag":null,"last_modified":null,"final_url":null,'
    b'"retry_at":null,"is_truncated":false}\n'
    b'{"origin":"https://www.","status":200,"fetched_at":1790000000.0,'
    b'"freshness_lifetime":null,"etag":"\\"W/",'
    b'"last_modified":"Mon, 01 Jan 2026 00:00:00 GMT","final_url":null,'
    b'"retry_at":null,"is_truncated":false}\nUser-agent: *\nDisallow: /'
)


def encode(policy: Policy) -> bytes:
    """Return the stored form of *policy*.

    How long the policy applies depends on the settings of the crawl that decodes the entry.
    """
    robots = policy.robots
    # Ours R5 (unreachable): store the time of the next fetch only if there was no usable
    # answer, or if the last refresh failed.
    is_ours = policy.is_stale_on_error or not policy.is_known
    head = {
        "origin": str(policy.origin),
        "status": policy.status,
        "fetched_at": policy.fetched_at,
        "freshness_lifetime": policy.freshness_lifetime,
        "etag": policy.etag,
        "last_modified": policy.last_modified,
        "final_url": policy.final_url,
        "retry_at": policy.fresh_until if is_ours else None,
        "is_truncated": robots is not None and robots.is_truncated,
    }
    line = json.dumps(head, separators=(",", ":")).encode("ascii")
    body = b"" if robots is None else robots.body
    packer = zlib.compressobj(6, zdict=DICTIONARY)
    return VERSION + packer.compress(line + b"\n" + body) + packer.flush()


def decode(
    entry: bytes, origin: Origin, reader: Reader, freshness: FreshnessSettings
) -> Policy | None:
    """Return the policy in *entry*, which is the entry of *origin*.

    How long the policy applies depends on *freshness*.

    Return `None` if *entry* has another version, belongs to another origin or is broken. An
    invalid entry never causes an exception.
    """
    try:
        head, body = _unpack(entry, MAX_HEAD_BYTES + reader.limit)
        if Origin.of(head["origin"]) != origin:
            return None
        fetched_at = _number(head["fetched_at"], int, float)
        retry_at = _number(head["retry_at"], int, float, NoneType)
        lifetime = _number(head["freshness_lifetime"], int, float, NoneType)
        response = RobotsResponse(
            status=_number(head["status"], int),
            body=body,
            is_truncated=head["is_truncated"] is True,
            freshness_lifetime=lifetime,
            retry_after=None if retry_at is None else retry_at - fetched_at,
            etag=_header(head["etag"]),
            last_modified=_header(head["last_modified"]),
            final_url=_header(head["final_url"]),
        )
    # Any exception from zlib, the JSON parser or a field means that the entry is broken.
    except Exception:  # noqa: BLE001 - a broken entry
        return None
    policy = Policy.from_response(origin, response, reader, fetched_at, freshness)
    if response.is_truncated and len(body) < reader.limit:
        # Ours O24 (size limit): a crawl whose size limit was lower than the limit of this
        # crawl stored only the beginning of the file. Make the policy stale, so that the
        # file is fetched again.
        policy = replace(policy, fresh_until=fetched_at, stale_until=fetched_at)
    if retry_at is None or not policy.is_known:
        return policy
    return policy.stale_until_retry(retry_at, freshness)


def _unpack(entry: bytes, limit: int) -> tuple[dict[str, Any], bytes]:
    """Return the head and the body of *entry*. Raise an exception if the entry is broken,
    or if the zlib stream contains more than *limit* bytes.
    """
    unpacker = zlib.decompressobj(zdict=DICTIONARY)
    # Limit the size of the unpacked text, so that another program with access to the
    # store cannot fill the memory of this process. If a stored file exceeds the download
    # limit of this crawl, it is fetched again.
    text = unpacker.decompress(entry[1:], limit + 1)
    line, _, body = text.partition(b"\n")
    if entry[:1] != VERSION or not unpacker.eof or len(line) > MAX_HEAD_BYTES:
        raise ValueError(entry[:1])
    return json.loads(line), body


def _number(value: Any, *types: type) -> Any:
    """Return *value*. Raise `ValueError` if its type is not one of *types*, or if it is a
    number that is not finite.
    """
    if type(value) in types and (value is None or math.isfinite(value)):
        return value
    raise ValueError(value)


def _header(value: object) -> str | None:
    """Return *value*. Raise `ValueError` if it is neither `None` nor a string that a
    request header can contain.
    """
    if value is None or (isinstance(value, str) and _HEADER.fullmatch(value)):
        return value
    raise ValueError(value)
