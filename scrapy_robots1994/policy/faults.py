"""Classify failed fetches: a fault of the origin (R5), of ours (R7), or a cancellation (R6);
and decide when they are retried (§3.1 of the standard).

The exception classes of the HTTP client are injected, so that nothing here imports one.
"""

from __future__ import annotations

import copy
import errno
import random
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from scrapy_robots1994.policy.fetch_result import (
    Cancelled,
    FetchError,
    LocalFault,
    RobotsResponse,
    is_temporary,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_robots1994.policy.fetch_result import FetchResult

ExceptionT = TypeVar("ExceptionT", bound=BaseException)
Classes: TypeAlias = tuple[type[BaseException], ...]

SHORTAGES = frozenset(
    {
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
        errno.EADDRINUSE,
        errno.EADDRNOTAVAIL,
    }
)
"""Errors of this machine: no descriptor, no memory, no local port."""

LOCAL_ERRNOS = SHORTAGES | {errno.EACCES, errno.EPERM}
"""The shortages, and a missing permission to connect."""

MAX_CAUSES = 20
"""The largest number of causes of an exception that are examined."""


BUGS: Classes = (
    AssertionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    NotImplementedError,
    TypeError,
)
"""Exceptions of program errors, which no network failure raises."""

NETWORK_PAUSES = (1.0, 4.0)
"""Seconds before each retry of a network failure, and of a fault of ours (R7)."""

STATUS_PAUSES = (1.0, 4.0, 15.0)
"""Seconds before each retry of a status of R5."""

MAX_RETRY_AFTER = 30.0
"""Seconds of a Retry-After that requests wait for; a longer one ends the retries."""

JITTER = 0.25
"""The random share by which a pause is longer, so that retries of origins spread."""


@dataclass(frozen=True, slots=True)
class FaultClassifier:
    """Classifies the exception of a fetch by its place and its class.

    *cancelled* and *local* are the classes of the HTTP client that mean a cancellation
    and a failure on our side.
    """

    cancelled: Classes
    local: Classes

    def classify(
        self, error: Exception, detail: str, *, was_sent: bool, via_proxy: bool
    ) -> FetchError | LocalFault | Cancelled:
        """Return whose fault *error* is; *detail* is one printable line about it.

        *was_sent* says that the download itself failed, not a middleware before or
        after it. With a proxy, only the proxy is reached, so the fault is ours.
        """
        if isinstance(error, self.cancelled):
            return Cancelled(detail or "the request was cancelled")
        if self._is_local(error):
            return LocalFault(error)
        # Before or after the download only code of this process runs.
        if not was_sent or isinstance(error, BUGS):
            return LocalFault(error, is_bug=True)
        # Ours R7: of what is behind a proxy, a failed connection says nothing.
        if via_proxy:
            return LocalFault(error)
        return FetchError(type(error).__name__, detail)

    def _is_local(self, error: Exception) -> bool:
        """Return whether *error*, or one of its causes, happened on this machine."""
        return any(
            isinstance(cause, self.local) or error_number(cause) in LOCAL_ERRNOS
            for cause in causes(error)
        )


def is_shortage(error: BaseException) -> bool:
    """Return whether *error* says that this machine lacks a resource."""
    return any(error_number(cause) in SHORTAGES for cause in causes(error))


def error_number(error: BaseException) -> int | None:
    """Return the errno of *error*; Twisted's connection errors call it osError."""
    number = getattr(error, "errno", None) or getattr(error, "osError", None)
    return number if isinstance(number, int) else None


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield *error* and every exception that caused it.

    Twisted stores further exceptions, or failures with them, in a list of *reasons*.
    """
    found, queue = {id(error)}, deque([error])
    while queue and len(found) <= MAX_CAUSES:
        each = queue.popleft()
        yield each
        reasons = getattr(each, "reasons", None) or ()
        inner = [getattr(reason, "value", reason) for reason in reasons]
        for cause in (each.__cause__, each.__context__, *inner):
            if isinstance(cause, BaseException) and id(cause) not in found:
                found.add(id(cause))
                queue.append(cause)


def copy_of(error: ExceptionT) -> ExceptionT:
    """Return an exception of the same class and arguments, caused by *error*.

    One object raised for thousands of requests would collect the traceback of each.
    """
    try:
        made = copy.copy(error)
    except Exception:  # noqa: BLE001 - a class whose __init__ takes something else
        made = error
    if type(made) is not type(error) or made is error:
        made = type(error).__new__(type(error), *error.args)
    # `copy.copy` calls `__init__` with the arguments, which may have changed them.
    made.args = error.args
    made.__dict__.update(error.__dict__)
    made.__cause__ = error
    return made


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The pauses between the fetches from one origin while requests wait.

    *times* is the largest number of retries: Scrapy's `RETRY_TIMES`, or 0 if
    `RETRY_ENABLED` is off. There are never more retries than pauses above, so a
    dead origin costs a bounded number of fetches.
    """

    times: int = len(STATUS_PAUSES)

    def pause(self, result: FetchResult, retries: int) -> float | None:
        """Return the seconds until the next fetch, after *retries* of them.

        `None` means that *result* stands.
        """
        pauses, retry_after = _pauses(result)
        if retries >= min(self.times, len(pauses)):
            return None
        pause = pauses[retries] if retry_after is None else retry_after
        if pause > MAX_RETRY_AFTER:
            return None
        return pause * (1 + JITTER * random.random())  # noqa: S311 - spreads load


def _pauses(result: FetchResult) -> tuple[tuple[float, ...], float | None]:
    """Return the pauses for retries of *result*, and the server's Retry-After."""
    match result:
        case FetchError(is_final=False) | LocalFault():
            return NETWORK_PAUSES, None
        case RobotsResponse() if is_temporary(result.status):
            return STATUS_PAUSES, result.retry_after
        case _:
            return (), None
