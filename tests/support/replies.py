"""The replies of the scripted server, with a function for each kind of fault."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Literal

Ending = Literal["keep", "close", "reset", "hang"]

UNDECLARED = -1
"""A value of `length` with which the server sends no Content-Length. Without a
Content-Length, the body ends when the connection closes.
"""

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
    "RU5ErkJggg=="
)
"""A PNG of one pixel."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted reply of the server. The default is a reply with status 200 and an empty
    body.

    If `head` is False, the server sends nothing before the `ending`. If `raw` is True,
    the server sends only the body, without a status line and headers. `gate` is the
    name of a gate that must open before the first byte is sent. `delay` is the number
    of seconds to wait after the gate has opened. `length` is the Content-Length, if the
    header differs from the true length. `cut` is the number of bytes of the body that
    are sent before the `ending`. The body is sent in pieces of `chunk` bytes, with
    `pause` seconds after each piece. `repeat` is how often the body is sent; 0 means
    endlessly. `ending` says what happens to the connection after the last byte. `keep`
    keeps the connection open, and `close` closes the connection. `reset` sends an RST,
    and `hang` leaves the connection open without a further byte.
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
    """Return a reply in plain text, like the reply for a robots.txt."""
    raw = body.encode() if isinstance(body, str) else body
    return Reply(status, raw, (("Content-Type", "text/plain"),), gate=gate)


def html(body: str, status: int = 200, *, gate: str = "") -> Reply:
    """Return a reply with an HTML page."""
    kind = (("Content-Type", "text/html; charset=utf-8"),)
    return Reply(status, body.encode(), kind, gate=gate)


def image() -> Reply:
    """Return a reply with a small image."""
    return Reply(200, PIXEL, (("Content-Type", "image/png"),))


def status(code: int, body: bytes = b"", /, **headers: str) -> Reply:
    """Return a reply with status *code*.

    The argument `Retry_After="3"` becomes the header `Retry-After: 3`.
    """
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(code, body, pairs)


def redirect(location: str, code: int = 302) -> Reply:
    """Return a reply that redirects the client to *location*."""
    return Reply(code, headers=(("Location", location),))


def black_hole() -> Reply:
    """Return a reply that sends no bytes and leaves the connection open forever."""
    return Reply(head=False, ending="hang")


def hang_up() -> Reply:
    """Return a reply that closes the connection without sending a byte."""
    return Reply(head=False, ending="close")


def reset(body: bytes = b"", after: int | None = None) -> Reply:
    """Return a reply that resets the connection.

    The reset comes at once, or after the first *after* bytes of *body* were sent.
    """
    if after is None:
        return Reply(head=False, ending="reset")
    return Reply(body=body, cut=after, ending="reset")


def truncated(body: bytes, length: int) -> Reply:
    """Return a reply that declares *length* bytes, sends the shorter *body*, and closes the
    connection.
    """
    return Reply(body=body, length=length, ending="close")


def unclosed(body: bytes, length: int) -> Reply:
    """Return a reply that declares *length* bytes, sends the shorter *body*, and leaves the
    connection open.
    """
    return Reply(body=body, length=length, ending="hang")


def trickle(body: bytes, chunk: int, pause: float) -> Reply:
    """Return a reply that sends *body* in pieces of *chunk* bytes, *pause* seconds apart."""
    return Reply(body=body, chunk=chunk, pause=pause)


def endless(line: bytes = b"Disallow: /x\n") -> Reply:
    """Return a reply that sends *line* again and again until the client disconnects."""
    return Reply(body=line * 1000, length=UNDECLARED, repeat=0, ending="close")
