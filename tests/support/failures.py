"""A download handler whose errors depend on the host."""

from __future__ import annotations

import builtins
import errno
import ssl
from collections.abc import Sequence
from typing import Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotSupported
from scrapy.http import HtmlResponse, Response
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet import error as twisted_errors
from twisted.web import client

from tests.support.components import FakeHandler, is_robots


class OlderErrorGroup(Exception):  # noqa: N818 - named like the class that it stands for
    """Stands for `ExceptionGroup` from the package exceptiongroup on Python 3.10."""

    def __init__(self, message: str, exceptions: Sequence[BaseException]) -> None:
        super().__init__(message)
        self.exceptions = tuple(exceptions)


ErrorGroup: Any = getattr(builtins, "ExceptionGroup", OlderErrorGroup)


# Twisted has no annotations for its exceptions.
error: Any = twisted_errors
ResponseFailed: Any = client.ResponseFailed


def caused(
    failure: Exception, cause: BaseException, relation: str = "__cause__"
) -> Exception:
    setattr(failure, relation, cause)
    return failure


FILES = OSError(errno.EMFILE, "Too many open files")
REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
NO_ANSWER = TimeoutError(errno.ETIMEDOUT, "Connection timed out")
FAILED = "All connection attempts failed"


def library_error(path: str, *bases: type[Exception]) -> type[Exception]:
    """Make a class with the name and module of *path*, without importing the library."""
    module, _, name = path.rpartition(".")
    return type(name, bases or (Exception,), {"__module__": module})


PLAYWRIGHT = library_error("playwright._impl._errors.Error")
CURL = library_error("curl_cffi.requests.exceptions.RequestException", OSError)
CURL_CONNECTION = library_error("curl_cffi.requests.exceptions.ConnectionError", CURL)
AIOHTTP = library_error("aiohttp.client_exceptions.ClientError")
ZYTE = library_error("zyte_api._errors.RequestError", AIOHTTP)
REACHED = library_error(
    "aiohttp.client_exceptions.ClientConnectionError", AIOHTTP, OSError
)

OF_ORIGIN: dict[str, Exception] = {
    "refused": REFUSED,
    "reset": ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"),
    "no-route": error.NoRouteError(),
    "caused-by-group": caused(OSError(FAILED), ErrorGroup(FAILED, [REFUSED, REFUSED])),
    "tls": ssl.SSLError(ssl.SSLErrorNumber.SSL_ERROR_SSL, "bad certificate"),
    "curl": CURL_CONNECTION("Failed to connect"),
    "aiohttp": REACHED("Server disconnected"),
}
"""Maps hosts to failures of the origin (R5), which `RETRY_EXCEPTIONS` covers."""

OURS: dict[str, Exception] = {
    "files": FILES,
    "files-of-system": OSError(errno.ENFILE, "Too many open files in system"),
    "buffers": OSError(errno.ENOBUFS, "No buffer space available"),
    "memory": OSError(errno.ENOMEM, "Cannot allocate memory"),
    "ports": OSError(errno.EADDRNOTAVAIL, "Cannot assign requested address"),
    "port-in-use": OSError(errno.EADDRINUSE, "Address already in use"),
    "bind": error.ConnectBindError(errno.EADDRNOTAVAIL, "cannot bind"),
    "ignored": IgnoreRequest("a middleware of ours"),
    "not-supported": NotSupported("no such scheme"),
    "caused-by-files": caused(OSError(FAILED), FILES),
    "while-handling-files": caused(OSError(FAILED), FILES, "__context__"),
    "lost-for-files": ResponseFailed([error.ConnectionLost("closed"), FILES]),
    "group-of-files": ErrorGroup(FAILED, [REFUSED, FILES]),
    "caused-by-group-of-files": caused(OSError(FAILED), ErrorGroup(FAILED, [FILES])),
}
"""Maps hosts to local failures (R7)."""

BUGS: dict[str, Exception] = {
    "type-error": TypeError("a bug"),
    "runtime": RuntimeError("a bug"),
}

OF_LIBRARIES: dict[str, Exception] = {
    "closed": caused(TypeError("not iterable"), ConnectionResetError("by peer")),
    "api": ZYTE("HTTP 401"),
    "mixed-group": ErrorGroup(FAILED, [REFUSED, ValueError("no address")]),
    "reset-group": ErrorGroup(FAILED, [REFUSED, NO_ANSWER]),
    "browser": PLAYWRIGHT("Page.goto: net::ERR_CONNECTION_RESET at http://h.test"),
    "closed-browser": PLAYWRIGHT("Target page, context or browser has been closed"),
}
"""Maps hosts to exceptions of libraries that `RETRY_EXCEPTIONS` does not cover."""


class FailingHandler(FakeHandler):
    """Raises the host's exception if robots.txt is requested, and answers all other requests."""

    async def answer(self, request: Request) -> Response:
        name = (urlparse_cached(request).hostname or "").removesuffix(".test")
        if is_robots(request):
            raise (OF_ORIGIN | OURS | BUGS | OF_LIBRARIES)[name]
        return HtmlResponse(request.url, request=request)
