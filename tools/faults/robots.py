"""Faults in the transfer of a robots.txt: slow, truncated, reset, long, not HTTP."""

from __future__ import annotations

from tests.support import replies
from tests.support.replies import UNDECLARED, Reply
from tools.faults.fault import RULES, Fault

OK = b"HTTP/1.1 200 OK\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n" % len(RULES)
CHUNK = b"%x\r\n%b\r\n" % (len(RULES), RULES)
MEGABYTE = b"#" * 2**20


def raw(text: bytes, *, chunk: int = 65536, pause: float = 0.0) -> Reply:
    """Return a reply of exactly these bytes; then the connection closes."""
    return Reply(
        head=False, raw=True, body=text, ending="close", chunk=chunk, pause=pause
    )


def chunked(text: bytes) -> Reply:
    """Return a reply whose chunks are written by hand."""
    return raw(OK + b"Transfer-Encoding: chunked\r\n\r\n" + text)


def paced(text: bytes) -> Reply:
    """Return a reply of exactly these bytes that takes longer than any timeout."""
    return raw(text * 200, chunk=max(len(text), 40), pause=0.05)


SLOW = [
    Fault("slow-first", "first byte late", "R1", Reply(body=RULES, delay=0.4)),
    Fault("slow-body", "a few bytes at a time", "R1", replies.trickle(RULES, 8, 0.05)),
]

SILENT = [
    Fault(slug, what, "R5", reply, hangs=True)
    for slug, what, reply in (
        ("slow-byte", "a byte at a time", replies.trickle(RULES * 9, 1, 0.2)),
        ("stops", "stops in the middle", replies.unclosed(RULES, 500)),
        ("black-hole", "takes the request, says nothing", replies.black_hole()),
        ("slow-head", "headers without end", paced(OK + b"X-A: 1\r\n" * 9)),
        ("interims", "100 Continue on and on", paced(b"HTTP/1.1 100 C\r\n\r\n")),
    )
]

SHORT = [
    Fault(
        "truncated",
        "closes before its Content-Length",
        "R5",
        replies.truncated(RULES, 500),
    ),
    Fault(
        "too-much",
        "sends more than its Content-Length",
        "R1",
        Reply(body=RULES + b"Disallow: /open\n", length=len(RULES)),
    ),
    Fault(
        "length-below-0",
        "Content-Length: -5",
        "R5",
        raw(OK + b"Content-Length: -5\r\n\r\n" + RULES),
    ),
    Fault(
        "length-word",
        "Content-Length: many",
        "R5",
        raw(OK + b"Content-Length: many\r\n\r\n" + RULES),
    ),
    Fault(
        "two-lengths",
        "two Content-Lengths that differ",
        "R5",
        raw(OK + b"Content-Length: 5\r\n" + LENGTH + RULES),
    ),
    Fault(
        "no-length",
        "only the close ends it",
        "R1",
        Reply(body=RULES, length=UNDECLARED, ending="close"),
    ),
    Fault("hang-up", "closes without a byte", "R5", replies.hang_up()),
    Fault("half-head", "closes within the headers", "R5", raw(OK + b"Content-Ty")),
    Fault("reset", "reset at once", "R5", replies.reset()),
    Fault("reset-middle", "reset in the middle", "R5", replies.reset(RULES, 14)),
    Fault("chunked", "chunked, sound", "R1", chunked(CHUNK + b"0\r\n\r\n")),
    Fault("chunk-size", "chunked, size no number", "R5", chunked(b"zz\r\n" + RULES)),
    Fault("chunk-end", "chunked, no last chunk", "R5", chunked(CHUNK)),
    Fault(
        "chunk-cut",
        "chunked, broken off in a chunk",
        "R5",
        chunked(b"ffff\r\n" + RULES),
    ),
]

LONG = [
    Fault(
        "two-gigabytes",
        "2 GB announced and sent",
        "R1",
        Reply(
            body=RULES + MEGABYTE, length=2_000_000_000, repeat=2_000, ending="close"
        ),
    ),
    Fault("endless", "without end", "R1", replies.endless(RULES)),
    Fault("endless-line", "one line without end", "R5", replies.endless(b"#")),
    Fault("endless-nul", "NULs without end", "R5", replies.endless(b"\0")),
]

NOT_HTTP = [
    Fault("ssh", "greets as SSH", "R5", raw(b"SSH-2.0-OpenSSH_9.2\r\n")),
    Fault("bare", "a file without headers", "R5", raw(RULES)),
    Fault(
        "status-word",
        "status is a word",
        "R5",
        raw(b"HTTP/1.1 fine OK\r\n" + LENGTH + RULES),
    ),
    Fault(
        "status-999", "status 999", "R5", raw(b"HTTP/1.1 999 No\r\n" + LENGTH + RULES)
    ),
    Fault(
        "status-600", "status 600", "R5", raw(b"HTTP/1.1 600 No\r\n" + LENGTH + RULES)
    ),
    Fault("http-1.0", "HTTP/1.0", "R1", raw(b"HTTP/1.0 200 OK\r\n\r\n" + RULES)),
    Fault(
        "interim",
        "100 Continue, then 200",
        "R1",
        raw(b"HTTP/1.1 100 Continue\r\n\r\n" + OK + LENGTH + RULES),
    ),
    Fault(
        "early-hints",
        "103 Early Hints, then 200",
        "R1",
        raw(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK + LENGTH + RULES),
    ),
]

TRANSFERS = [*SLOW, *SILENT, *SHORT, *LONG, *NOT_HTTP]
