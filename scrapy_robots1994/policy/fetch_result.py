"""The results of one GET /robots.txt, and the pauses before the file is requested again.

The type of a failed result shows the cause of the failure. The cause is a failure of the
origin (R5, unreachable), our own fault (R7), or a cancellation (R6, closing).
`policy/faults.py` chooses the type. `policy/outcomes.py` defines the meaning of an answer.
`docs/standard/retrieval.rst` describes the decisions R1 to R7 and 3.1 (retries).
"""

import random
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from scrapy_robots1994.escaping import one_line, redact_and_escape
from scrapy_robots1994.policy.outcomes import Outcome, group_of, outcome_of

ExceptionT = TypeVar("ExceptionT", bound=BaseException)

NETWORK_PAUSES = (1.0, 4.0)
"""The pauses, in seconds, before the first and the second retry after a network failure or
our own fault (R7).
"""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""The pauses, in seconds, before the first, second and third retry after a status that
means R5 (unreachable).
"""

MAX_RETRY_AFTER = 30.0
"""The longest Retry-After, in seconds, that a fetch obeys. After a longer Retry-After, the
fetch does not retry.
"""

JITTER = 0.25
"""The maximum random extension of a pause, as a share of the pause. The random extensions
spread out the retries of many origins.
"""


@dataclass(frozen=True, slots=True)
class RobotsResponse:
    """The origin's answer to GET /robots.txt, after redirects.

    *body* may be slightly longer than the size limit. *is_truncated* is `True` if the
    download or the unpacking of the body stopped at the limit (Ours O24, truncated files).
    *not_modified* is `True` if the answer is a 304 to a request with `Validators`.
    *freshness_lifetime* is the lifetime that the headers state, and *retry_after* is the
    server's Retry-After. Each value is in seconds, or `None` if the headers do not state
    the value. *final_url* is the URL that answered after a redirect, or `None` without a
    redirect (R2, redirects). *via_proxy* is `True` if the answer came through a proxy. A
    proxy may have generated the answer itself. *is_changed* is `True` if a downloader
    middleware changed or created the answer.
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
    is_changed: bool = False

    @property
    def is_of_origin(self) -> bool:
        """Whether the response counts as the origin's own (Ours 3.1). A response that came
        through a proxy counts only if its outcome is trusted.
        """
        return self.outcome.row.is_trusted or not self.via_proxy

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
    """A fetch to which the origin gave no usable answer (R5, unreachable). Possible causes
    include a timeout, a failed DNS look-up, a TLS failure, a connection reset and a
    redirect loop.

    *kind* is the short name of the failure, and *detail* is one printable line about the
    failure. *is_final* is `True` if a retry would fail in the same way. *final_url* is the
    URL of the failed request if the request was redirected. *error* is the exception that
    the request raised, or `None`.
    """

    kind: str
    detail: str
    is_final: bool = False
    final_url: str | None = None
    error: Exception | None = field(default=None, compare=False, repr=False)

    # A failure has the attributes of a response that means R5 (unreachable).
    outcome = Outcome.UNREACHABLE
    is_of_origin = via_proxy = False
    status = retry_after = None


@dataclass(frozen=True, slots=True)
class LocalFault:
    """A fetch that failed on our side (R7). The failure says nothing about the origin.

    Each waiting request fails with a copy of *error*. *is_bug* is `True` if a middleware or
    our code raised *error*. *may_pass* is `True` if a retry may succeed, for example after
    a lack of file descriptors. *was_queued* is `True` if a DNS look-up probably waited in a
    queue, so that no request left this machine. *of_proxy* is `True` if a proxy failed or
    refused the request. *final_url* is the URL of the failed request if the request was
    redirected. *retries* is the number of requests that were sent after the first request.
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
    """A fetch that was cancelled before an answer arrived (R6). *detail* gives the reason."""

    detail: str


Answer: TypeAlias = RobotsResponse | FetchError
FetchResult: TypeAlias = Answer | LocalFault | Cancelled


def said_of(result: FetchResult) -> str:
    """Describe in a few words the reason why *result* does not state a policy. The
    description contains the final URL if the request was redirected.
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
    """Describe in a few words what failed (R5). The description is used in verdicts."""
    said = result.kind if isinstance(result, FetchError) else f"HTTP {result.status}"
    if result.final_url is None:
        return said
    return f"{said} at {redact_and_escape(result.final_url, 120)}"


def copy_of(error: ExceptionT) -> ExceptionT:
    """Return a copy of the exception *error*, with *error* as its cause.

    If one object were raised for thousands of requests, the object would collect a
    traceback for each request. The copy does not have attributes that an `__init__` in C
    sets, such as the text of a UnicodeError. These attributes are available in the cause.
    """
    # Do not use `copy.copy`, which calls `__init__` with `args`. The `__init__` of the
    # class may need other arguments.
    made = type(error).__new__(type(error), *error.args)
    made.args = error.args
    made.__dict__.update(error.__dict__)
    made.__cause__ = error
    return made


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
    retries never exceeds the number of pauses, so the number of requests to an unreachable
    origin is bounded. *was_refused* is `True` if the answer to an earlier attempt was a 401
    or 403, perhaps from a proxy. *has_other_way* is `True` if a waiting request has a
    context that no attempt has used. A failure of a proxy is retried only if
    *has_other_way* is `True`. Other faults of our own (R7) are retried here only if
    *may_pass* of the result is `True`.
    """
    shortest = STATUS_PAUSES[0]
    pauses: tuple[float, ...] = ()
    retry_after = None
    match result:
        case RobotsResponse(outcome=Outcome.FORBIDDEN, via_proxy=True):
            # Ours 3.1 (retries): retry once, because a proxy may have sent the 401 or 403,
            # or the origin may have refused only one of several proxies.
            is_last = was_refused or retries >= max_retries
            return None if is_last else _with_jitter(shortest)
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
    # Wait at least for the shortest pause, even if Retry-After is shorter. A server needs
    # some time to recover.
    return _with_jitter(max(pause, shortest))


def _with_jitter(pause: float) -> float:
    """Return *pause* plus a random extension. The extension is at most the share `JITTER`
    of *pause*.
    """
    return pause * (1 + JITTER * random.random())  # noqa: S311 - only spreads the load
