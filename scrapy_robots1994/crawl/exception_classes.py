"""The exceptions of Scrapy, of its HTTP clients and of Twisted, by whose fault they are.

Every difference between Scrapy versions in what a download raises is in this file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from OpenSSL.SSL import Error as TlsError
from scrapy import exceptions
from scrapy.core.downloader.handlers.http11 import TunnelError
from twisted.internet import error
from twisted.internet.defer import CancelledError
from twisted.web.client import ResponseFailed

from scrapy_robots1994.policy.faults import FaultClassifier

if TYPE_CHECKING:
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

DownloadTimeout: type[Exception] = getattr(
    exceptions, "DownloadTimeoutError", error.TimeoutError
)
"""The exception of a page that took too long, which RetryMiddleware retries."""

ConnectionRefused: type[Exception] = getattr(
    exceptions, "DownloadConnectionRefusedError", error.ConnectionRefusedError
)
"""The exception of a refused connection, which RetryMiddleware retries."""
