"""Results of one GET /robots.txt, and what they mean for the origin: R1 to R7.

The type of a result says who caused it. What a status means is Ours: 1994 says only
that the file is at /robots.txt (M1) and that an empty file is like a missing one (E1). The
ids R1 to R7 are rows of the table in the documentation.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, redirects already followed.

    *body* is at most a little more than the size limit; *is_truncated* says that the
    download stopped there (Ours O24). *not_modified* is a 304 to a request with
    `Validators`. *freshness_lifetime* is that of the headers and *retry_after* the
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
    """The values by which a server may answer "not modified" (RFC 9110, section 13.1).

    They are sent only to *url*: another server could confirm another file.
    """

    url: str
    etag: str | None
    last_modified: str | None


class Outcome(enum.Enum):
    """What an answer means; the value is the word that stats and logs use."""

    PARSED = "parsed"  # R1: the body is the policy
    RENEWED = "renewed"  # R1: the stored body is still the policy
    FORBIDDEN = "forbidden"  # R3: the file exists, and we may not read it
    ABSENT = "absent"  # R4: there is no file
    UNREACHABLE = "unreachable"  # R5: not known


PROXY_AUTHENTICATION_REQUIRED = 407
"""Ours R7: the answer of a proxy, never of the origin; it does not become a policy."""

TEMPORARY = frozenset({408, 421, 425, 429})
"""Ours R5: statuses of class 4 that say "not now", and not "no file"."""

NOT_OF_PROXIES = frozenset({404, 410})
"""Statuses, besides 2xx and 304, that a proxy does not send on its own."""

# Statuses with a row of their own, which overrides that of their class.
_BY_STATUS = {
    401: Outcome.FORBIDDEN,  # Ours R3
    403: Outcome.FORBIDDEN,  # Ours R3
    PROXY_AUTHENTICATION_REQUIRED: Outcome.UNREACHABLE,
    **dict.fromkeys(TEMPORARY, Outcome.UNREACHABLE),
}

# Any other status, by its first digit.
_BY_CLASS = {
    1: Outcome.UNREACHABLE,  # Ours R5: no final answer
    2: Outcome.PARSED,  # Ours R1
    3: Outcome.UNREACHABLE,  # Ours R2: a redirect without target is as R5
    4: Outcome.ABSENT,  # Ours R4
    5: Outcome.UNREACHABLE,  # Ours R5
}


def is_temporary(status: int) -> bool:
    """Return whether *status* is one of R5 that is retried."""
    return status in TEMPORARY or status // 100 == 5  # noqa: PLR2004 - the class


def outcome_of(status: int) -> Outcome:
    """Return the outcome of *status*; R5 for one outside 100 to 599."""
    by_class = _BY_CLASS.get(status // 100, Outcome.UNREACHABLE)
    return _BY_STATUS.get(status, by_class)


def outcome_of_result(result: RobotsResponse | FetchError) -> Outcome:
    """Return the outcome of *result*: by its status, a requested 304, or none."""
    if isinstance(result, FetchError):
        return Outcome.UNREACHABLE  # Ours R5
    if result.not_modified:
        return Outcome.RENEWED  # Ours R1: requested, so not a redirect without target
    return outcome_of(result.status)


def is_of_origin(result: RobotsResponse | FetchError) -> bool:
    """Return whether *result* is an HTTP response of the origin itself (§3.1)."""
    if not isinstance(result, RobotsResponse):
        return False
    outcome = outcome_of(result.status)
    is_proof = outcome is Outcome.PARSED or result.status in NOT_OF_PROXIES
    return is_proof or not result.via_plain_proxy
