"""Which side an exception blames for a failed fetch."""

from __future__ import annotations

import errno
import ssl
from typing import Any

import pytest
from scrapy.core.downloader.handlers.http11 import TunnelError
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl.downloads import DownloadState
from scrapy_robots1994.policy import Cancelled, FetchError, LocalFault
from scrapy_robots1994.policy.fetch_result import (
    MAX_CAUSES,
    causes,
    copy_of,
    is_shortage,
)


class NetworkError(Exception):
    """An error of the client for a failure on the way to the origin."""


class Wrapper(Exception):  # noqa: N818 - as Twisted's
    """An exception with a list of others, like `ResponseFailed` of Twisted."""

    def __init__(self, *reasons: BaseException) -> None:
        super().__init__("it failed")
        self.reasons = list(reasons)


class Grouped(Exception):  # noqa: N818 - what it is
    """An exception shaped like an ExceptionGroup (Python 3.11)."""

    def __init__(self, *exceptions: BaseException) -> None:
        super().__init__("all failed")
        self.exceptions = exceptions


class KeywordOnly(Exception):  # noqa: N818 - what it is
    """An exception that cannot be constructed from its `args`."""

    def __init__(self, *, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


class Described(Exception):  # noqa: N818 - as Twisted's ConnectError
    """An exception whose first parameter is not in its `args`."""

    def __init__(self, number: object = None, text: str = "") -> None:
        super().__init__(text)
        self.number = number


def fault_of(
    error: Exception, *, was_sent: bool = True, via_proxy: bool = False
) -> Any:
    """Return the failure that a download with *error* reports."""
    proxy = "http://proxy.example" if via_proxy else None
    state = DownloadState(0, 0.0, is_sent=True, is_answered=not was_sent, proxy=proxy)
    return state.failure_of(error)


def caused(error: Exception, cause: BaseException) -> Exception:
    """Return *error* with *cause* as its cause."""
    error.__cause__ = cause
    return error


def test_ours_r5_download_error_is_a_fault_of_the_origin() -> None:
    """Without a proxy it is a fetch error, named after its class."""
    assert fault_of(NetworkError("gone")) == FetchError("NetworkError", "gone")
    assert fault_of(ConnectionResetError(errno.ECONNRESET, "reset")) == FetchError(
        "ConnectionResetError", f"[Errno {errno.ECONNRESET}] reset"
    )
    # Its errno is a number of OpenSSL that equals EPERM.
    handshake = ssl.SSLError(ssl.SSLErrorNumber.SSL_ERROR_SSL, "bad certificate")
    assert fault_of(caused(NetworkError("gone"), handshake)) == FetchError(
        "NetworkError", "gone"
    )


def test_ours_r6_cancellation_is_a_fault_of_neither_side() -> None:
    """It does not matter whether the request was sent."""
    assert fault_of(CancelledError()) == Cancelled("CancelledError")
    assert fault_of(CancelledError(), was_sent=False) == Cancelled("CancelledError")


@pytest.mark.parametrize(
    "error",
    [
        TunnelError("407"),
        OSError(errno.EMFILE, "Too many open files"),
        OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address"),
        PermissionError(errno.EACCES, "Permission denied"),
        caused(NetworkError(), OSError(errno.ENFILE, "Too many open files")),
        Wrapper(NetworkError(), OSError(errno.EMFILE, "Too many open files")),
        caused(NetworkError(), Wrapper(TunnelError())),
        caused(NetworkError(), Grouped(OSError(errno.EMFILE, "Too many open files"))),
    ],
    ids=repr,
)
@pytest.mark.parametrize("was_sent", [False, True])
def test_ours_r7_this_machine_is_at_fault(error: Exception, *, was_sent: bool) -> None:
    """A shortage is found behind other exceptions, too, and is not reported as a bug."""
    assert fault_of(error, was_sent=was_sent) == LocalFault(error)


def test_ours_r7_every_failure_through_a_proxy_is_local() -> None:
    """It says nothing about the origin, only about the way to or through the proxy."""
    error = NetworkError()

    assert fault_of(error, via_proxy=True) == LocalFault(error)


@pytest.mark.parametrize("error", [ValueError(), TypeError(), NetworkError()], ids=repr)
def test_ours_r7_error_before_the_request_is_sent_is_local(error: Exception) -> None:
    """Whatever its class, a middleware raised it, not the download."""
    assert fault_of(error, was_sent=False) == LocalFault(error, is_bug=True)


@pytest.mark.parametrize(
    "error",
    [TypeError(), KeyError("x"), AttributeError(), NotImplementedError()],
    ids=repr,
)
def test_ours_r7_programming_error_of_a_download_handler_is_local(
    error: Exception,
) -> None:
    """No network failure has such a class."""
    assert fault_of(error) == LocalFault(error, is_bug=True)


def test_resource_shortage_differs_from_missing_permission() -> None:
    """Only a shortage may end when fewer fetches run."""
    assert is_shortage(caused(NetworkError(), OSError(errno.EMFILE, "files")))
    assert not is_shortage(PermissionError(errno.EACCES, "denied"))
    assert not is_shortage(NetworkError())


def test_cycles_and_long_chains_of_causes_end() -> None:
    """Each exception of a cycle is visited once; a chain is cut at `MAX_CAUSES`."""
    one, two = NetworkError("1"), NetworkError("2")
    one.__cause__, two.__cause__ = two, one
    assert list(causes(one)) == [one, two]

    chain: Exception = NetworkError("0")
    for number in range(10 * MAX_CAUSES):
        chain = caused(NetworkError(str(number)), chain)
    assert len(list(causes(chain))) <= MAX_CAUSES + 1


@pytest.mark.parametrize(
    "error",
    [
        NetworkError("one", 2),
        OSError(errno.EMFILE, "Too many open files"),
        KeywordOnly(code=7),
        Described(111, "Connection refused"),
        Wrapper(NetworkError()),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    ],
    ids=repr,
)
def test_copy_of_an_error_is_equal_and_has_the_error_as_cause(
    error: Exception,
) -> None:
    """It has the same class, arguments and attributes, and no traceback."""
    try:
        raise error
    except type(error):
        made = copy_of(error)

    assert made is not error
    assert type(made) is type(error)
    assert (made.args, str(made), vars(made)) == (error.args, str(error), vars(error))
    assert getattr(made, "errno", None) == getattr(error, "errno", None)
    assert made.__cause__ is error
    assert made.__traceback__ is None
