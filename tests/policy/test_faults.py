"""Whose fault a failed fetch is, by its exception."""

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
    """The client's word for a failure on the way to the origin."""


class Wrapper(Exception):  # noqa: N818 - as Twisted's
    """An exception around others, as Twisted has it."""

    def __init__(self, *reasons: BaseException) -> None:
        super().__init__("it failed")
        self.reasons = list(reasons)


class Grouped(Exception):  # noqa: N818 - what it is
    """Several exceptions as one, as an ExceptionGroup (Python 3.11) has them."""

    def __init__(self, *exceptions: BaseException) -> None:
        super().__init__("all failed")
        self.exceptions = exceptions


class Demanding(Exception):  # noqa: N818 - what it is
    """An exception that is not made from its arguments."""

    def __init__(self, *, code: int) -> None:
        super().__init__(f"code {code}")
        self.code = code


class Described(Exception):  # noqa: N818 - as Twisted's ConnectError
    """An exception whose first parameter is not its argument."""

    def __init__(self, number: object = None, text: str = "") -> None:
        super().__init__(text)
        self.number = number


def fault_of(
    error: Exception, *, was_sent: bool = True, via_proxy: bool = False
) -> Any:
    """Return whose fault *error* is."""
    proxy = "http://proxy.example" if via_proxy else None
    state = DownloadState(0, 0.0, is_sent=True, is_answered=not was_sent, proxy=proxy)
    return state.failure_of(error)


def caused(error: Exception, cause: BaseException) -> Exception:
    """Return *error* with its cause."""
    error.__cause__ = cause
    return error


def test_ours_r5_what_the_download_raises_is_of_the_origin() -> None:
    """A failure on the direct way to it, named by its class."""
    assert fault_of(NetworkError("gone")) == FetchError("NetworkError", "gone")
    assert fault_of(ConnectionResetError(errno.ECONNRESET, "reset")) == FetchError(
        "ConnectionResetError", f"[Errno {errno.ECONNRESET}] reset"
    )
    # Its number is that of OpenSSL, and of EPERM.
    handshake = ssl.SSLError(ssl.SSLErrorNumber.SSL_ERROR_SSL, "bad certificate")
    assert fault_of(caused(NetworkError("gone"), handshake)) == FetchError(
        "NetworkError", "gone"
    )


def test_ours_r6_a_cancellation_is_neither_sides_fault() -> None:
    """Whether or not the request was sent."""
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
    """Also where the error lies behind another one; it is no bug."""
    assert fault_of(error, was_sent=was_sent) == LocalFault(error)


def test_ours_r7_behind_a_proxy_every_failure_is_ours() -> None:
    """Only the proxy was reached, or not."""
    error = NetworkError()

    assert fault_of(error, via_proxy=True) == LocalFault(error)


@pytest.mark.parametrize("error", [ValueError(), TypeError(), NetworkError()], ids=repr)
def test_ours_r7_what_a_middleware_raises_is_ours(error: Exception) -> None:
    """Whatever its class: the download did not raise it."""
    assert fault_of(error, was_sent=False) == LocalFault(error, is_bug=True)


@pytest.mark.parametrize(
    "error",
    [TypeError(), KeyError("x"), AttributeError(), NotImplementedError()],
    ids=repr,
)
def test_ours_r7_a_programming_error_of_a_download_handler_is_ours(
    error: Exception,
) -> None:
    """No network raises it."""
    assert fault_of(error) == LocalFault(error, is_bug=True)


def test_resource_shortage_differs_from_missing_permission() -> None:
    """Only the first may pass when fewer fetches run."""
    assert is_shortage(caused(NetworkError(), OSError(errno.EMFILE, "files")))
    assert not is_shortage(PermissionError(errno.EACCES, "denied"))
    assert not is_shortage(NetworkError())


def test_a_circle_of_causes_ends() -> None:
    """And so does a chain that is too long."""
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
        Demanding(code=7),
        Described(111, "Connection refused"),
        Wrapper(NetworkError()),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"),
    ],
    ids=repr,
)
def test_a_copy_says_the_same_and_names_its_cause(error: Exception) -> None:
    """Same class, arguments and attributes; its traceback is its own."""
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
