"""The results of one GET /robots.txt, and the pauses before the file is requested again.

The type of a failed result says what caused the failure: the origin (R5, unreachable), this
package or its machine (R7, our own fault), or a cancellation (R6, closing).
`policy/faults.py` chooses the type. `outcomes` defines the meaning of an answer. R1 to R7
and 3.1 (retries) are described in `docs/standard/retrieval.rst`.
"""

import random
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from scrapy_robots1994.escaping import one_line, redact_and_escape
from scrapy_robots1994.policy.outcomes import Outcome, group_of, outcome_of

ExceptionT = TypeVar("ExceptionT", bound=BaseException)
Classes: TypeAlias = tuple[type[BaseException], ...]

NETWORK_PAUSES = (1.0, 4.0)
"""The seconds before each retry after a network failure or after our own fault (R7)."""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""The seconds before each retry after a status that means R5 (unreachable)."""

MAX_RETRY_AFTER = 30.0
"""The longest Retry-After, in seconds, for which a fetch waits before a retry. A longer
Retry-After ends the retries.
"""

JITTER = 0.25
"""The largest random share of a pause that is added to the pause, so that the retries of
many origins are spread out.
"""


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, after redirects.

    *body* is at most slightly longer than the size limit. *is_truncated* says that the
    download stopped at the limit (Ours O24, truncated files). *not_modified* says that the
    answer is a 304 to a request with `Validators`. *freshness_lifetime* is the lifetime
    that the headers state, and *retry_after* is the server's Retry-After, both in seconds.
    Either value is `None` if the headers do not state the value. *final_url* is the URL
    that answered, if it differs from the requested URL (R2, redirects). *via_proxy* says
    that the answer came through a proxy, which may have generated the answer itself.
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
        """The meaning of the answer. A 304 to a conditional request means `RENEWED` (R1,
        not modified). In any other case, the status determines the meaning.
        """
        if self.not_modified:
            return Outcome.RENEWED
        return outcome_of(self.status, via_proxy=self.via_proxy)


@dataclass(frozen=True, slots=True)
class FetchError:
    """The origin gave no usable answer (R5), for example because of a timeout, a failed DNS
    look-up, a TLS failure, a connection reset or a redirect loop.

    *kind* is the short name of the failure, and *detail* is one printable line about the
    failure. *is_final* says that a retry would fail in the same way. *final_url* is the URL
    of the failed request if the request was redirected. *error* is the exception that the
    request raised.
    """

    kind: str
    detail: str
    is_final: bool = False
    final_url: str | None = None
    error: Exception | None = field(default=None, compare=False, repr=False)

    outcome = Outcome.UNREACHABLE  # Ours R5 (unreachable)


@dataclass(frozen=True, slots=True)
class LocalFault:
    """The fetch failed on our side (R7), which says nothing about the origin.

    Each waiting request fails with a copy of *error*. *is_bug* says that *error* comes from
    a middleware or from our code, not from the network or the machine. *may_pass* says that
    a retry may succeed, for example after a lack of file descriptors. *was_queued* says
    that a name look-up waited in a queue, so that no request left this machine. *of_proxy*
    says that a proxy failed or refused the request. *final_url* is the URL of the failed
    request if the request was redirected. *retries* is the number of requests that were
    sent after the first request.
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
    """The fetch was cancelled before an answer arrived (R6). *detail* names the cause."""

    detail: str


Answer: TypeAlias = RobotsResponse | FetchError
FetchResult: TypeAlias = Answer | LocalFault | Cancelled


@dataclass(frozen=True, slots=True)
class Validators:
    """The request headers that allow a server to answer "not modified" (RFC 9110, section
    13.1).

    The headers are sent only to *url*, because another server could confirm a different
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
    """Describe in a few words why *result* does not state a policy. The description
    contains the final URL if the request was redirected.
    """
    match result:
        case FetchError(kind, detail):
            said = f"{kind}: {detail}"
        case LocalFault(error):
            said = f"{type(error).__name__}: {one_line(error)}"
            said = f"a proxy failed, {said}" if result.of_proxy else said
        case Cancelled(detail):
            return detail
        case RobotsResponse(status):
            said = f"HTTP {status}" + " through a proxy" * result.via_proxy
    if result.final_url is None:
        return said
    return f"redirected to {redact_and_escape(result.final_url, 120)}, {said}"


def failure_of(result: Answer) -> str:
    """Describe in a few words what failed (R5). A verdict contains this description."""
    said = result.kind if isinstance(result, FetchError) else f"HTTP {result.status}"
    if result.final_url is None:
        return said
    return f"{said} at {redact_and_escape(result.final_url, 120)}"


def copy_of(error: ExceptionT) -> ExceptionT:
    """Return a new exception with the class and arguments of *error*, and with *error*
    as its cause.

    If one object were raised for thousands of requests, the object would collect a
    traceback for each request. Attributes that an `__init__` in C sets, such as the text of
    a UnicodeError, are available only in the cause.
    """
    # Do not use `copy.copy`, which calls `__init__`, because `__init__` may take other
    # arguments.
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
    """Return the seconds until the next attempt, or `None` if no further attempt is made.
    *retries* is the number of retries so far.

    *max_retries* is Scrapy's `RETRY_TIMES`, or 0 if `RETRY_ENABLED` is off. The number of
    retries never exceeds the number of pauses, so a dead origin costs a bounded number of
    requests. *was_refused* says that an earlier request of this fetch was refused, perhaps
    by a proxy. Most of our own faults (R7) are retried only by Scrapy's RetryMiddleware.
    *has_other_way* says that another waiting request would be sent in a different way. A
    failure of a proxy is retried here only with *has_other_way*.
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
    # Wait at least for the shortest pause, even if Retry-After is shorter. A server cannot
    # recover if the file is requested again at once.
    return _with_jitter(max(pause, shortest))


def _with_jitter(pause: float) -> float:
    """Return *pause*, extended by a random share of at most `JITTER`."""
    return pause * (1 + JITTER * random.random())  # noqa: S311 - only spreads the load
