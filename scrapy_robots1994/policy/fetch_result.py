"""Results of one GET /robots.txt, and when to request it again.

The type of a result says who caused it: the origin (R5), we (R7), or a cancellation (R6);
`crawl/faults.py` decides. What an answer means is in `outcomes`. R1 to R7 and 3.1 are in
`docs/standard/retrieval.rst`.
"""

import random
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from scrapy_robots1994.policy.outcomes import Outcome, group_of, outcome_of

ExceptionT = TypeVar("ExceptionT", bound=BaseException)
Classes: TypeAlias = tuple[type[BaseException], ...]

NETWORK_PAUSES = (1.0, 4.0)
"""Seconds before each retry of a network failure, and of a fault of ours (R7)."""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""Seconds before each retry of a status of R5."""

MAX_RETRY_AFTER = 30.0
"""Seconds of a Retry-After that requests wait for; a longer one ends the retries."""

PROXY_REFUSAL_PAUSE = 1.0
"""Seconds before a 401 or 403 that came through a proxy is asked for once more."""

JITTER = 0.25
"""The random share by which a pause is longer, so that retries of origins spread."""


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, redirects already followed.

    *body* is at most a little more than the size limit; *is_truncated* says that the
    download stopped there (Ours O24). *not_modified* is a 304 to a request with
    `Validators`. *freshness_lifetime* is that of the headers and *retry_after* the
    server's Retry-After, both in seconds, `None` where the headers say nothing.
    *final_url* is the URL that answered where it is not the requested one (R2).
    *via_proxy* says that the answer came through a proxy, which may have sent it itself.
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
    via_proxy: bool = False

    @property
    def outcome(self) -> Outcome:
        """What it means: by its status, or by a 304 that was requested (R1)."""
        if self.not_modified:
            return Outcome.RENEWED
        return outcome_of(self.status, via_proxy=self.via_proxy)


@dataclass(frozen=True, slots=True)
class FetchError:
    """The origin gave no usable answer (R5): timeout, DNS, TLS, reset, redirect loop.

    *kind* is the short name of the failure, *detail* one printable line about it.
    *is_final* says that a retry would end in the same way.
    """

    kind: str
    detail: str
    is_final: bool = False

    outcome = Outcome.UNREACHABLE  # Ours R5


@dataclass(frozen=True, slots=True)
class LocalFault:
    """The fetch failed on our side (R7), which says nothing about the origin.

    Each waiting request fails with a copy of *error*. *is_bug* says that *error* comes
    from a middleware or from our code, not from the network or the machine. *is_final*
    says that a retry would take as long again.
    """

    error: Exception
    is_bug: bool = False
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The fetch was cancelled before an answer came (R6); *detail* says by what."""

    detail: str


Answer: TypeAlias = RobotsResponse | FetchError
FetchResult: TypeAlias = Answer | LocalFault | Cancelled


@dataclass(frozen=True, slots=True)
class Validators:
    """The headers by which a server may answer "not modified" (RFC 9110, section 13.1).

    They are sent only to *url*: another server could confirm another file.
    """

    url: str
    headers: dict[str, bytes]


def is_of_origin(result: Answer) -> bool:
    """Return whether *result* is an HTTP response of the origin itself (Ours 3.1)."""
    if not isinstance(result, RobotsResponse):
        return False
    return result.outcome.row.is_trusted or not result.via_proxy


def copy_of(error: ExceptionT) -> ExceptionT:
    """Return an exception of the same class and arguments, caused by *error*.

    One object raised for thousands of requests would collect the traceback of each. What
    an `__init__` in C sets, such as the text of a UnicodeError, has the cause alone.
    """
    # Not `copy.copy`: it calls `__init__`, which may take something else.
    made = type(error).__new__(type(error), *error.args)
    made.args = error.args
    made.__dict__.update(error.__dict__)
    made.__cause__ = error
    return made


def is_refusal_by_proxy(result: FetchResult) -> bool:
    """Return whether *result* is a 401 or 403 that a proxy may have sent (Ours 3.1)."""
    return (
        isinstance(result, RobotsResponse)
        and result.via_proxy
        and result.outcome is Outcome.FORBIDDEN
    )


def retry_pause(
    result: FetchResult,
    retries: int,
    max_retries: int = len(STATUS_PAUSES),
    *,
    was_refused: bool = False,
) -> float | None:
    """Return the seconds until the next fetch, after *retries*; `None` for no other one.

    *max_retries* is Scrapy's `RETRY_TIMES`, or 0 if `RETRY_ENABLED` is off. There are
    never more retries than pauses, so a dead origin costs a bounded number of fetches.
    *was_refused* says that an earlier request of this fetch was refused, perhaps by a proxy.
    """
    if is_refusal_by_proxy(result):
        # Another proxy may have been refused alone: it is asked once more.
        is_last = was_refused or retries >= max_retries
        return None if is_last else _with_jitter(PROXY_REFUSAL_PAUSE)
    pauses: tuple[float, ...] = ()
    retry_after = None
    match result:
        case FetchError(is_final=False) | LocalFault(is_final=False):
            pauses = NETWORK_PAUSES
        case RobotsResponse(outcome=Outcome.UNREACHABLE) if group_of(
            result.status
        ).statuses:
            pauses, retry_after = STATUS_PAUSES, result.retry_after
    if retries >= min(max_retries, len(pauses)):
        return None
    pause = pauses[retries] if retry_after is None else retry_after
    if pause > MAX_RETRY_AFTER:
        return None
    return _with_jitter(pause)


def _with_jitter(pause: float) -> float:
    """Return *pause*, a little longer at random."""
    return pause * (1 + JITTER * random.random())  # noqa: S311 - spreads load
