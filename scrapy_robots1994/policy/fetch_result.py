"""What came back for /robots.txt: an answer, no answer, or a cancelled question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """A server answered GET /robots.txt, redirects already followed.

    *body* is at most a little more than the size limit; *is_cut* says that the download
    was stopped there (Ours O24). *not_modified* is a 304 to a question that named
    `Validators`. *lifetime* is the freshness the headers promise and *retry_after* the
    server's Retry-After, both in seconds, `None` where the headers say nothing.
    *final_url* is the URL that answered where it was not the one that was asked (R2).
    """

    status: int
    body: bytes = b""
    is_cut: bool = False
    not_modified: bool = False
    lifetime: float | None = None
    retry_after: float | None = None
    etag: str | None = None
    last_modified: str | None = None
    final_url: str | None = None


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server may compare to say "not modified" (RFC 9110, section 13.1).

    They speak of what is at *url* and of no other resource: sent to another one they
    could renew what is there no more.
    """

    url: str
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class FetchError:
    """No usable answer came: timeout, DNS, TLS, reset, loop, an exception on the way.

    *kind* is the short name of what went wrong, *detail* one printable line about it.
    """

    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The question was withdrawn before an answer came (R6); *detail* says by what."""

    detail: str


Answer: TypeAlias = RobotsResponse | FetchError | Cancelled
