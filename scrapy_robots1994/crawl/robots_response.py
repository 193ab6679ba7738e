"""Reads the response to a request for a robots.txt: its headers, and its decoded body.

Scrapy's own decompression returns what came before the end of a truncated stream, and
half a policy may be an open site (R5); and it throws a body away that unpacks past a
limit, of which the whole lines within the limit are to be obeyed (Ours O24). So bodies
are unpacked here: whole or not at all, and bounded.

The work is linear in the bytes that go in and out: no input is copied once for each of
its members, and layers and members are bounded.
"""

import re
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

from scrapy.extensions.httpcache import parse_cachecontrol, rfc1123_to_epoch
from scrapy.http import Response

from scrapy_robots1994.crawl.threads import run_in_thread

Unpacker: TypeAlias = Callable[[bytes, int], tuple[bytes, bool]]

MAX_LAYERS = 4
"""Codings one upon the other that are undone; no honest file has more."""

MAX_MEMBERS = 1_000
"""Members of a gzip file, or frames of a zstd file, that are read."""

INLINE_UNPACK_BYTES = 4_096
"""Bytes of a body with one coding of zlib that are unpacked on the event loop."""

CODING_HEADERS = ("Content-Encoding", "Transfer-Encoding")
# Not only those that are undone here: an unknown one must not be read as text.
CODINGS = ("gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd")
"""Content codings that hide the text from us if nothing has undone them."""

_INPUT_CHUNK = 4_096
"""Bytes fed at a time: at most so many are copied for each member that ends."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # `wbits` of zlib
_ZSTD_WINDOW = 23
"""Base-2 logarithm of the memory a zstd frame may need (RFC 9659: 8 MB)."""

# Control characters of which packed bytes have many and texts none.
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")


class Undecodable(ValueError):  # noqa: N818 - a state of the body, not a bug
    """A body is not what its Content-Encoding says, or ends too early.

    *is_final* says that the same bytes would be undecodable again.
    """

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        self.is_final = is_final
        super().__init__(message)


def freshness_lifetime(response: Response, now: float) -> float | None:
    """Return the seconds of freshness that *response* promises; `None` for no promise.

    Its lifetime (RFC 9111, 4.2.1) less the Age it has come to in caches on its way.
    `no-store` and `no-cache` promise none at all: 0. *now*, in seconds since the
    epoch, stands for a Date that the server did not send.
    """
    headers = response.headers
    # Scrapy's own parser, on which its HTTP cache relies.
    controls = parse_cachecontrol(b", ".join(headers.getlist("Cache-Control")))
    # Ours R1: the lower bound MIN_TTL still applies to it.
    if b"no-store" in controls or b"no-cache" in controls:
        return 0.0
    if b"max-age" in controls:
        # An unreadable max-age is stale at once (RFC 9111, 4.2.1).
        lifetime = _digits(controls[b"max-age"]) or 0.0
    elif "Expires" in headers:
        # An invalid date, especially 0, lies in the past (RFC 9111, 5.3).
        until = _epoch(headers["Expires"]) or 0.0
        lifetime = until - _date(response, now)
    else:
        return None
    # An unreadable Age is as good as none (RFC 9111, 5.1).
    return max(lifetime - (_digits(headers.get("Age")) or 0.0), 0.0)


def retry_after(response: Response, now: float) -> float | None:
    """Return Retry-After in seconds, from a number or a date, or `None`.

    *now* stands for a Date that the server did not send.
    """
    value = response.headers.get("Retry-After") or b""
    # RFC 9110, 10.2.3 allows both forms.
    seconds = _digits(value)
    if seconds is not None or not value:
        return seconds
    at = _epoch(value)
    # By the clock of the server, which may not be ours.
    return None if at is None else max(at - _date(response, now), 0.0)


def _date(response: Response, now: float) -> float:
    """Return the time of *response* by its server's clock, or *now* if it has none."""
    date = _epoch(response.headers.get("Date"))
    return now if date is None else date


def _epoch(date: bytes | None) -> float | None:
    """Return an HTTP date in seconds since the epoch, or `None` if it is not one."""
    # No form of HTTP is longer; to older versions of Scrapy thousands of digits are an
    # hour, and no `float`.
    return rfc1123_to_epoch((date or b"")[:64])


def _digits(value: bytes | None) -> float | None:
    """Return a whole number of HTTP; of a very long one only the first digits count."""
    value = (value or b"").strip()
    # A header of a megabyte of digits must cost nothing; 10**18 is "for ever".
    return float(int(value[:18])) if value.isdigit() else None


def codings_of(response: Response) -> tuple[str, ...]:
    """Return the content codings of the body, in the order they were applied.

    Without quotes and parameters, which some servers send, and without `identity`.
    """
    # Several header lines are one list (RFC 9110, 5.3). Transfer codings are the last ones
    # applied, and aiohttp undoes only `chunked`.
    sent = [it for name in CODING_HEADERS for it in response.headers.getlist(name)]
    names = b",".join(sent).decode("latin-1").lower().split(",")
    names = [name.partition(";")[0].strip(" \t\"'") for name in names]
    return tuple(name for name in names if name not in {"", "identity", "chunked"})


def hidden_by(response: Response) -> str | None:
    """Return the content coding that nothing has undone, or `None`.

    Of a name that is no coding we know, such as `utf-8`, the body decides: to read
    packed bytes as a file without rules would allow everything.
    """
    is_packed = _NOT_TEXT.search(response.body) is not None
    found = (it for it in codings_of(response) if it in CODINGS or is_packed)
    return next(found, None)


async def read_body(
    response: Response, codings: Sequence[str], limit: int, *, is_truncated: bool
) -> tuple[bytes, bool]:
    """Return the decoded file, and whether it is truncated.

    Raise `Undecodable` where that is not possible, or where nothing whole is left (R5).
    """
    # R5: what cannot be read is unknown; to try again would bring the same bytes.
    hidden = hidden_by(response)
    if hidden is not None:
        raise Undecodable(f"Content-Encoding {hidden}", is_final=True)
    work = partial(unpack, response.body, codings, limit, is_truncated=is_truncated)
    # A hop to a thread may have to wait behind look-ups, so most files take none.
    quick = is_quick(response.body, codings)
    body, is_truncated = work() if quick else await run_in_thread(work)
    # Ours O24 obeys whole lines; a limit below the first line's end says nothing of
    # what the file forbids, and nothing is not "allowed".
    is_longer = is_truncated or len(body) > limit
    if is_longer and not any(end in body[:limit] for end in (b"\r", b"\n")):
        raise Undecodable(f"no line ends within {limit} bytes", is_final=True)
    return body, is_truncated


def can_unpack(codings: Sequence[str]) -> bool:
    """Return whether every one of *codings* is known here and its library is installed."""
    return all(coding in _UNPACKERS for coding in codings)


def is_quick(body: bytes, codings: Sequence[str]) -> bool:
    """Return whether unpacking *body* does not hold the event loop up."""
    if not codings:
        return True
    # 80 bytes of brotli can take 40 ms, for a large window, and a few KB of zstd 6 ms.
    is_slow = len(codings) > 1 or codings[0] in {"br", "zstd"}
    return not is_slow and len(body) <= INLINE_UNPACK_BYTES


def unpack(
    body: bytes, codings: Sequence[str], limit: int, *, is_truncated: bool
) -> tuple[bytes, bool]:
    """Return *body* without *codings* (first applied first), and whether it is truncated.

    Stop at a little more than *limit* bytes, whatever the body would unpack to. A body
    that was truncated on its way (*is_truncated*) gives what can be read of it. Raise
    `Undecodable` for one that is broken or was not sent whole, and nothing else.
    """
    # Each layer may cost as much as a file of the largest size.
    if len(codings) > MAX_LAYERS:
        raise Undecodable(f"{len(codings)} content codings", is_final=True)
    for coding in reversed(codings):
        # An empty body is sent with Content-Encoding by some servers: it has no stream.
        if not body:
            break
        body, ends = _UNPACKERS[coding](body, limit)
        # Also between layers: what one unpacks is the input of the next.
        if len(body) > limit:
            body, ends = body[: limit + 1], False
        elif not ends and not is_truncated:
            raise Undecodable(f"{coding} data ends too early")
        is_truncated = is_truncated or not ends
    return body, is_truncated


def _unpack_members(
    new_member: Callable[[], Any],
    error: type[Exception],
    magic: bytes,
    body: bytes,
    limit: int,
) -> tuple[bytes, bool]:
    """Return the output of all members of *body*, and whether the last one ends.

    *new_member* makes a decompressor of one member, as zlib and zstd have it.
    Bytes after the last member that do not begin with *magic* do not count.
    """
    pieces: list[bytes] = []
    view, position, size = memoryview(body), 0, 0
    for _ in range(MAX_MEMBERS):
        member = new_member()
        while not member.eof:
            # A view: slices of the body itself would be copies.
            chunk = view[position : position + _INPUT_CHUNK]
            if not chunk:
                return b"".join(pieces), False
            position += len(chunk)
            try:
                pieces.append(member.decompress(chunk, limit + 1 - size))
            except error as cause:
                raise Undecodable("bad compressed data") from cause
            size += len(pieces[-1])
            if size > limit:
                return b"".join(pieces), False
        # A file of many members is legal (RFC 1952, 2.2), as `cat a.gz b.gz` makes it.
        position -= len(member.unused_data)
        if position == len(body) or not body.startswith(magic, position):
            return b"".join(pieces), True
    raise Undecodable(f"more than {MAX_MEMBERS} members", is_final=True)


_gunzip = partial(
    _unpack_members, partial(zlib.decompressobj, _GZIP), zlib.error, _GZIP_MAGIC
)


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo deflate with its zlib wrapping, or without as some servers send it."""
    # RFC 9110, 8.4.1.2 has the wrapping; some servers leave it out.
    for wbits in (_ZLIB, _RAW_DEFLATE):
        stream = zlib.decompressobj(wbits)
        try:
            return stream.decompress(body, limit + 1), stream.eof
        except zlib.error:
            continue
    raise Undecodable("bad deflate data")


_UNPACKERS: dict[str, Unpacker] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _inflate,
}
"""What undoes each coding; one whose library is missing is left to Scrapy."""

with suppress(ImportError):  # Scrapy before 2.19 does not bring it
    from backports import zstd

    _options: dict[int, int] = {
        zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW
    }
    # No magic: what follows a frame must be another one.
    _UNPACKERS["zstd"] = partial(
        _unpack_members,
        partial(zstd.ZstdDecompressor, options=_options),
        zstd.ZstdError,
        b"",
    )

with suppress(ImportError, TypeError):  # before 1.2 it cannot stop at a limit
    import brotli  # type: ignore[import-untyped]  # it has no annotations

    brotli.Decompressor().process(b"", output_buffer_limit=1)

    def _unbrotli(body: bytes, limit: int) -> tuple[bytes, bool]:
        """Undo a brotli stream; what it returns past the limit is bounded by it."""
        # It lets other threads run all the while: one call is as good as many.
        stream = brotli.Decompressor()
        try:
            out = stream.process(body, output_buffer_limit=limit + 1)
        except brotli.error as error:
            raise Undecodable("bad brotli data") from error
        return out, stream.is_finished()

    _UNPACKERS["br"] = _unbrotli
