"""Replies for the scripted server, some of them faulty."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Literal

Ending = Literal["keep", "close", "reset", "hang"]

UNDECLARED = -1
"""A `length` that omits the Content-Length, so the body ends when the connection closes."""

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
    "RU5ErkJggg=="
)


@dataclass(frozen=True, slots=True)
class Reply:
    """A response, with possible faults.

    The first byte is sent `delay` seconds after `gate` has opened. If `raw`, only the body is sent,
    without a status line and headers. If neither `raw` nor `head`, only the `ending` happens.
    `length` is the Content-Length if it differs from the true length. Only the first `cut` bytes of
    the body are sent, in pieces of `chunk` bytes, with `pause` seconds after each piece. The body
    is sent `repeat` times, or endlessly if `repeat` is 0. The ending "reset" sends an RST, and
    "hang" leaves the connection open without sending more.
    """

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    head: bool = True
    raw: bool = False
    gate: str = ""
    delay: float = 0.0
    length: int | None = None
    cut: int | None = None
    chunk: int = 65536
    pause: float = 0.0
    repeat: int = 1
    ending: Ending = "keep"


def text(body: str | bytes, status: int = 200, *, gate: str = "") -> Reply:
    raw = body.encode() if isinstance(body, str) else body
    return Reply(status, raw, (("Content-Type", "text/plain"),), gate=gate)


def html(body: str, status: int = 200, *, gate: str = "") -> Reply:
    kind = (("Content-Type", "text/html; charset=utf-8"),)
    return Reply(status, body.encode(), kind, gate=gate)


def image() -> Reply:
    return Reply(200, PIXEL, (("Content-Type", "image/png"),))


def status(code: int, body: bytes = b"", /, **headers: str) -> Reply:
    """`Retry_After="3"` becomes the header `Retry-After: 3`."""
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(code, body, pairs)


def redirect(location: str, code: int = 302) -> Reply:
    return Reply(code, headers=(("Location", location),))


def black_hole() -> Reply:
    return Reply(head=False, ending="hang")


def hang_up() -> Reply:
    return Reply(head=False, ending="close")


def reset(body: bytes = b"", after: int | None = None) -> Reply:
    """Reset the connection, at once or after *after* bytes of *body*."""
    if after is None:
        return Reply(head=False, ending="reset")
    return Reply(body=body, cut=after, ending="reset")


def truncated(body: bytes, length: int) -> Reply:
    """Declare *length* bytes, send the shorter *body*, and close the connection."""
    return Reply(body=body, length=length, ending="close")


def unclosed(body: bytes, length: int) -> Reply:
    """Declare *length* bytes, send the shorter *body*, and leave the connection open."""
    return Reply(body=body, length=length, ending="hang")


def trickle(body: bytes, chunk: int, pause: float) -> Reply:
    """Send *body* in pieces of *chunk* bytes, *pause* seconds apart."""
    return Reply(body=body, chunk=chunk, pause=pause)


def endless(line: bytes = b"Disallow: /x\n") -> Reply:
    return Reply(body=line * 1000, length=UNDECLARED, repeat=0, ending="close")
