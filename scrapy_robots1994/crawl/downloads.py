"""The robots.txt downloads in flight: what arrives, and the limits of it.

Scrapy's own size limit throws the whole body away; ours uses what arrived, so that the
whole lines within the limit are obeyed (Ours O24). And a server that sends a byte a
second never lets a handler's silence timeout strike.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from copy import copy
from dataclasses import dataclass, field
from time import monotonic

from scrapy import Request, exceptions, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from scrapy_robots1994.crawl.exemptions import OWN_REQUEST
from scrapy_robots1994.crawl.faults import NETWORK, fault_of
from scrapy_robots1994.crawl.robots_response import REDIRECTS
from scrapy_robots1994.crawl.scrapy_private import is_queued
from scrapy_robots1994.crawl.threads import awaited_component
from scrapy_robots1994.crawl.unpacking import CODING_HEADERS, codings_of
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import Cancelled, FetchError, LocalFault
from scrapy_robots1994.policy.outcomes import outcome_of


@dataclass(slots=True, eq=False)
class DownloadState:
    """One download of the robots.txt of *origin*: what arrived, and where it must stop.

    Its body began at *started*; with *is_over* it is watched no longer. *is_sent* says
    that the request reached the downloader, *is_answered* that a response came,
    *is_stopped* that another component stopped it.
    *proxy* is the one that the request was sent through, *user_agent* the name it was sent
    with. *uncounted* is closed when the answer comes. *final_url* is the URL of a request
    that follows a redirect. With *conditions*, its headers, the server may answer "not
    modified". With *keeps_raw*, *raw* is the response as it came, of which *on_download* is
    called each time; *is_changed* says that a middleware made another one of it.
    """

    origin: Origin
    max_bytes: int
    max_seconds: float
    started: float = 0.0
    received: int = 0
    is_truncated: bool = False
    is_late: bool = False
    is_stopped: bool = False
    is_over: bool = False
    is_sent: bool = False
    is_answered: bool = False
    is_changed: bool = False
    keeps_raw: bool = False
    proxy: str | None = None
    user_agent: bytes | None = None
    codings: tuple[str, ...] = ()
    uncounted: ExitStack = field(default_factory=ExitStack)
    raw: Response | None = None
    final_url: str | None = None
    conditions: dict[str, bytes] = field(default_factory=dict)
    on_download: Callable[[Origin, Request, "DownloadState"], None] | None = None

    def sent(self, request: Request) -> None:
        """Begin anew with *request*, which is sent for the first time or again.

        A middleware that answers a challenge or hands back a new request copies the
        meta, and this object with it. Limits and codings are those of one response.
        """
        self.received, self.codings, self.raw = 0, (), None
        self.is_truncated = self.is_late = self.is_stopped = self.is_answered = False
        self.is_sent = True
        # Only now: HttpProxyMiddleware and others have set them on the way.
        self.proxy = request.meta.get("proxy")
        self.user_agent = request.headers.get("User-Agent")

    def is_queued(self, crawler: Crawler) -> bool:
        """Return whether the request waits in the queue of a download slot."""
        if not self.is_sent or self.received or self.is_answered:
            return False
        return is_queued(crawler, self._is_of)

    def _is_of(self, request: object) -> bool:
        """Return whether *request* is this download, perhaps as a middleware replaced it."""
        return isinstance(request, Request) and request.meta.get(OWN_REQUEST) is self

    @property
    def awaited(self) -> str:
        """What the download waits for: the component's name, or what its signals say."""
        if name := awaited_component(self._is_of):
            return name
        if self.is_answered:
            return "a downloader middleware that has the answer"
        if self.is_sent:
            return "the download handler"
        return "a downloader middleware in front of the download"

    @property
    def is_of_proxy(self) -> bool:
        """Whether the proxy may have sent the answer itself; a redirect is followed."""
        if self.proxy is None or self.raw is None or self.raw.status in REDIRECTS:
            return False
        return not outcome_of(self.raw.status, via_proxy=True).row.is_trusted

    def failure_of(self, raised: Exception) -> FetchError | LocalFault | Cancelled:
        """Return whose fault it is that the download ended with *raised*."""
        # A request that a middleware replaced is not seen to be sent.
        was_sent = not self.is_answered if self.is_sent else isinstance(raised, NETWORK)
        return fault_of(raised, was_sent=was_sent, via_proxy=bool(self.proxy))


class DownloadLimits:
    """Watches the robots.txt downloads in flight."""

    def __init__(
        self, crawler: Crawler, file: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """Watch; a context manager of *file* is open until each request is answered."""
        self._file = file
        self._in_flight = 0
        # Public signals: no handler, of any library, has to be wrapped.
        self._signals = crawler.signals
        self._listeners = (
            (self._reached, signals.request_reached_downloader),
            (self._bytes_received, signals.bytes_received),
            (self._downloaded, signals.response_downloaded),
        )

    @contextmanager
    def watch(self, request: Request, state: DownloadState) -> Iterator[None]:
        """Apply *state* to the download of *request* while the block runs."""
        # In the meta, which `Request.replace` copies to what a middleware sends instead.
        request.meta[OWN_REQUEST] = state
        self._in_flight += 1
        if self._in_flight == 1:
            # Only while it is of use: it costs each page 20 microseconds.
            self._change(self._signals.connect)
        try:
            with ExitStack() as state.uncounted:
                state.uncounted.enter_context(self._file())
                yield
        finally:
            # One that was given up may still go on, and its signals no longer count.
            state.is_over = True
            self._in_flight -= 1
            if not self._in_flight:
                self._change(self._signals.disconnect)

    def _change(self, change: Callable[..., object]) -> None:
        """Begin or end to listen, as *change* does."""
        for listener, signal in self._listeners:
            change(listener, signal)

    def _reached(self, request: Request) -> None:
        """Reset the state of a request that is about to be sent."""
        if state := _state_of(request):
            state.sent(request)

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Stop the download when a limit is reached."""
        state = _state_of(request)
        if state is None:
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
        state = _state_of(request)
        if state is None:
            return
        state.is_answered = True
        # Now, so that no page takes the slot that was added for the file.
        state.uncounted.close()
        if "download_stopped" in response.flags and not state.is_truncated:
            # Another component may stop a download whose only piece has already arrived.
            length = response.headers.get("Content-Length")
            state.is_stopped = length != b"%d" % len(response.body)
        if state.keeps_raw:
            state.raw = copy(response)  # `replace` would find out its encoding
            state.raw.headers = response.headers.copy()
        # Else Scrapy's decompression would lose a truncated body (see `unpacking`).
        state.codings = codings_of(response)
        for name in CODING_HEADERS:
            response.headers.pop(name, None)
        if state.on_download is not None:
            state.on_download(state.origin, request, state)


def _state_of(request: Request) -> DownloadState | None:
    """Return the state of the download that *request* is; `None` if none is watched."""
    state = request.meta.get(OWN_REQUEST)
    return state if isinstance(state, DownloadState) and not state.is_over else None
