"""Decompression of robots.txt files, in a crawl and in archives.

Scrapy's own decompression is not suitable, for two reasons. First, Scrapy returns the
beginning of an incomplete stream. If only half of a file is obeyed, the file may seem to
allow the whole site (R5, unreachable). Second, Scrapy discards a body whose decompressed
size exceeds a limit, but the whole lines within the limit must be obeyed (Ours O24,
truncated files). This module unpacks a body up to a limit, and rejects a stream that ends
too early.

The unpacking time is linear in the size of the input and the output, because the input is
not copied for each member. The number of layers and the number of members are limited.
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
"""The maximum number of codings of one body. No honest server applies more than
`MAX_LAYERS` codings to one body.
"""

MAX_MEMBERS = 1_000
"""The maximum number of members in a gzip file, or of frames in a zstd file."""

# This module cannot unpack `compress` and `x-compress`. The module can unpack `br` and
# `zstd` only if the libraries for these codings are installed.
_PACKED = frozenset(("compress", "x-compress", "br", "zstd"))
# Match a control character that occurs in compressed data but not in text.
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")

_INPUT_CHUNK = 4_096
"""The number of bytes that are passed to a decompressor at a time. At the end of a member,
at most `_INPUT_CHUNK` bytes are copied.
"""

_GZIP_MAGIC = b"\x1f\x8b"
_GZIP, _ZLIB, _RAW_DEFLATE = 31, 15, -15  # `wbits` of zlib
_ZSTD_WINDOW = 23
"""The base-2 logarithm of the maximum window size, in bytes, of a zstd frame. RFC
9659 limits the window to 8 MB.
"""


class Undecodable(ValueError):  # noqa: N818 - a state of the body, not a bug
    """Raised for a body that does not match its Content-Encoding, or that ends too early.

    *is_final* is `True` if the server would probably send an undecodable body again, so
    that a retry would not help.
    """

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        self.is_final = is_final
        super().__init__(message)


def unpack(
    body: bytes, codings: Sequence[str], limit: int, *, is_truncated: bool
) -> tuple[bytes, bool]:
    """Return the unpacked *body*, and whether the result is truncated. *codings* are the
    codings of *body*, in the order in which the server applied the codings.

    Stop after slightly more than *limit* bytes, however large the unpacked body would be.
    If *is_truncated* is true, *body* was truncated during the download, so return the part
    that can be unpacked. Raise `Undecodable` if *body* is broken or incomplete. No other
    exception is raised.
    """
    # Limit the number of layers, because each layer may take as long to unpack as a file of
    # the maximum size.
    if len(codings) > MAX_LAYERS:
        raise Undecodable(f"{len(codings)} content codings", is_final=True)
    for coding in reversed(codings):
        # Some servers send an empty body with a Content-Encoding. An empty body contains no
        # compressed stream.
        if not body:
            break
        if coding not in _UNPACKERS:
            # Some servers send a name that is not a coding, such as `utf-8`. Ignore an
            # unknown name if the body looks like text.
            if coding not in _PACKED and not _NOT_TEXT.search(body):
                continue
            # Ours R5 (unreachable): a body with an unknown coding is rejected. If the body
            # were accepted, compressed bytes would be read as a file without rules.
            raise Undecodable(f"Content-Encoding {coding}", is_final=True)
        body, ends = _UNPACKERS[coding](body, limit)
        # Check the size after each layer, because the output of one layer is the input of
        # the next layer.
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
    """Return the output of all members of *body*, and whether the last member is
    complete.

    *new_member* returns a decompressor for one member. The decompressor must have the
    interface of the decompressors in zlib and zstd. If the bytes after a member do not
    begin with *magic*, the rest of *body* is ignored.
    """
    pieces: list[bytes] = []
    view, position, size = memoryview(body), 0, 0
    for _ in range(MAX_MEMBERS):
        member = new_member()
        while not member.eof:
            # Slice the view, because slices of the body itself would be copies.
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
        # A file may contain several members (RFC 1952, section 2.2). For example,
        # `cat a.gz b.gz` writes a file with two members.
        position -= len(member.unused_data)
        if position == len(body) or not body.startswith(magic, position):
            return b"".join(pieces), True
    raise Undecodable(f"more than {MAX_MEMBERS} members", is_final=True)


_gunzip = partial(
    _unpack_members, partial(zlib.decompressobj, _GZIP), zlib.error, _GZIP_MAGIC
)


def _inflate(body: bytes, limit: int) -> tuple[bytes, bool]:
    """Decompress deflate data. The zlib wrapper may be missing."""
    # RFC 9110, section 8.4.1.2, requires the zlib wrapper, but some servers omit it.
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
"""A dict that maps each coding to the function that decompresses a body. If the library
for a coding is missing, neither the dict nor the Accept-Encoding header of requests
contains the coding.
"""

with suppress(ImportError):  # Scrapy before 2.19 does not require zstd
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    _options: dict[int, int] = {
        zstd.DecompressionParameter.window_log_max: _ZSTD_WINDOW
    }
    # The magic is empty, because only another frame may follow a zstd frame.
    _UNPACKERS["zstd"] = partial(
        _unpack_members,
        partial(zstd.ZstdDecompressor, options=_options),
        zstd.ZstdError,
        b"",
    )

with suppress(ImportError, TypeError):  # brotli before 1.2 cannot stop at a limit
    import brotli  # type: ignore[import-untyped]  # brotli has no annotations

    brotli.Decompressor().process(b"", output_buffer_limit=1)

    def _unbrotli(body: bytes, limit: int) -> tuple[bytes, bool]:
        """Decompress a brotli stream. The output may be longer than *limit*, but only by a
        bounded size.
        """
        # Decompress the whole body in one call, because other threads can run during a call
        # to the brotli library.
        stream = brotli.Decompressor()
        try:
            out = stream.process(body, output_buffer_limit=limit + 1)
        except brotli.error as error:
            raise Undecodable("bad brotli data") from error
        return out, stream.is_finished()

    _UNPACKERS["br"] = _unbrotli

# List the codings in the same order as Scrapy's own Accept-Encoding header, because some
# download handlers compare the two headers.
_ACCEPTED = ("gzip", "deflate", "br", "zstd")

ACCEPT_ENCODING = ", ".join(filter(_UNPACKERS.__contains__, _ACCEPTED))
"""The value of Accept-Encoding in requests. The value lists the codings that this module
can unpack.
"""
