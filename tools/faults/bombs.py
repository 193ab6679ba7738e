"""Bodies that are small on the wire and large when decompressed.

The zstd frame is built by hand and the brotli body is a constant, so that no test
needs a library to compress what the crawl decompresses.
"""

from __future__ import annotations

import base64
import gzip
import struct

from tests.support.replies import Reply
from tools.faults.fault import RULES

SIZE = 64 * 2**20

_ZSTD_MAGIC = struct.pack("<I", 0xFD2FB528)
_MOST_IN_A_BLOCK = 128 * 2**10
_REPEATED, _LAST = 1, 1

GZIP_BOMB = gzip.compress(RULES + b"#" * SIZE, mtime=0)
GZIP_TWICE = gzip.compress(GZIP_BOMB, mtime=0)
NO_LINE_BOMB = gzip.compress(b"#" * SIZE, mtime=0)
"""A bomb without a line end, so that no rule of it can be read."""

BROTLI_BOMB = base64.b64decode(
    "y///PwBET9Zf0jfNZrosVKERVHqTVWb5THIWYv2cyTaoyH0sgv6cef/XkPj//weABEAcFoDu/R////8A"
    "kACIwwLQvf/j//8fABIAcVgAuvd//P//A0ACIA4LQPf+j///fwBIAMRhAeje//H//w8ACYA4LADd+z/+"
    "//8BIAEQhwWge/8XHwAAJACiiAAE"
)
"""RULES and SIZE times one letter, by `brotli.compress`."""


def zstd(text: bytes, padding: int = 0, *, window: int = 23) -> bytes:
    """Return a zstd frame: *text*, then `#` repeated; it needs 2 ** *window* bytes."""
    frame = _ZSTD_MAGIC + b"\0" + bytes([(window - 10) << 3])
    frame += _block(text, len(text), 0, last=not padding)
    while padding > 0:
        size = min(padding, _MOST_IN_A_BLOCK)
        padding -= size
        frame += _block(b"#", size, _REPEATED, last=not padding)
    return frame


def _block(content: bytes, size: int, kind: int, *, last: bool) -> bytes:
    """Return a block with its header of three bytes."""
    header = size << 3 | kind << 1 | (_LAST if last else 0)
    return struct.pack("<I", header)[:3] + content


ZSTD_BOMB = zstd(RULES, SIZE)


def coded(body: bytes, *codings: str) -> Reply:
    """Return a reply with these content codings in its header."""
    return Reply(body=body, headers=(("Content-Encoding", ", ".join(codings)),))
