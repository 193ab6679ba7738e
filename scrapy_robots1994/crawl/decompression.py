"""Undoes the content coding of a robots.txt: whole or not at all, and bounded.

Scrapy's own decompression returns what came before the end of a truncated stream, and
half a policy may be an open site (R5); and it throws a body away that unpacks past a
limit, of which the whole lines within the limit are to be obeyed (Ours O24).

The work is linear in the bytes that go in and out: no input is copied once for each of
its members, and layers and members are bounded.
"""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_LAYERS = 4
"""Codings one upon the other that are undone; no honest file has more."""

MAX_MEMBERS = 1_000
"""Members of a gzip file, or frames of a zstd file, that are read."""

INLINE_UNPACK_BYTES = 4_096
"""Bytes of a body with one coding of zlib that are unpacked on the event loop."""

_INPUT_CHUNK = 4_096
"""Bytes fed at a time: at most so many are copied for each member that ends."""

_OUTPUT_CHUNK = 65_536
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


def can_unpack(codings: Sequence[str]) -> bool:
    """Whether every one of *codings* is known here and its library is installed."""
    return all(coding in _UNPACKERS for coding in codings)


def is_quick(body: bytes, codings: Sequence[str]) -> bool:
    """Whether unpacking *body* does not hold the event loop up."""
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
    if len(codings) > MAX_LAYERS:
        raise Undecodable(f"{len(codings)} content codings", is_final=True)
    for coding in reversed(codings):
        if not body:
            break
        body, ends = _UNPACKERS[coding](body, limit)
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
        position -= len(member.unused_data)
        if position == len(body) or not body.startswith(magic, position):
            return b"".join(pieces), True
    raise Undecodable(f"more than {MAX_MEMBERS} members", is_final=True)


_gunzip = partial(
    _unpack_members, partial(zlib.decompressobj, _GZIP), zlib.error, _GZIP_MAGIC
)


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo deflate with its zlib wrapping, or without as some servers send it."""
    for wbits in (_ZLIB, _RAW_DEFLATE):
        stream = zlib.decompressobj(wbits)
        try:
            return stream.decompress(body, limit + 1), stream.eof
        except zlib.error:
            continue
    raise Undecodable("bad deflate data")


def _unbrotli(library: Any, body: bytes, limit: int) -> tuple[bytes, bool]:
    """Undo a brotli stream; each step gives at most a chunk."""
    stream, rest, size = library.Decompressor(), body, 0
    pieces: list[bytes] = []
    while size <= limit and not stream.is_finished():
        try:
            step = stream.process(rest, output_buffer_limit=_OUTPUT_CHUNK)
        except library.error as error:
            raise Undecodable("bad brotli data") from error
        if not step and not rest:
            break
        pieces.append(step)
        rest, size = b"", size + len(step)
    return b"".join(pieces), bool(stream.is_finished())


def _unpackers() -> dict[str, Callable[[bytes, int], tuple[bytes, bool]]]:
    """Return what undoes each coding; without its library one is left to Scrapy."""
    known: dict[str, Callable[[bytes, int], tuple[bytes, bool]]] = {
        "gzip": _gunzip,
        "x-gzip": _gunzip,
        "deflate": _inflate,
    }
    zstd, brotli = _zstd_library(), _brotli_library()
    if zstd is not None:  # pragma: no branch - as below
        options = {zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW}
        frame = partial(zstd.ZstdDecompressor, options=options)
        # No magic: what follows a frame must be another one.
        known["zstd"] = partial(_unpack_members, frame, zstd.ZstdError, b"")
    if brotli is not None:  # pragma: no branch - as below
        known["br"] = partial(_unbrotli, brotli)
    return known


def _zstd_library() -> Any:
    """Return Zstandard as Scrapy 2.19 brings it, or `None`."""
    try:
        from backports import zstd  # noqa: PLC0415 - may be missing
    except ImportError:  # pragma: no cover - on an older Scrapy
        return None
    return zstd


def _brotli_library() -> Any:
    """Return Brotli that can stop at a limit (1.2 and later), or `None`."""
    try:
        import brotli  # type: ignore[import-untyped] # noqa: PLC0415 - may be missing

        brotli.Decompressor().process(b"", output_buffer_limit=1)
    except (ImportError, TypeError):  # pragma: no cover - without it, or an older one
        return None
    return brotli


_UNPACKERS = _unpackers()
