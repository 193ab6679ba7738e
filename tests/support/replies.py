"""The replies of the scripted server, with a function for each kind of fault."""

from __future__ import annotations

import base64
from dataclasses import asdict, dataclass
from typing import Any, Literal

Ending = Literal["keep", "close", "reset", "hang"]

UNDECLARED = -1
"""As `length`: send no Content-Length, so that only the close ends the body."""

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
    "RU5ErkJggg=="
)
"""A PNG of one pixel."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted reply; the default is `200 OK` with an empty body.

    `head` False sends nothing at all before the `ending`; `raw` True sends the body as
    it is, without a status line and headers. `gate` names a gate that must be
    open before the first byte is sent, `delay` the seconds to wait before that byte.
    `length` is the Content-Length to declare when it is not the true one. `cut` is the
    number of body bytes sent before the `ending`. `chunk` and `pause` make the body
    trickle. `repeat` is how often the body is sent, 0 for endlessly. `ending`
    says what happens to the connection then: it stays usable, is closed, is reset
    (RST), or hangs open for ever.
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

    def to_json(self) -> dict[str, Any]:
        """Return the reply as JSON values; the body in base64."""
        return asdict(self) | {"body": base64.b64encode(self.body).decode()}

    @classmethod
    def from_json(cls, packed: dict[str, Any]) -> Reply:
        """Return the Reply that `to_json` encoded."""
        headers = tuple((name, value) for name, value in packed["headers"])
        body = base64.b64decode(packed["body"])
        return cls(**packed | {"body": body, "headers": headers})


def text(body: str | bytes, status: int = 200, *, gate: str = "") -> Reply:
    """Reply in plain text, as a robots.txt is served."""
    raw = body.encode() if isinstance(body, str) else body
    return Reply(status, raw, (("Content-Type", "text/plain"),), gate=gate)


def html(body: str, status: int = 200, *, gate: str = "") -> Reply:
    """Reply with an HTML page."""
    kind = (("Content-Type", "text/html; charset=utf-8"),)
    return Reply(status, body.encode(), kind, gate=gate)


def image() -> Reply:
    """Reply with a small image."""
    return Reply(200, PIXEL, (("Content-Type", "image/png"),))


def status(code: int, body: bytes = b"", **headers: str) -> Reply:
    """Reply with a status; `Retry_After="3"` becomes the header `Retry-After: 3`."""
    pairs = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(code, body, pairs)


def redirect(location: str, code: int = 302) -> Reply:
    """Reply that sends the client on to `location`."""
    return Reply(code, headers=(("Location", location),))


def black_hole() -> Reply:
    """Read the request, answer nothing, leave the connection open for ever."""
    return Reply(head=False, ending="hang")


def hang_up() -> Reply:
    """Read the request and close without a byte."""
    return Reply(head=False, ending="close")


def reset(body: bytes = b"", after: int | None = None) -> Reply:
    """Reset the connection: at once, or after the first `after` bytes of the body."""
    if after is None:
        return Reply(head=False, ending="reset")
    return Reply(body=body, cut=after, ending="reset")


def truncated(body: bytes, length: int) -> Reply:
    """Declare `length` bytes, send the shorter `body`, close."""
    return Reply(body=body, length=length, ending="close")


def unclosed(body: bytes, length: int) -> Reply:
    """Declare `length` bytes, send the shorter `body`, and leave the connection open."""
    return Reply(body=body, length=length, ending="hang")


def trickle(body: bytes, chunk: int, pause: float) -> Reply:
    """Send the body in pieces of `chunk` bytes, `pause` seconds apart."""
    return Reply(body=body, chunk=chunk, pause=pause)


def endless(line: bytes = b"Disallow: /x\n") -> Reply:
    """Send `line` again and again until the client leaves."""
    return Reply(body=line * 1000, length=UNDECLARED, repeat=0, ending="close")
