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
    """A response, which may be faulty."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    head: bool = True
    """If this and `raw` are false, nothing is sent, and only the `ending` happens."""
    raw: bool = False
    """Send only the body, without a status line and headers."""
    gate: str = ""
    """Send nothing until this gate opens (see `Site.open`)."""
    delay: float = 0.0
    """How many seconds to wait before the first byte, once the gate is open."""
    length: int | None = None
    """The Content-Length, if it is not the true length of the body."""
    chunk: int = 65536
    """The size in bytes of the pieces in which the body is sent."""
    pause: float = 0.0
    """How many seconds to wait after each piece."""
    is_endless: bool = False
    """Send the body again and again."""
    ending: Ending = "keep"
    """What happens at the end: "reset" sends an RST, and "hang" leaves the connection open without
    sending more.
    """


def text(body: str | bytes, status: int = 200, *, gate: str = "") -> Reply:
    raw = body.encode() if isinstance(body, str) else body
    return Reply(status, raw, (("Content-Type", "text/plain"),), gate=gate)


def html(body: str, *, gate: str = "") -> Reply:
    kind = (("Content-Type", "text/html; charset=utf-8"),)
    return Reply(200, body.encode(), kind, gate=gate)


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


def reset() -> Reply:
    return Reply(head=False, ending="reset")


def truncated(body: bytes, length: int) -> Reply:
    """Declare *length* bytes, send the shorter *body*, and close the connection."""
    return Reply(body=body, length=length, ending="close")


def unclosed(body: bytes, length: int) -> Reply:
    """Declare *length* bytes, send the shorter *body*, and leave the connection open."""
    return Reply(body=body, length=length, ending="hang")


def trickle(body: bytes, chunk: int, pause: float) -> Reply:
    """Send *body* in pieces of *chunk* bytes, *pause* seconds apart."""
    return Reply(body=body, chunk=chunk, pause=pause)


def endless(line: bytes) -> Reply:
    return Reply(body=line * 1000, length=UNDECLARED, is_endless=True, ending="close")
