"""The robots.txt downloads in flight: their limits, and whose fault a failure is.

Scrapy's own size limit throws the whole body away; ours uses what arrived, so that the
whole lines within the limit are obeyed (Ours O24). And a server that sends a byte a
second never lets a handler's silence timeout strike.

This module has the differences between Scrapy versions in the exceptions of a download.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import cast

from OpenSSL.SSL import Error as TlsError
from scrapy import Request, exceptions, signals
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.settings.default_settings import RETRY_EXCEPTIONS
from scrapy.utils.misc import load_object
from twisted.internet import error
from twisted.internet.defer import CancelledError
from twisted.web.client import ResponseFailed

from scrapy_robots1994.crawl.requests import OWN_REQUEST
from scrapy_robots1994.crawl.robots_response import (
    CODING_HEADERS,
    can_unpack,
    codings_of,
    read_body,
)
from scrapy_robots1994.crawl.scrapy_private import EngineAccess
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.policy.fetch_result import (
    BUGS,
    Cancelled,
    FetchError,
    LocalFault,
    is_local,
)

# Where Scrapy undoes a content coding that we cannot (a library is missing): this many
# times the limit is unpacked at most, and past it the body counts as undecodable (R5).
UNPACKED_TIMES = 16

MANY_SITES = 10
"""Unrelated sites that are silent at once: more than are down by chance."""


def _either(name: str, twisted: type[Exception]) -> type[Exception]:
    """Return an exception of Scrapy, which it raises since 2.15, or what it wraps."""
    return getattr(exceptions, name, twisted)


# Raised by us, too, so they must be classes that RetryMiddleware retries.
DownloadTimeout = _either("DownloadTimeoutError", error.TimeoutError)
"""The exception of a page that took too long, which RetryMiddleware retries."""

ConnectionRefused = _either(
    "DownloadConnectionRefusedError", error.ConnectionRefusedError
)
"""The exception of a refused connection, which RetryMiddleware retries."""

TIMEOUTS = (error.TimeoutError, error.TCPTimedOutError, DownloadTimeout)
"""What a download raises when its time is over."""

UNRESOLVED = (
    error.DNSLookupError,
    _either("CannotResolveHostError", error.DNSLookupError),
)
"""What a download raises when a name has no address."""

NETWORK = (
    *TIMEOUTS,
    *UNRESOLVED,
    ResponseFailed,
    TlsError,
    # Not OSError, which any middleware may raise.
    *{load_object(cast("str", it)) for it in RETRY_EXCEPTIONS} - {OSError},
)
"""What a download raises when the network fails, with what Scrapy retries by default."""

CANCELLED = (CancelledError, _either("DownloadCancelledError", CancelledError))
"""What a download raises that someone ended (R6)."""

LOCAL = (
    error.ConnectBindError,
    TunnelError,
    exceptions.IgnoreRequest,
    exceptions.NotSupported,
    # By a handler of signals; where ours stops one, it says why (`is_late`).
    exceptions.StopDownload,
)
"""What a download raises that fails on our side (R7)."""


@dataclass(slots=True, eq=False)
class DownloadState:
    """One robots.txt download: what arrived, and where it must stop.

    It began at *since* and its body at *started*. *is_sent* says that the request reached
    the downloader, *is_answered* that a response came, *is_stopped* that another
    component stopped it, and *is_raised* that the limit of requests is one higher for it.
    *proxy* is the one that the request was sent through, *user_agent* the name it was sent
    with. *final_url* is the URL of a request that follows a redirect. With *conditions*,
    its headers, the server may answer "not modified".
    """

    max_bytes: int
    max_seconds: float
    host: str = ""
    # The request is on its way to a look-up from then on (`fetch_limit`).
    on_sent: Callable[[], None] = lambda: None
    since: float = field(default_factory=monotonic)
    started: float = 0.0
    received: int = 0
    is_truncated: bool = False
    is_late: bool = False
    is_stopped: bool = False
    is_sent: bool = False
    is_answered: bool = False
    is_raised: bool = False
    proxy: str | None = None
    user_agent: bytes | None = None
    codings: tuple[str, ...] = ()
    final_url: str | None = None
    conditions: dict[str, bytes] = field(default_factory=dict)

    def sent(self, request: Request) -> None:
        """Begin anew with *request*, which is sent for the first time or again.

        A middleware that answers a challenge or hands back a new request copies the
        meta, and this object with it. Limits and codings are those of one response.
        """
        self.received, self.codings = 0, ()
        self.is_truncated = self.is_late = self.is_stopped = self.is_answered = False
        self.is_sent = True
        # Only now: HttpProxyMiddleware and others have set them on the way.
        self.proxy = request.meta.get("proxy")
        self.user_agent = request.headers.get("User-Agent")
        self.on_sent()

    async def body_of(self, response: Response) -> tuple[bytes, bool]:
        """Return the decoded body, and whether it is truncated (see `read_body`)."""
        limit, is_truncated = self.max_bytes, self.is_truncated
        return await read_body(response, self.codings, limit, is_truncated=is_truncated)

    def failure_of(self, error: Exception) -> FetchError | LocalFault | Cancelled:
        """Return whose fault it is that the download ended with *error*."""
        # A request that a middleware replaced is not seen to be sent.
        was_sent = not self.is_answered if self.is_sent else isinstance(error, NETWORK)
        detail = one_line(error)
        if isinstance(error, CANCELLED):
            return Cancelled(detail)
        if is_local(error, LOCAL):
            return LocalFault(error)
        # Before or after the download only code of this process runs.
        if not was_sent or isinstance(error, BUGS):
            return LocalFault(error, is_bug=True)
        # Ours R7: of what is behind a proxy, a failed connection says nothing.
        if self.proxy:
            return LocalFault(error)
        return FetchError(type(error).__name__, detail)


class DownloadLimits:
    """Watches the robots.txt downloads in flight."""

    def __init__(self, crawler: Crawler) -> None:
        self._engine = EngineAccess.of(crawler)
        self._in_flight: set[DownloadState] = set()
        # When any server last sent something, and the sites that timed out since.
        self._last_heard = 0.0
        self._timed_out: set[str] = set()
        # Public signals: no handler, of any library, has to be wrapped.
        self._signals = crawler.signals
        self._listeners = (
            (self._reached, signals.request_reached_downloader),
            (self._bytes_received, signals.bytes_received),
            (self._downloaded, signals.response_downloaded),
            (self._left, signals.request_left_downloader),
        )
        self._is_listening = False

    @contextmanager
    def watch(self, request: Request, state: DownloadState) -> Iterator[None]:
        """Apply *state* to the download of *request* while the block runs."""
        # In the meta, which `Request.replace` copies to what a middleware sends instead.
        request.meta[OWN_REQUEST] = state
        self._in_flight.add(state)
        self._listen()
        try:
            yield
        finally:
            # One that was cancelled in the queue of its slot has not left.
            self._left(request)
            self._in_flight.remove(state)
            self._listen()

    def _listen(self) -> None:
        """Listen only while that is of use: it costs each page 20 microseconds."""
        is_of_use = bool(self._in_flight or self._timed_out)
        if is_of_use != self._is_listening:
            self._is_listening = is_of_use
            change = self._signals.connect if is_of_use else self._signals.disconnect
            for listener, signal in self._listeners:
                change(listener, signal)

    def heard(self) -> None:
        """Note that some server sent something, if only a refusal."""
        self._last_heard = monotonic()
        self._timed_out.clear()

    def is_network_down(self, state: DownloadState) -> bool:
        """Whether the download of *state*, which timed out, was silent with many sites.

        An ambiguous failure counts as one of the origin (R5).
        """
        if self._last_heard >= state.since:
            return False
        # For the next call, when this one is no longer in flight.
        self._timed_out.add(_site(state.host))
        # Those that began much later may yet be answered.
        latest = (state.since + monotonic()) / 2
        silent = {_site(it.host) for it in self._in_flight if it.since <= latest}
        return len(silent | self._timed_out) > MANY_SITES

    def _reached(self, request: Request) -> None:
        """Reset the state of a request that is about to be sent."""
        state = request.meta.get(OWN_REQUEST)
        if isinstance(state, DownloadState):
            state.sent(request)
            # What `_downloaded` set for the response before, a copied meta still has.
            request.meta["download_maxsize"] = 0
            # From here on the downloader has it; it adds nothing to
            # CONCURRENT_REQUESTS.
            state.is_raised = state.is_raised or self._engine.raise_limit()

    def _left(self, request: Request) -> None:
        """Let a request count that is about to leave the downloader."""
        state = request.meta.get(OWN_REQUEST)
        if isinstance(state, DownloadState) and state.is_raised:
            state.is_raised = False
            self._engine.lower_limit()

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop the download when a limit is reached."""
        self.heard()
        state = request.meta.get(OWN_REQUEST)
        if not isinstance(state, DownloadState):
            return
        if not state.received:
            # What went before, the handler timed; most of it may be the slot's queue.
            state.started = monotonic()
        state.received += len(data)
        if state.received > state.max_bytes:
            # Not a failure: the whole lines of what arrived are obeyed (O24).
            state.is_truncated = True
            raise exceptions.StopDownload(fail=False)
        if monotonic() - state.started > state.max_seconds:
            # A failure, for a part of the file within the limit is missing (R5).
            state.is_late = True
            raise exceptions.StopDownload(fail=True)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Take the content coding over before any middleware sees the response."""
        self.heard()
        state = request.meta.get(OWN_REQUEST)
        if not isinstance(state, DownloadState):
            return
        state.is_answered = True
        # Another component may stop a download whose only piece has already arrived.
        length = response.headers.get("Content-Length")
        is_whole = state.is_truncated or length == b"%d" % len(response.body)
        state.is_stopped = "download_stopped" in response.flags and not is_whole
        # Else Scrapy's decompression would lose a truncated body (see
        # `robots_response`). But what a cache stores must still say how it is packed.
        codings = codings_of(response)
        is_ours = request.meta.get("dont_cache") and can_unpack(codings)
        state.codings = codings if is_ours else ()
        if state.codings:
            for name in CODING_HEADERS:
                response.headers.pop(name, None)
        # For Scrapy's decompression of what is left to it. For the handler, which has
        # done its work, it is 0 (see `requests.py`).
        request.meta["download_maxsize"] = state.max_bytes * UNPACKED_TIMES


def _site(host: str) -> str:
    """Return what hosts of one owner mostly share; an address is a site."""
    # Without a list of public suffixes, all of co.uk is one site; so the fault is found
    # to be the origin's a little more often.
    labels = host.split(".")
    return host if ":" in host or labels[-1].isdigit() else ".".join(labels[-2:])


def one_line(error: BaseException) -> str:
    """Return what *error* says, on one printable line that names no password.

    Twisted has it in a list, of failures or exceptions; Scrapy wraps that once more.
    """
    # "[<twisted.python.failure.Failure …>]" says nothing to a reader of the log.
    cause = error.__cause__
    found = getattr(error, "reasons", None) or getattr(cause, "reasons", None)
    each = [getattr(reason, "value", reason) for reason in found or [error]]
    said = "; ".join(str(it) or type(it).__name__ for it in each)
    return redact_and_escape(" ".join(said.split()), 200)
