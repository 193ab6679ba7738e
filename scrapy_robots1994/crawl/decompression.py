"""Undoes the content coding of a robots.txt: whole or not at all, and bounded.

Scrapy's own decompression hands out what came before the end of a truncated stream, and
half a policy may be an open site (R5); and it throws a body away that unpacks past a
limit, of which the whole lines within the limit are to be obeyed (Ours O24).
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_LAYERS = 4
"""Codings one upon the other that are undone; more are nobody's honest file."""

_CHUNK = 65_536
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # `wbits` of zlib
_ZSTD_WINDOW = 23
"""Base-2 logarithm of the memory a zstd frame may ask for (RFC 9659: 8 MB)."""


class Undecodable(ValueError):  # noqa: N818 - a state of the body, not a bug
    """A body is not what its Content-Encoding says, or ends too early."""


def can_unpack(codings: Sequence[str]) -> bool:
    """Whether every one of *codings* is known here and its library is installed."""
    return all(coding in _UNPACKERS for coding in codings)


def unpack(
    body: bytes, codings: Sequence[str], limit: int, *, is_cut: bool
) -> tuple[bytes, bool]:
    """*body* without its *codings* (first applied first), and whether it is cut.

    Stops at a little more than *limit* bytes, whatever the body would unpack to. A body
    that was cut on its way (*is_cut*) gives what can be read of it. Raises
    `Undecodable` for one that is broken or was not sent whole, and nothing else.
    """
    if len(codings) > MAX_LAYERS:
        raise Undecodable(f"{len(codings)} content codings")
    for coding in reversed(codings):
        if not body:
            break
        body, ends = _first_of(_UNPACKERS[coding](body, limit), limit)
        if not ends and len(body) <= limit and not is_cut:
            raise Undecodable(f"{coding} data ends too early")
        is_cut = is_cut or not ends
    return body, is_cut


def _first_of(unpacked: tuple[bytes, bool], limit: int) -> tuple[bytes, bool]:
    """At most one byte more than *limit*, and whether that was all."""
    body, ends = unpacked
    return body[: limit + 1], ends and len(body) <= limit


def _gunzip(body: bytes, limit: int) -> tuple[bytes, bool]:
    """All members of a gzip file; bytes after the last one do not count."""
    unpacked, ends, rest = b"", False, body
    while len(unpacked) <= limit and (not ends or rest.startswith(_GZIP_MAGIC)):
        member = zlib.decompressobj(_GZIP)
        try:
            unpacked += member.decompress(rest, limit + 1 - len(unpacked))
        except zlib.error as error:
            raise Undecodable("bad gzip data") from error
        ends, rest = member.eof, member.unused_data
        if not ends:
            break
    return unpacked, ends and not rest.startswith(_GZIP_MAGIC)


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """Deflate with its zlib wrapping, or bare as some servers send it."""
    for wbits in (_ZLIB, _RAW_DEFLATE):
        stream = zlib.decompressobj(wbits)
        try:
            return stream.decompress(body, limit + 1), stream.eof
        except zlib.error:
            continue
    raise Undecodable("bad deflate data")


def _unpackers() -> dict[str, Callable[[bytes, int], tuple[bytes, bool]]]:
    """What undoes each coding; without its library a coding is left to Scrapy."""
    known: dict[str, Callable[[bytes, int], tuple[bytes, bool]]] = {
        "gzip": _gunzip,
        "x-gzip": _gunzip,
        "deflate": _inflate,
    }
    zstd, brotli = _zstd_library(), _brotli_library()
    if zstd is not None:  # pragma: no branch - as below
        known["zstd"] = lambda body, limit: _unzstd(zstd, body, limit)
    if brotli is not None:  # pragma: no branch - as below
        known["br"] = lambda body, limit: _unbrotli(brotli, body, limit)
    return known


def _zstd_library() -> Any:
    """Zstandard as Scrapy 2.19 brings it, or `None`."""
    try:
        from backports import zstd  # noqa: PLC0415 - may be missing
    except ImportError:  # pragma: no cover - on an older Scrapy
        return None
    return zstd


def _brotli_library() -> Any:
    """Brotli that can stop at a limit (1.2 and later), or `None`."""
    try:
        import brotli  # type: ignore[import-untyped] # noqa: PLC0415 - may be missing

        brotli.Decompressor().process(b"", output_buffer_limit=1)
    except (ImportError, TypeError):  # pragma: no cover - without it, or an older one
        return None
    return brotli


def _unzstd(library: Any, body: bytes, limit: int) -> tuple[bytes, bool]:
    """All frames of a zstd file."""
    unpacked, ends, rest = b"", False, body
    bounds = {library.DecompressionParameter.window_log_max: _ZSTD_WINDOW}
    while rest and len(unpacked) <= limit:
        frame = library.ZstdDecompressor(options=bounds)
        try:
            unpacked += frame.decompress(rest, limit + 1 - len(unpacked))
        except library.ZstdError as error:
            raise Undecodable("bad zstd data") from error
        ends, rest = frame.eof, frame.unused_data if frame.eof else b""
    return unpacked, ends and not rest


def _unbrotli(library: Any, body: bytes, limit: int) -> tuple[bytes, bool]:
    """A brotli stream; each step gives at most a chunk."""
    stream, unpacked, rest = library.Decompressor(), b"", body
    while len(unpacked) <= limit and not stream.is_finished():
        try:
            step = stream.process(rest, output_buffer_limit=_CHUNK)
        except library.error as error:
            raise Undecodable("bad brotli data") from error
        if not step and not rest:
            break
        unpacked, rest = unpacked + step, b""
    return unpacked, bool(stream.is_finished())


_UNPACKERS = _unpackers()
