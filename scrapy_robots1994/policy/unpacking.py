"""Unpacks the bodies of robots.txt files, of a crawl and of archives.

Scrapy's own decompression returns what came before the end of a truncated stream, and
half a policy may be an open site (R5); and it throws a body away that unpacks past a
limit, of which the whole lines within the limit are to be obeyed (Ours O24). So bodies
are unpacked here: whole or not at all, and bounded.

The work is linear in the bytes that go in and out: no input is copied once for each of
its members, and layers and members are bounded.
"""

import re
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias

Unpacker: TypeAlias = Callable[[bytes, int], tuple[bytes, bool]]

MAX_LAYERS = 4
"""Codings one upon the other that are undone; no honest file has more."""

MAX_MEMBERS = 1_000
"""Members of a gzip file, or frames of a zstd file, that are read."""

# Codings that change a body, also where no library of ours undoes them.
_PACKED = frozenset(("compress", "x-compress", "br", "zstd"))
# Control characters of which packed bytes have many and texts none.
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")

_INPUT_CHUNK = 4_096
"""Bytes fed at a time: at most so many are copied for each member that ends."""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # `wbits` of zlib
_ZSTD_WINDOW = 23
"""Base-2 logarithm of the memory a zstd frame may need (RFC 9659: 8 MB)."""


class Undecodable(ValueError):  # noqa: N818 - a state of the body, not a bug
    """A body is not what its Content-Encoding says, or ends too early.

    *is_final* says that the same bytes would be undecodable again.
    """

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        self.is_final = is_final
        super().__init__(message)


def is_quickly_unpacked(body: bytes, codings: Sequence[str], most: int) -> bool:
    """Return whether unpacking *body* takes no longer than reading *most* bytes of text."""
    # 80 bytes of brotli can take 40 ms, for a large window, and a few KB of zstd 6 ms.
    is_slow = len(codings) > 1 or codings[0] in {"br", "zstd"}
    return not is_slow and len(body) <= most


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
        if coding not in _UNPACKERS:
            # Some servers send names that are no codings, such as `utf-8`.
            if coding not in _PACKED and not _NOT_TEXT.search(body):
                continue
            # R5: packed bytes would be read as a file without rules.
            raise Undecodable(f"Content-Encoding {coding}", is_final=True)
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
"""What undoes each coding. One whose library is missing is not accepted in requests."""

with suppress(ImportError):  # Scrapy before 2.19 does not bring it
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
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

# In the order of Scrapy's own requests: a handler that compares the header with Scrapy's
# then knows it.
_ACCEPTED = ("gzip", "deflate", "br", "zstd")

ACCEPT_ENCODING = ", ".join(filter(_UNPACKERS.__contains__, _ACCEPTED))
"""The codings that are unpacked here, as requests name them."""
