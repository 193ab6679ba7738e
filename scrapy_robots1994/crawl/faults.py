"""Whose fault a failed download is: the origin's (R5), ours (R7), or no fault (R6).

`fault_of` is the one place that decides. Above it are the exceptions that Scrapy, Twisted
and the HTTP clients raise; they differ between versions of Scrapy.
"""

import errno
import traceback
from collections import deque
from collections.abc import Iterator
from ssl import SSLError

from OpenSSL.SSL import Error as TlsError
from scrapy import exceptions
from twisted.internet import error
from twisted.internet.defer import CancelledError
from twisted.web.client import ResponseFailed

from scrapy_robots1994.crawl.scrapy_private import optional
from scrapy_robots1994.crawl.setting_types import class_path, load_object
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.policy.fetch_result import (
    Cancelled,
    Classes,
    FetchError,
    LocalFault,
)

LOCAL_ERRNOS = frozenset(
    {
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
        errno.EADDRINUSE,
        errno.EADDRNOTAVAIL,
        errno.EACCES,
        errno.EPERM,
    }
)
"""Errors of this machine: no descriptor, no memory, no local port, no permission."""

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


HOOKS = frozenset({"process_request", "process_response", "process_exception"})
"""The methods of a downloader middleware."""


def _either(name: str, twisted: type[Exception]) -> type[Exception]:
    """Return an exception of Scrapy, which it raises since 2.15, or what it wraps."""
    return getattr(exceptions, name, twisted)


# Raised by us, too, so it must be a class that RetryMiddleware retries.
DownloadTimeout = _either("DownloadTimeoutError", error.TimeoutError)
"""The exception of a page that took too long, which RetryMiddleware retries."""

TIMEOUTS = (error.TimeoutError, error.TCPTimedOutError, DownloadTimeout)
"""What a download raises when its time is over."""

UNRESOLVED = (
    error.DNSLookupError,
    _either("CannotResolveHostError", error.DNSLookupError),
)
"""What a download raises when a name has no address."""

_RETRIED = optional("scrapy.settings.default_settings", "RETRY_EXCEPTIONS", ())

NETWORK = (
    *TIMEOUTS,
    *UNRESOLVED,
    ResponseFailed,
    TlsError,
    # Not OSError, which any middleware may raise.
    *{load_object(it) for it in _RETRIED} - {OSError},
)
"""What a download raises when the network fails, with what Scrapy retries by default."""

CANCELLED = (CancelledError, _either("DownloadCancelledError", CancelledError))
"""What a download raises that someone ended (R6)."""

LOCAL: Classes = (
    error.ConnectBindError,
    # A proxy that refuses a tunnel. Without it, such a failure is local by its proxy.
    optional("scrapy.core.downloader.handlers.http11", "TunnelError", CancelledError),
    exceptions.IgnoreRequest,
    exceptions.NotSupported,
    # By a handler of signals; where ours stops one, it is a timeout.
    exceptions.StopDownload,
)
"""What a download raises that fails on our side (R7)."""


def fault_of(
    raised: Exception, *, was_sent: bool, via_proxy: bool
) -> FetchError | LocalFault | Cancelled:
    """Return whose fault it is that a download ended with *raised*.

    *was_sent* says that the request reached the downloader and no response came,
    *via_proxy* that it was sent through a proxy.
    """
    if isinstance(raised, CANCELLED):
        return Cancelled(one_line(raised))
    if is_local(raised):
        return LocalFault(raised)
    # Before or after the download only code of this process runs.
    if not was_sent or isinstance(raised, BUGS):
        return LocalFault(raised, is_bug=True)
    # Ours R7: of what is behind a proxy, a failed connection says nothing.
    if via_proxy:
        return LocalFault(raised)
    return FetchError(type(raised).__name__, one_line(raised))


def breaking_middleware(fault: LocalFault) -> str | None:
    """Return the path of the downloader middleware that raised *fault*, if one did."""
    # What a server or a proxy causes passes middlewares, too.
    if not (fault.is_bug or isinstance(fault.error, exceptions.IgnoreRequest)):
        return None
    found = None
    for frame, _ in traceback.walk_tb(fault.error.__traceback__):
        if frame.f_code.co_name in HOOKS and "self" in frame.f_locals:
            # The last one: a middleware may call the method of another.
            found = class_path(type(frame.f_locals["self"]))
    return found


def is_local(raised: BaseException) -> bool:
    """Return whether *raised*, or one of its causes, happened on this machine."""
    return any(
        isinstance(cause, LOCAL) or _error_number(cause) in LOCAL_ERRNOS
        for cause in causes(raised)
    )


def _error_number(raised: BaseException) -> int | None:
    """Return the errno of *raised*; Twisted's connection errors call it osError."""
    # The numbers of OpenSSL are its own: 1, that of a failed handshake, is not EPERM.
    if isinstance(raised, SSLError):
        return None
    number = getattr(raised, "errno", None) or getattr(raised, "osError", None)
    return number if isinstance(number, int) else None


def causes(raised: BaseException) -> Iterator[BaseException]:
    """Yield *raised* and every exception that caused it."""
    found, queue = {id(raised)}, deque([raised])
    while queue and len(found) <= MAX_CAUSES:
        each = queue.popleft()
        yield each
        # Twisted stores further exceptions, or failures with them, in a list; clients on
        # asyncio raise an ExceptionGroup, of one exception for each address of a host.
        reasons = getattr(each, "reasons", None) or getattr(each, "exceptions", None)
        inner = [getattr(reason, "value", reason) for reason in reasons or ()]
        for cause in (each.__cause__, each.__context__, *inner):
            if isinstance(cause, BaseException) and id(cause) not in found:
                found.add(id(cause))
                queue.append(cause)


def one_line(raised: BaseException) -> str:
    """Return what *raised* says, on one printable line that names no password.

    Twisted has it in a list, of failures or exceptions; Scrapy wraps that once more.
    """
    # "[<twisted.python.failure.Failure …>]" says nothing to a reader of the log.
    cause = raised.__cause__
    found = getattr(raised, "reasons", None) or getattr(cause, "reasons", None)
    each = [getattr(reason, "value", reason) for reason in found or [raised]]
    said = "; ".join(map(_message, each))
    return redact_and_escape(" ".join(said.split()), 200)


def _message(raised: object) -> str:
    """Return the message of *raised*, or the name of its class."""
    name = type(raised).__name__
    # httpx takes the password of a proxy, up to a slash, for a port, and quotes it.
    return name if name == "InvalidURL" else str(raised) or name
