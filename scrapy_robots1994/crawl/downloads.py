"""The robots.txt downloads in flight: what arrives, and the limits of it.

Scrapy's own size limit throws the whole body away; ours uses what arrived, so that the
whole lines within the limit are obeyed (Ours O24). And a server that sends a byte a
second never lets a handler's silence timeout strike.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic

from scrapy import Request, exceptions, signals
from scrapy.crawler import Crawler
from scrapy.http import Response

from scrapy_robots1994.crawl.fetch_observer import FetchObserver
from scrapy_robots1994.crawl.requests import OWN_REQUEST
from scrapy_robots1994.crawl.scrapy_private import is_queued
from scrapy_robots1994.crawl.threads import awaited_component
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.faults import fault_of, network_failure_of
from scrapy_robots1994.policy.fetch_result import Cancelled, FetchError, LocalFault
from scrapy_robots1994.policy.http_answer import (
    CODING_HEADERS,
    HttpAnswer,
    codings_of,
)


@dataclass(slots=True, eq=False, kw_only=True)
class DownloadState:
    """One download of *url* for the robots.txt of *origin*, and where it must stop.

    With *is_redirected* a redirect led to *url*. With *conditions*, headers of the request,
    the server may answer "not modified". *limit_name* says what sets *max_seconds*. The body
    began at *started*; with *is_over* the download is watched no longer. *is_sent* says that
    the request reached the downloader. *proxy* is the one that it was sent through,
    *user_agent* the name it was sent with. *answer* is the answer as it came, if there is
    one. *uncounted* is closed when it comes.
    """

    origin: Origin
    url: str
    max_bytes: int
    max_seconds: float
    limit_name: str
    is_redirected: bool = False
    conditions: dict[str, bytes] = field(default_factory=dict)
    started: float = 0.0
    received: int = 0
    is_truncated: bool = False
    is_late: bool = False
    is_over: bool = False
    is_sent: bool = False
    proxy: str | None = None
    user_agent: bytes | None = None
    answer: HttpAnswer | None = None
    uncounted: ExitStack = field(default_factory=ExitStack)

    def sent(self, request: Request) -> None:
        """Begin anew with *request*, which is sent for the first time or again.

        A middleware that answers a challenge or hands back a new request copies the
        meta, and this object with it. Limits and codings are those of one response.
        """
        self.received, self.answer = 0, None
        self.is_truncated = self.is_late = False
        self.is_sent = True
        # Only now: HttpProxyMiddleware and others have set them on the way.
        self.proxy = request.meta.get("proxy")
        self.user_agent = request.headers.get("User-Agent")

    def is_queued(self, crawler: Crawler) -> bool:
        """Return whether the request waits in the queue of a download slot."""
        if not self.is_sent or self.received or self.answer:
            return False
        return is_queued(crawler, self._is_of)

    def _is_of(self, request: object) -> bool:
        """Return whether *request* is this download, perhaps as a middleware replaced it."""
        return isinstance(request, Request) and request.meta.get(OWN_REQUEST) is self

    @property
    def took(self) -> str:
        """What to say of a download whose time is over."""
        return f"took longer than {self.max_seconds:g} seconds, {self.limit_name}"

    @property
    def why_given_up(self) -> str:
        """What to say of a download that did not return, with the component if it is known."""
        name = awaited_component(self._is_of) or self._stage
        limit = f"{self.max_seconds:g} s ({self.limit_name})"
        return f"{name} did not return within {limit} and 5 s"

    @property
    def _stage(self) -> str:
        """What the download waits for, as far as its signals say."""
        if self.answer:
            return "a downloader middleware that has the answer"
        if self.is_sent:
            return "the download handler"
        return "a downloader middleware in front of the download"

    def received_answer(self, response: Response) -> HttpAnswer:
        """Store *response*, as it came, as the answer; return it."""
        fault = None
        if "download_stopped" in response.flags and not self.is_truncated:
            # Another component may stop a download whose only piece has already arrived.
            length = response.headers.get("Content-Length")
            is_whole = length == b"%d" % len(response.body)
            fault = None if is_whole else exceptions.StopDownload()
        self.answer = HttpAnswer(
            url=self.url,
            status=response.status,
            headers=response.headers,
            body=response.body,
            codings=codings_of(response.headers),
            is_truncated=self.is_truncated,
            via_proxy=bool(self.proxy),
            is_conditional=bool(self.conditions),
            final_url=self.url if self.is_redirected else None,
            fault=fault,
        )
        return self.answer

    def answer_of(self, response: Response) -> HttpAnswer:
        """Return *response*, which middlewares may have made or changed, as the answer."""
        # A middleware that answers itself has sent nothing.
        answer = self.answer or self.received_answer(response)
        is_changed = (answer.status, answer.body) != (response.status, response.body)
        return replace(
            answer,
            status=response.status,
            headers=response.headers,
            body=response.body,
            is_changed=is_changed,
        )

    def failure_of(self, raised: Exception) -> FetchError | LocalFault | Cancelled:
        """Return whose fault it is that the download ended with *raised*."""
        # A request that a middleware replaced is not seen to be sent.
        was_sent = not self.answer if self.is_sent else bool(network_failure_of(raised))
        return fault_of(raised, was_sent=was_sent, via_proxy=bool(self.proxy))


class DownloadLimits:
    """Watches the robots.txt downloads in flight."""

    def __init__(
        self,
        crawler: Crawler,
        file: Callable[[], AbstractContextManager[None]],
        observers: Sequence[FetchObserver],
    ) -> None:
        """Watch; a context manager of *file* is open until each request is answered."""
        self._file = file
        self._observers = observers
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
        # Now, so that no page takes the slot that was added for the file.
        state.uncounted.close()
        answer = state.received_answer(response)
        for observer in self._observers:
            observer.answered(state.origin, request, response, answer)
        # Else Scrapy's decompression would lose a truncated body (see `unpacking`).
        for name in CODING_HEADERS:
            response.headers.pop(name, None)


def _state_of(request: Request) -> DownloadState | None:
    """Return the state of the download that *request* is; `None` if none is watched."""
    state = request.meta.get(OWN_REQUEST)
    return state if isinstance(state, DownloadState) and not state.is_over else None
