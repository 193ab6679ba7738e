"""Classify the exceptions of downloads by the classes of Scrapy and Twisted.

This file covers the differences between Scrapy versions in the exceptions of a download,
and distinguishes an unreachable origin from a failure of the local network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from OpenSSL.SSL import Error as TlsError
from scrapy import exceptions
from scrapy.core.downloader.handlers.http11 import TunnelError
from twisted.internet import error
from twisted.internet.defer import CancelledError
from twisted.web.client import ResponseFailed

from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.policy.faults import FaultClassifier

if TYPE_CHECKING:
    from scrapy_robots1994.crawl.download_limits import DownloadState
    from scrapy_robots1994.policy import Cancelled, FetchError, LocalFault
    from scrapy_robots1994.policy.faults import Classes


def _named(*names: str) -> Classes:
    """Return those of Scrapy's exceptions that this version has."""
    found = (getattr(exceptions, name, None) for name in names)
    return tuple(each for each in found if each is not None)


# Since 2.15 Scrapy wraps what Twisted raises.
CLASSIFIER = FaultClassifier(
    cancelled=(CancelledError, *_named("DownloadCancelledError")),
    local=(
        error.ConnectBindError,
        TunnelError,
        exceptions.IgnoreRequest,
        exceptions.NotSupported,
    ),
)

NETWORK: Classes = (
    *_named(
        "CannotResolveHostError",
        "DownloadConnectionRefusedError",
        "DownloadFailedError",
        "DownloadTimeoutError",
        "ResponseDataLossError",
    ),
    error.ConnectError,
    error.ConnectionClosed,
    error.DNSLookupError,
    ResponseFailed,
    TlsError,
)
"""What a download raises when the network fails."""

TIMEOUTS: Classes = (
    error.TimeoutError,
    error.TCPTimedOutError,
    *_named("DownloadTimeoutError"),
)
"""What a download raises when its time is over."""

UNRESOLVED: Classes = (error.DNSLookupError, *_named("CannotResolveHostError"))
"""What a download raises when a name has no address."""

DownloadTimeout: type[Exception] = getattr(
    exceptions, "DownloadTimeoutError", error.TimeoutError
)
"""The exception of a page that took too long, which RetryMiddleware retries."""

ConnectionRefused: type[Exception] = getattr(
    exceptions, "DownloadConnectionRefusedError", error.ConnectionRefusedError
)
"""The exception of a refused connection, which RetryMiddleware retries."""


def failure_of(
    error: Exception, state: DownloadState
) -> FetchError | LocalFault | Cancelled:
    """Return whose fault it is that a request ended with *error*."""
    # A request that a middleware replaced is not seen to be sent.
    was_sent = not state.is_answered if state.is_sent else isinstance(error, NETWORK)
    return CLASSIFIER.classify(
        error, one_line(error), was_sent=was_sent, via_proxy=bool(state.proxy)
    )


def one_line(error: BaseException) -> str:
    """Return what *error* says, on one printable line that names no password.

    Twisted has it in a list, of failures or exceptions; Scrapy wraps that once more.
    """
    cause = error.__cause__
    found = getattr(error, "reasons", None) or getattr(cause, "reasons", None)
    said = "; ".join(
        _message(getattr(each, "value", each)) for each in found or [error]
    )
    return escape_control_chars(redact_credentials(" ".join(said.split())), 200)


def _message(error: BaseException) -> str:
    """Return the message of *error*, or its class where it has none."""
    return str(error) or type(error).__name__
