"""Faults of a complete robots.txt: its codings, headers and content."""

from __future__ import annotations

import gzip
import zlib

from tests.support import replies
from tests.support.replies import Reply
from tools.faults.bombs import (
    BROTLI_BOMB,
    GZIP_BOMB,
    GZIP_TWICE,
    NO_LINE_BOMB,
    ZSTD_BOMB,
    coded,
    zstd,
)
from tools.faults.fault import RULES, Fault

NOISE = bytes(range(256)) * 40
PACKED = gzip.compress(RULES + NOISE, mtime=0)
WRONG_SUM = PACKED[:-8] + b"\0\0\0\0" + PACKED[-4:]
RAW_DEFLATE = zlib.compressobj(wbits=-15)
BARE = RAW_DEFLATE.compress(RULES) + RAW_DEFLATE.flush()
LATER, LONG_AGO = "Fri, 31 Dec 2199 23:59:59 GMT", "Tue, 01 Feb 1994 00:00:00 GMT"


def headed(*headers: tuple[str, str], status: int = 200) -> Reply:
    """Return a reply with the rules and these headers."""
    return Reply(status, RULES, headers)


CODINGS = [
    Fault("gzip", "gzip", "R1", coded(PACKED, "gzip")),
    Fault("x-gzip", "gzip under its old name", "R1", coded(PACKED, "X-GZIP")),
    Fault("deflate", "deflate", "R1", coded(zlib.compress(RULES), "deflate")),
    Fault("deflate-bare", "deflate without its wrapping", "R1", coded(BARE, "deflate")),
    Fault("zstd", "zstd", "R1", coded(zstd(RULES), "zstd")),
    Fault(
        "gzip-twice",
        "gzip in gzip, said so",
        "R1",
        coded(gzip.compress(PACKED), "gzip", "gzip"),
    ),
    Fault(
        "gzip-members",
        "two gzip members",
        "R1",
        coded(gzip.compress(RULES[:14]) + gzip.compress(RULES[14:]), "gzip"),
    ),
    Fault(
        "gzip-tail",
        "bytes after the end of gzip",
        "R1",
        coded(PACKED + b"\0" * 9, "gzip"),
    ),
    Fault("gzip-bomb", "gzip of 64 MB", "R1", coded(GZIP_BOMB, "gzip")),
    Fault(
        "gzip-in-gzip", "gzip in gzip of 64 MB", "R1", coded(GZIP_TWICE, "gzip", "gzip")
    ),
    Fault("brotli-bomb", "brotli of 64 MB", "R1", coded(BROTLI_BOMB, "br")),
    Fault("zstd-bomb", "zstd of 64 MB", "R1", coded(ZSTD_BOMB, "zstd")),
    Fault(
        "bomb-line",
        "gzip of 64 MB without a line end",
        "R5",
        coded(NO_LINE_BOMB, "gzip"),
    ),
    Fault(
        "zstd-window",
        "zstd that asks for 1 GB of memory",
        "R5",
        coded(zstd(RULES, window=30), "zstd"),
    ),
    Fault("bad-gzip", "not gzip, but said so", "R5", coded(RULES, "gzip")),
    Fault("bad-br", "not brotli, but said so", "R5", coded(NOISE, "br")),
    Fault("bad-zstd", "not zstd, but said so", "R5", coded(NOISE, "zstd")),
    Fault("bad-deflate", "not deflate, but said so", "R5", coded(NOISE, "deflate")),
    Fault("gzip-cut", "gzip without its end", "R5", coded(PACKED[:-20], "gzip")),
    Fault("gzip-sum", "gzip with a wrong checksum", "R5", coded(WRONG_SUM, "gzip")),
    Fault(
        "deflate-cut",
        "deflate without its end",
        "R5",
        coded(zlib.compress(RULES)[:-6], "deflate"),
    ),
    Fault("zstd-cut", "zstd without its end", "R5", coded(zstd(RULES, 9)[:-4], "zstd")),
    Fault("br-cut", "brotli without its end", "R5", coded(BROTLI_BOMB[:30], "br")),
    Fault("gzip-once", "gzip once, said twice", "R5", coded(PACKED, "gzip", "gzip")),
    Fault("codings-100", "a hundred codings", "R5", coded(PACKED, *["gzip"] * 100)),
    Fault("compress", "an unknown coding", "R5", coded(RULES, "compress")),
    Fault("no-coding", "Content-Encoding: utf-8", "R1", coded(RULES, "utf-8")),
]

HEADERS = [
    Fault("header-1mb", "a header of 1 MB", "R5", headed(("X-Long", "x" * 2**20))),
    Fault(
        "header-10000",
        "10,000 headers",
        "R1",
        headed(*((f"X-{number}", "x") for number in range(10_000))),
    ),
    Fault("set-cookie", "sets a cookie", "R1", headed(("Set-Cookie", "robots=1"))),
    Fault("refresh", "Refresh header", "R1", headed(("Refresh", "0; url=/elsewhere"))),
    Fault(
        "location-200", "200 with a Location", "R1", headed(("Location", "/elsewhere"))
    ),
    Fault(
        "century",
        "503, Retry-After of a century",
        "R5",
        headed(("Retry-After", "3153600000"), status=503),
    ),
    Fault(
        "retry-date",
        "503, Retry-After in 2199",
        "R5",
        headed(("Retry-After", LATER), status=503),
    ),
    Fault(
        "retry-word",
        "503, Retry-After: soon",
        "R5",
        headed(("Retry-After", "soon"), status=503),
    ),
    Fault(
        "expired",
        "expired in 1994",
        "R1",
        headed(("Expires", LONG_AGO), ("Date", LATER)),
    ),
    Fault(
        "expires-later",
        "expires in 2199",
        "R1",
        headed(("Expires", LATER), ("Date", LONG_AGO)),
    ),
    Fault(
        "max-age",
        "max-age of a century",
        "R1",
        headed(("Cache-Control", "max-age=3153600000")),
    ),
    Fault(
        "max-age-below-0", "max-age=-1", "R1", headed(("Cache-Control", "max-age=-1"))
    ),
    Fault(
        "bad-dates",
        "dates that are none",
        "R1",
        headed(("Expires", "0"), ("Date", "yesterday")),
    ),
    Fault(
        "image", "Content-Type: image/png", "R1", headed(("Content-Type", "image/png"))
    ),
    Fault(
        "charset",
        "charset=utf-16 on ASCII",
        "R1",
        headed(("Content-Type", "text/plain; charset=utf-16")),
    ),
    Fault(
        "latin-header",
        "a header that is not ASCII",
        "R1",
        headed(("X-Name", "caf\u00e9")),
    ),
]

META_REFRESH = '<html><meta http-equiv="refresh" content="0; url=/elsewhere"></html>'
BODIES = [
    Fault("empty", "empty", "R1 empty", replies.text(b"")),
    Fault("nul", "NULs only", "R1 empty", replies.text(b"\0" * 999)),
    Fault(
        "nul-lines",
        "NULs between the lines",
        "R1",
        replies.text(b"\0\n\0\n" + RULES + b"\0\n"),
    ),
    Fault("noise", "bytes of every kind", "R1 empty", replies.text(NOISE)),
    Fault("html", "an HTML page", "R1 empty", replies.html("<html>robots</html>")),
    Fault(
        "meta-refresh",
        "an HTML page with a meta refresh",
        "R1 empty",
        replies.html(META_REFRESH),
    ),
    Fault(
        "utf-16",
        "UTF-16 with its mark",
        "R1",
        replies.text(RULES.decode().encode("utf-16")),
    ),
    Fault("mark", "UTF-8 with a mark", "R1", replies.text(b"\xef\xbb\xbf" + RULES)),
    Fault(
        "cr", "lines that end in CR", "R1", replies.text(RULES.replace(b"\n", b"\r"))
    ),
]

CONTENTS = [*CODINGS, *HEADERS, *BODIES]
