"""What came of one GET /robots.txt; the type says by whose doing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, redirects already followed.

    *body* is at most a little more than the size limit; *is_truncated* says that the
    download stopped there (Ours O24). *not_modified* is a 304 to a request with
    `Validators`. *freshness_lifetime* is what the headers promise and *retry_after* the
    server's Retry-After, both in seconds, `None` where the headers say nothing.
    *final_url* is the URL that answered where it is not the requested one (R2).
    *via_plain_proxy* says that the answer passed a proxy on plain `http:`, which may
    have written the status itself.
    """

    status: int
    body: bytes = b""
    is_truncated: bool = False
    not_modified: bool = False
    freshness_lifetime: float | None = None
    retry_after: float | None = None
    etag: str | None = None
    last_modified: str | None = None
    final_url: str | None = None
    via_plain_proxy: bool = False


@dataclass(frozen=True, slots=True)
class FetchError:
    """The origin gave no usable answer (R5): timeout, DNS, TLS, reset, redirect loop.

    *kind* is the short name of the failure, *detail* one printable line about it.
    *is_final* says that a retry would end in the same way.
    """

    kind: str
    detail: str
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class LocalFault:
    """The fetch failed on our side (R7), which says nothing about the origin.

    Each waiting request fails with a copy of *error*. *is_bug* says that *error* comes
    from a middleware or from our code, not from the network or the machine.
    """

    error: Exception
    is_bug: bool = False


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The fetch was cancelled before an answer came (R6); *detail* says by what."""

    detail: str


FetchResult: TypeAlias = RobotsResponse | FetchError | LocalFault | Cancelled


@dataclass(frozen=True, slots=True)
class Validators:
    """What a server may compare to answer "not modified" (RFC 9110, section 13.1).

    They are sent to *url* and to no other, where they could confirm something else.
    """

    url: str
    etag: str | None
    last_modified: str | None
