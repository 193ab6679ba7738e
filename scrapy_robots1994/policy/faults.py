"""Whose fault a failed fetch is: the origin's (R5), ours (R7), or a cancellation (R6).

The exception classes of the HTTP client are injected, so that nothing here imports one.
"""

from __future__ import annotations

import copy
import errno
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from scrapy_robots1994.policy.fetch_result import Cancelled, FetchError, LocalFault

if TYPE_CHECKING:
    from collections.abc import Iterator

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
"""The same, and no permission to connect."""

MAX_CAUSES = 20
"""Exceptions that are looked at behind one; a longer chain is cut."""


BUGS: Classes = (
    AssertionError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    NotImplementedError,
    TypeError,
)
"""Exceptions of a program, which no network raises."""


@dataclass(frozen=True, slots=True)
class FaultClassifier:
    """Assigns the exception of a fetch to a fault, by where and by its class.

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
        after it. Behind a proxy only the proxy is reached, so what fails is ours.
        """
        if isinstance(error, self.cancelled):
            return Cancelled(detail or "the request was cancelled")
        if self._is_local(error):
            return LocalFault(error)
        if not was_sent or isinstance(error, BUGS):
            return LocalFault(error, is_bug=True)
        if via_proxy:
            return LocalFault(error)
        return FetchError(type(error).__name__, detail)

    def _is_local(self, error: Exception) -> bool:
        """Whether *error*, or what caused it, happened on this machine."""
        return any(
            isinstance(cause, self.local) or error_number(cause) in LOCAL_ERRNOS
            for cause in causes(error)
        )


def is_shortage(error: BaseException) -> bool:
    """Whether *error* says that this machine has run out of something."""
    return any(error_number(cause) in SHORTAGES for cause in causes(error))


def error_number(error: BaseException) -> int | None:
    """Return the errno of *error*; Twisted's connection errors call it osError."""
    number = getattr(error, "errno", None) or getattr(error, "osError", None)
    return number if isinstance(number, int) else None


def causes(error: BaseException) -> Iterator[BaseException]:
    """Yield *error* and every exception behind it.

    Twisted keeps further ones, or failures that hold them, in a list of *reasons*.
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
    made.args = error.args
    made.__dict__.update(error.__dict__)
    made.__cause__ = error
    return made
