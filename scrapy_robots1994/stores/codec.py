"""The format of stored answers: a version byte and a zlib stream.

The stream contains a line of JSON, followed by the body. Unreadable entries count as missing.
"""

import json
import math
import zlib
from typing import Any, Final

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.answer import Answer

VERSION: Final = b"\x01"

MAX_HEAD_BYTES: Final = 2**16
"""The maximum size of the JSON, which takes many times as much memory when parsed."""


def encode(answer: Answer, limit: int) -> bytes:
    """Pack *answer*. *limit* is the size at which the crawl cuts bodies, in bytes."""
    head = {
        "urls": answer.urls,
        "status": answer.status,
        "fetched_at": answer.fetched_at,
        "lifetime": answer.lifetime,
        "cut_at": limit if answer.is_truncated else None,
    }
    line = json.dumps(head, separators=(",", ":")).encode("ascii")
    return VERSION + zlib.compress(line + b"\n" + answer.body)


def decode(entry: bytes, origin: Origin, limit: int) -> Answer | None:
    """Unpack the *entry* of *origin*. Never raises.

    Return None if

    - the entry is damaged, or has another version or origin
    - the status is one that no store keeps, such as 503
    - the body is longer than *limit* bytes, or was cut at a lower limit (Ours O24)
    """
    try:
        return _decode(entry, origin, limit)
    except Exception:  # noqa: BLE001 - a damaged entry may cause any error
        return None


def _decode(entry: bytes, origin: Origin, limit: int) -> Answer | None:
    unpacker = zlib.decompressobj()
    # Limit the size, because a few megabytes may unpack to gigabytes.
    text = unpacker.decompress(entry[len(VERSION) :], MAX_HEAD_BYTES + limit)
    line, _, body = text.partition(b"\n")
    if not entry.startswith(VERSION) or not unpacker.eof or len(line) > MAX_HEAD_BYTES:
        return None
    head: dict[str, Any] = json.loads(line)
    answer = Answer(
        urls=tuple(map(_text, head["urls"])),
        status=head["status"],
        body=body,
        is_truncated=head["cut_at"] is not None,
        fetched_at=_seconds(head["fetched_at"]),
        lifetime=None if head["lifetime"] is None else _seconds(head["lifetime"]),
        source="store",
    )
    is_short = answer.is_truncated and head["cut_at"] < limit
    is_other = answer.urls[0] != origin.robots_url or not answer.is_of_origin
    return None if is_short or is_other or len(body) > limit else answer


def _text(value: str) -> str:
    # Logs and evidence are UTF-8, which cannot encode lone surrogates.
    value.encode()
    return value


def _seconds(value: float) -> float:
    seconds = float(value)
    if not math.isfinite(seconds):
        raise ValueError(value)
    return seconds
