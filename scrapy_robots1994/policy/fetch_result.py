"""Results of one GET /robots.txt, and when to request the file again.

The type of a result says who caused it: the origin (R5, unreachable), we (R7, our own
fault), or a cancellation (R6, closing); `policy/faults.py` chooses the type. The
meaning of an answer is in `outcomes`. R1 to R7 and 3.1 (retries) are described in
`docs/standard/retrieval.rst`.
"""

import random
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from scrapy_robots1994.escaping import one_line, redact_and_escape
from scrapy_robots1994.policy.outcomes import Outcome, group_of, outcome_of

ExceptionT = TypeVar("ExceptionT", bound=BaseException)
Classes: TypeAlias = tuple[type[BaseException], ...]

NETWORK_PAUSES = (1.0, 4.0)
"""Seconds before each retry of a network failure, and of our own fault (R7)."""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""Seconds before each retry of a status of R5."""

MAX_RETRY_AFTER = 30.0
"""Longest Retry-After, in seconds, after which a fetch is retried. A longer Retry-After
ends the retries.
"""

JITTER = 0.25
"""Largest random share that is added to a pause, so that retries of many origins spread
out.
"""


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, after redirects.

    *body* is at most slightly longer than the size limit; *is_truncated* says that the
    download stopped at the limit (Ours O24, truncated files). *not_modified* says that
    the answer is a 304 to a request with `Validators`. *freshness_lifetime* is the
    lifetime that the headers state, and *retry_after* the server's Retry-After, both in
    seconds. Each is `None` if the headers do not state it. *final_url* is the URL that
    answered, if it differs from the requested URL (R2, redirects). *via_proxy* says
    that the answer came through a proxy, which may have made the answer itself.
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
        """The meaning of the answer: `RENEWED` for a 304 to a conditional request (R1),
        otherwise by its status.
        """
        if self.not_modified:
            return Outcome.RENEWED
        return outcome_of(self.status, via_proxy=self.via_proxy)


@dataclass(frozen=True, slots=True)
class FetchError:
    """The origin gave no usable answer (R5): timeout, DNS, TLS, reset, redirect loop.

    *kind* is the short name of the failure, *detail* one printable line about the
    failure. *is_final* says that a retry would end in the same way. *final_url* is the
    URL of the failed request, if a redirect led there. *error* is the exception that
    the request raised.
    """

    kind: str
    detail: str
    is_final: bool = False
    final_url: str | None = None
    error: Exception | None = field(default=None, compare=False, repr=False)

    outcome = Outcome.UNREACHABLE  # Ours R5


@dataclass(frozen=True, slots=True)
class LocalFault:
    """The fetch failed on our side (R7), which says nothing about the origin.

    Each waiting request fails with a copy of *error*. *is_bug* says that *error* comes
    from a middleware or from our code, not from the network or the machine. *may_pass*
    says that a retry may succeed, for example after a lack of file descriptors.
    *was_queued* says that a name look-up waited in a queue, so that no request left
    this machine; *of_proxy*, that a proxy failed or refused the request. *final_url* is
    the URL of the failed request, if a redirect led there. *retries* is the number of
    requests that were sent after the first.
    """

    error: Exception
    is_bug: bool = False
    may_pass: bool = False
    was_queued: bool = False
    of_proxy: bool = False
    final_url: str | None = None
    retries: int = 0


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The fetch was cancelled before an answer came (R6); *detail* names the cause."""

    detail: str


Answer: TypeAlias = RobotsResponse | FetchError
FetchResult: TypeAlias = Answer | LocalFault | Cancelled


@dataclass(frozen=True, slots=True)
class Validators:
    """The headers by which a server may answer "not modified" (RFC 9110, section 13.1).

    The headers are sent only to *url*, because another server could confirm another
    file.
    """

    url: str
    headers: dict[str, bytes]


def is_of_origin(result: Answer) -> bool:
    """Return whether *result* is an HTTP response of the origin itself (Ours 3.1)."""
    if not isinstance(result, RobotsResponse):
        return False
    return result.outcome.row.is_trusted or not result.via_proxy


def said_of(result: FetchResult) -> str:
    """Return in a few words why *result* is not a policy, with the URL that a redirect
    led to.
    """
    match result:
        case FetchError(kind, detail):
            said = f"{kind}: {detail}"
        case LocalFault(error):
            said = f"{type(error).__name__}: {one_line(error)}"
        case Cancelled(detail):
            return detail
        case RobotsResponse(status):
            said = f"HTTP {status}" + " through a proxy" * result.via_proxy
    if result.final_url is None:
        return said
    return f"redirected to {redact_and_escape(result.final_url, 120)}, {said}"


def failure_of(result: Answer) -> str:
    """Return in a few words what failed, for a verdict (R5)."""
    said = result.kind if isinstance(result, FetchError) else f"HTTP {result.status}"
    if result.final_url is None:
        return said
    return f"{said} at {redact_and_escape(result.final_url, 120)}"


def copy_of(error: ExceptionT) -> ExceptionT:
    """Return a new exception with the class and arguments of *error*, and with *error*
    as its cause.

    If one object were raised for thousands of requests, the object would collect a
    traceback for each request. Attributes that an `__init__` in C sets, such as the
    text of a UnicodeError, are only in the cause.
    """
    # Do not use `copy.copy`: it calls `__init__`, which may take other arguments.
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
    has_other_way: bool = False,
) -> float | None:
    """Return the seconds until the next attempt; `None` for no further attempt.
    *retries* is the number of retries so far.

    *max_retries* is Scrapy's `RETRY_TIMES`, or 0 if `RETRY_ENABLED` is off. There are
    never more retries than pauses, so a dead origin costs a bounded number of fetches.
    *was_refused* says that an earlier request of this fetch was refused, perhaps by a
    proxy. Most of our own faults (R7) are left to Scrapy's RetryMiddleware. So are
    failures of a proxy, unless the fetch *has_other_way*: another waiting request that
    would be sent in a different way.
    """
    shortest = STATUS_PAUSES[0]
    if is_refusal_by_proxy(result):
        # Retry once more, because the origin may have refused only one of several
        # proxies.
        is_last = was_refused or retries >= max_retries
        return None if is_last else _with_jitter(shortest)
    pauses: tuple[float, ...] = ()
    retry_after = None
    match result:
        case FetchError(is_final=False) | LocalFault(may_pass=True):
            pauses = NETWORK_PAUSES
        case LocalFault(of_proxy=True) if has_other_way:
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
    # Ignore a shorter Retry-After: a server cannot recover if it is requested again at
    # once.
    return _with_jitter(max(pause, shortest))


def _with_jitter(pause: float) -> float:
    """Return *pause*, extended by a small random share."""
    return pause * (1 + JITTER * random.random())  # noqa: S311 - spreads load
