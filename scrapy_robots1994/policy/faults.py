"""Decide why a request failed. The reason is a failure of the origin (R5, unreachable), our
own fault (R7), or a cancellation (R6, closing).

Only `fault_of` decides why a request failed, with the tables of this module. A failure
counts as a failure of the origin only if the exception is a known network failure. If the
exception is not a known network failure, the failure is our own fault, unless another
component cancelled the request. Exceptions are matched by the names of their classes and
base classes, so that this module need not import the libraries that define them.
"""

import errno
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from ssl import SSLError

from scrapy_robots1994.escaping import one_line
from scrapy_robots1994.policy.fetch_result import Cancelled, FetchError, LocalFault


@dataclass(frozen=True, slots=True)
class NetworkFailure:
    """A kind of network failure. *words* describes the kind, and *classes* are the import
    paths of the exception classes of this kind.

    If *texts* is not empty, the message of the exception must also contain one of *texts*.
    """

    words: str
    classes: frozenset[str]
    texts: tuple[str, ...] = ()


def _row(words: str, classes: str, *texts: str) -> NetworkFailure:
    return NetworkFailure(words, frozenset(classes.split()), texts)


TIMED_OUT = _row(
    "timed out",
    "scrapy.exceptions.DownloadTimeoutError twisted.internet.error.TimeoutError "
    "twisted.internet.error.TCPTimedOutError twisted.internet.defer.TimeoutError "
    "builtins.TimeoutError asyncio.exceptions.TimeoutError httpx.TimeoutException "
    "curl_cffi.requests.exceptions.Timeout playwright._impl._errors.TimeoutError",
)

NETWORK_FAILURES = (
    # List the most specific kinds first. If one failure causes several exceptions, the
    # first matching kind in this table is reported.
    _row(
        "DNS lookup failed",
        "scrapy.exceptions.CannotResolveHostError twisted.internet.error.DNSLookupError "
        "twisted.internet.error.UnknownHostError socket.gaierror "
        "aiohttp.client_exceptions.ClientConnectorDNSError "
        "curl_cffi.requests.exceptions.DNSError",
    ),
    _row(
        "DNS lookup failed",
        "playwright._impl._errors.Error",
        "ERR_NAME_NOT_RESOLVED",
        "NS_ERROR_UNKNOWN_HOST",
    ),
    _row(
        "TLS failed",
        "OpenSSL.SSL.Error ssl.SSLError service_identity.exceptions.VerificationError "
        "twisted.internet.error.SSLError twisted.internet.error.VerifyError "
        "twisted.internet.error.CertificateError "
        "aiohttp.client_exceptions.ClientSSLError curl_cffi.requests.exceptions.SSLError",
    ),
    _row("TLS failed", "playwright._impl._errors.Error", "ERR_CERT_", "ERR_SSL_"),
    TIMED_OUT,
    _row(
        "connection refused",
        "scrapy.exceptions.DownloadConnectionRefusedError builtins.ConnectionRefusedError "
        "twisted.internet.error.ConnectionRefusedError",
    ),
    _row(
        "incomplete answer",
        "scrapy.exceptions.ResponseDataLossError twisted.web.http.PotentialDataLoss "
        "aiohttp.client_exceptions.ClientPayloadError h2.exceptions.InvalidBodyLengthError "
        "curl_cffi.requests.exceptions.IncompleteRead "
        "curl_cffi.requests.exceptions.ChunkedEncodingError",
    ),
    _row(
        "connection lost",
        "twisted.internet.error.ConnectionClosed builtins.ConnectionResetError "
        "builtins.ConnectionAbortedError builtins.BrokenPipeError",
    ),
    _row(
        "no connection",
        "twisted.internet.error.ConnectError httpx.ConnectError "
        "aiohttp.client_exceptions.ClientConnectorError "
        "curl_cffi.requests.exceptions.ConnectionError",
    ),
    _row(
        "the request failed",
        "scrapy.exceptions.DownloadFailedError twisted.web._newclient._WrapperException "
        "twisted.web._newclient.ParseError httpx.TransportError "
        "aiohttp.client_exceptions.ClientConnectionError "
        "aiohttp.http_exceptions.HttpProcessingError "
        "scrapy.core.http2.stream.InactiveStreamClosed",
    ),
    # The messages of network failures in Chromium and Firefox contain `net::ERR_` or
    # `NS_ERROR_`. If the browser was closed, the message contains neither `net::ERR_` nor
    # `NS_ERROR_`, and the failure counts as our own fault.
    _row(
        "the request failed", "playwright._impl._errors.Error", "net::ERR_", "NS_ERROR_"
    ),
)
"""The network failures that Twisted, Scrapy's download handlers, curl_cffi, Playwright and
the libraries that zyte_api uses may report. An error that an API reports, such as "wrong
key", is not a network failure.
"""

CANCELLED = frozenset(
    (
        "twisted.internet.defer.CancelledError",
        "scrapy.exceptions.DownloadCancelledError",
        "asyncio.exceptions.CancelledError",
    )
)
"""The exceptions that are raised if another component cancelled the download (R6,
closing).
"""

OF_PROXIES = frozenset(
    (
        "scrapy.core.downloader.handlers.http11.TunnelError",
        "httpx.ProxyError",
        "aiohttp.client_exceptions.ClientProxyConnectionError",
        "aiohttp.client_exceptions.ClientHttpProxyError",
        "curl_cffi.requests.exceptions.ProxyError",
    )
)
"""The exceptions that are raised if a proxy failed or refused the request (R7, our own
fault).
"""

OURS = frozenset(
    (
        "twisted.internet.error.ConnectBindError",
        "scrapy.exceptions.IgnoreRequest",
        "scrapy.exceptions.NotSupported",
        "scrapy.exceptions.UnsupportedURLSchemeError",
        # A signal handler of another component raised `StopDownload`. If this package stops
        # a download, the answer is truncated, or the download fails with a timeout.
        "scrapy.exceptions.StopDownload",
    )
)
"""The exceptions that show a local error (R7, our own fault) that is not a bug."""

PASSING_ERRNOS = frozenset(
    {
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
        errno.EADDRINUSE,
        errno.EADDRNOTAVAIL,
    }
)
"""The error numbers of temporary errors on this machine, such as a lack of file
descriptors, memory or local ports.
"""

LOCAL_ERRNOS = PASSING_ERRNOS | {errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT}
"""The error numbers of all errors on this machine, temporary or not."""

MAX_CAUSES = 20
"""The approximate maximum number of exceptions that are examined to find the causes of one
exception.
"""


def fault_of(
    raised: Exception, *, was_sent: bool, via_proxy: bool
) -> FetchError | LocalFault | Cancelled:
    """Return the result of a download that ended with the exception *raised*. The type of
    the result shows the reason for the failure.

    *was_sent* is `True` if the request reached the downloader and no response arrived.
    *via_proxy* is `True` if the request was sent through a proxy.
    """
    if is_cancellation(raised):
        return Cancelled(one_line(raised))
    numbers = {_error_number(cause) for cause in causes(raised)}
    if numbers & LOCAL_ERRNOS or any(_is_of(it, OURS) for it in causes(raised)):
        return LocalFault(raised, may_pass=bool(numbers & PASSING_ERRNOS))
    if any(_is_of(it, OF_PROXIES) for it in causes(raised)):
        return LocalFault(raised, of_proxy=True)
    failure = network_failure_of(raised)
    # Before and after the download, only code in this process runs, so an exception
    # indicates a bug.
    if failure is None or not was_sent:
        return LocalFault(raised, is_bug=True)
    # Ours R7 (our own fault): a failure to connect to a proxy, or through a proxy, says
    # nothing about the origin.
    if via_proxy:
        return LocalFault(raised, of_proxy=True)
    return FetchError(failure.words, one_line(raised), error=raised)


def is_cancellation(raised: Exception) -> bool:
    """Return whether *raised* shows a cancelled wait or download (R6, closing)."""
    return _is_of(raised, CANCELLED)


def network_failure_of(raised: BaseException) -> NetworkFailure | None:
    """Return the kind of network failure that *raised* reports, or `None` if *raised* is
    not a network failure.
    """
    if _failure_row(raised) is None and not _is_wrapper(raised):
        return None
    found = [row for row in map(_failure_row, causes(raised)) if row is not None]
    return min(found, key=NETWORK_FAILURES.index, default=None)


def _failure_row(raised: BaseException) -> NetworkFailure | None:
    """Return the first row that matches the class and the message of *raised*, or `None`."""
    said = str(raised)
    for row in NETWORK_FAILURES:
        is_said = not row.texts or any(text in said for text in row.texts)
        if is_said and _is_of(raised, row.classes):
            return row
    return None


def _is_wrapper(raised: BaseException) -> bool:
    """Return whether *raised* is a wrapper that contains only network failures. A wrapper
    is a group of exceptions, or an OSError with a cause. An instance of a subclass of
    OSError is not a wrapper.
    """
    inner = getattr(raised, "exceptions", None)
    if inner:
        return all(network_failure_of(it) is not None for it in inner)
    cause = raised.__cause__
    is_plain = type(raised) is OSError and cause is not None
    return is_plain and network_failure_of(cause) is not None  # type: ignore[arg-type]


def _is_of(raised: BaseException, classes: frozenset[str]) -> bool:
    """Return whether *raised* is an instance of a class whose path is in *classes*."""
    mro = type(raised).__mro__
    return any(f"{it.__module__}.{it.__qualname__}" in classes for it in mro)


def _error_number(raised: BaseException) -> int | None:
    """Return the error number of *raised*, or `None`. A connection error of Twisted has
    the error number in the attribute `osError`. An OSError has the error number in the
    attribute `errno`.
    """
    # The error numbers of OpenSSL differ from the error numbers of the operating system. In
    # OpenSSL, the error number 1 means a failed handshake. In the operating system, the
    # error number 1 is EPERM.
    if isinstance(raised, SSLError):
        return None
    number = getattr(raised, "errno", None) or getattr(raised, "osError", None)
    return number if isinstance(number, int) else None


def causes(raised: BaseException) -> Iterator[BaseException]:
    """Yield *raised*, and then the exceptions that caused *raised*. Stop after about
    `MAX_CAUSES` exceptions.
    """
    found, queue = {id(raised)}, deque([raised])
    while queue and len(found) <= MAX_CAUSES:
        each = queue.popleft()
        yield each
        # Some exceptions in Twisted have a list `reasons` of exceptions or Failure objects.
        # Clients that use asyncio may raise an ExceptionGroup with one exception for each
        # address of a host.
        reasons = getattr(each, "reasons", None) or getattr(each, "exceptions", None)
        inner = [getattr(reason, "value", reason) for reason in reasons or ()]
        for cause in (each.__cause__, each.__context__, *inner):
            if isinstance(cause, BaseException) and id(cause) not in found:
                found.add(id(cause))
                queue.append(cause)
