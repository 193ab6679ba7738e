"""The download of a robots.txt through Scrapy's downloader and all downloader middlewares.

`RobotsDownload.fetch` fetches one robots.txt. If the maximum number of fetches is running,
`fetch` first waits until another fetch ends. `fetch` then sends a request for the
robots.txt, and a further request for each redirect. Scrapy's signals report the progress of
each request. `fetch` returns the meaning of the answer, or a failure. The type of the
failure shows who caused the failure. `RobotsDownload` reports each answer to the observers
(`FetchObserver`).

Our size limit and our time limit differ from Scrapy's limits. If a file exceeds Scrapy's
size limit, Scrapy discards the whole body. If a file exceeds our size limit, the complete
lines within the limit are obeyed (Ours O24, truncated files). Our time limit applies to
the total time of a download. Some download handlers limit only the time without new data.
If only the time without new data were limited, a download of one byte per second would
never time out.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from operator import itemgetter
from time import monotonic
from typing import Any, TypeAlias

from scrapy import Request, exceptions, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet import error
from twisted.internet.defer import DeferredSemaphore

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import count
from scrapy_robots1994.crawl.requests import (
    OWN_REQUEST,
    Cookies,
    RequestContext,
    RobotName,
    cookie_header,
    robots_request,
)
from scrapy_robots1994.crawl.scrapy_private import is_queued
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import (
    NotReturned,
    awaited_component,
    is_look_up_slow,
    read_in_crawl,
    result_of,
    result_within,
)
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.policy.faults import TIMED_OUT, fault_of, network_failure_of
from scrapy_robots1994.policy.fetch_result import (
    CODING_HEADERS,
    Answer,
    FetchError,
    FetchResult,
    HttpAnswer,
    LocalFault,
    Redirect,
)
from scrapy_robots1994.policy.outcomes import OF_THE_PROXY, outcome_of
from scrapy_robots1994.policy.policy import Policy

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # Windows has no `resource`

GRACE_SECONDS = 5.0
"""Seconds that a download may take beyond its time limit. If the download takes longer, the
crawl stops waiting for the download (R7, our own fault).
"""

# If a download takes too long, Scrapy 2.15 and later raise an exception that Scrapy
# defines. Earlier versions of Scrapy raise an exception that Twisted defines.
DownloadTimeout: type[Exception] = getattr(
    exceptions, "DownloadTimeoutError", error.TimeoutError
)
"""The class of the exception that a download raises if it takes too long. RetryMiddleware
retries a page whose download raised this exception.
"""


Hop: TypeAlias = tuple[str, bytes | None]
"""A URL that a fetch requests, and the `Cookie` header of that request."""


class FetchObserver:
    """Observes each fetch of a robots.txt. A subclass overrides the methods that it needs.

    A fetch consists of one or more attempts. In an attempt, the crawl requests the URL of
    the file, and then the target of each redirect. One attempt may get several answers
    from one URL, because a downloader middleware may send a request again.
    """

    def answered(
        self, download: "DownloadState", request: Request, response: Response
    ) -> None:
        """Called with each answer, before any downloader middleware sees the answer."""

    def policy_fetched(
        self, policy: Policy, result: Answer, last: Policy | None
    ) -> None:
        """Called with each *policy* that was made from the *result* of a fetch, before any
        request uses the policy. *last* is the last good policy.
        """


@dataclass(slots=True, eq=False, kw_only=True)
class DownloadState:
    """One download of *url* for the robots.txt of *origin*, and the limits at which the
    download stops.

    *is_redirected* is `True` if a redirect led to *url*. *conditions* are the request
    headers that allow the server to answer "not modified". *limit_name* names the source
    of *max_seconds*, for example the setting ROBOTS1994_TIMEOUT. *started* is the time
    when the body began to arrive. *is_over* is `True` if the crawl no longer waits for
    the download. *is_sent* is `True` if the request has reached the downloader. *proxy*
    and *user_agent* are the proxy and the User-Agent with which the request was sent.
    *answer* is `None` until an answer is received. When an answer is received, *answer*
    is set to the status and the body, before any middleware changes them. *cut* is
    "length" if the body is cut at our size limit, "unspecified" if another component cut
    the body, and "" otherwise. *codings* contains the headers of the answer that
    `CODING_HEADERS` names. While *uncounted* is open, the limit of concurrent requests is
    raised for the robots.txt request. *uncounted* is closed when the answer is received.
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
    is_late: bool = False
    is_over: bool = False
    is_sent: bool = False
    proxy: str | None = None
    user_agent: bytes | None = None
    answer: tuple[int, bytes] | None = None
    cut: str = ""
    codings: dict[str, Any] = field(default_factory=dict)
    uncounted: ExitStack = field(default_factory=ExitStack)

    def is_queued(self, crawler: Crawler) -> bool:
        """Return whether the request waits in the queue of a download slot."""
        if not self.is_sent or self.received or self.answer:
            return False
        return is_queued(crawler, self._is_of)

    def _is_of(self, request: object) -> bool:
        """Return whether *request* belongs to this download, even if a middleware
        replaced it.
        """
        return isinstance(request, Request) and request.meta.get(OWN_REQUEST) is self

    @property
    def took(self) -> str:
        """The message for a download that reached its time limit."""
        return f"took longer than {self.max_seconds:g} seconds, {self.limit_name}"

    @property
    def why_given_up(self) -> str:
        """The message for a download that did not end in time.

        If the component that is still working is known, the message names it. If the
        component is not known, the message names the stage of the download. The signals
        that were received show the stage of the download.
        """
        stage = "before the download started, a downloader middleware"
        if self.answer:
            stage = "a downloader middleware that has the answer"
        elif self.is_sent:
            stage = "the download handler"
        name = awaited_component(self._is_of) or stage
        limit = f"{self.max_seconds:g} s ({self.limit_name})"
        return f"{name} did not return within {limit} plus 5 s"


def _state_of(request: Request) -> DownloadState | None:
    """Return the state of the download of *request*. Return `None` if *request* is not a
    robots.txt request, or if the crawl no longer waits for the download.
    """
    state = request.meta.get(OWN_REQUEST)
    return state if isinstance(state, DownloadState) and not state.is_over else None


def _cut_of(response: Response) -> str:
    """Return "unspecified" if another component stopped the download of *response*, and
    "" otherwise.
    """
    if "download_stopped" not in response.flags:
        return ""
    # Compare the lengths, because the whole body may have arrived before the download
    # was stopped.
    is_whole = response.headers.get("Content-Length") == b"%d" % len(response.body)
    return "" if is_whole else "unspecified"


SPARE = 32
"""Number of file descriptors that fetches do not use. The rest of the process needs file
descriptors for log files, stores, name look-ups and other work.
"""


def parallel_fetches(most: int, pages: int) -> int:
    """Return how many fetches may run at once. The result is *most*, or a smaller number
    if the process can open only a few file descriptors.

    *pages* is the maximum number of connections that pages need at once. If *pages* is 0,
    the number of connections for pages has no maximum.
    """
    limit = math.inf
    if resource is not None:  # pragma: no branch - Windows
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = math.inf if soft == resource.RLIM_INFINITY else soft
    # Fetches get at least a quarter of the file descriptors, even if pages need most of
    # them.
    free = max(limit - pages - SPARE, limit / 4) if pages else limit / 2
    return max(1, int(min(most, free)))


class RobotsDownload:
    """Fetches robots.txt files, without retries. Every failure is returned as a result."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        file: Callable[[], AbstractContextManager[None]],
        observers: Sequence[FetchObserver],
    ) -> None:
        """Prepare the fetches. *file* returns a new context manager for each robots.txt
        request. The context manager raises the limit of concurrent requests.
        """
        self._crawler = crawler
        self._settings = settings
        self._file = file
        self._observers = observers
        self._robot = RobotName(crawler)
        pages = crawler.settings.getint("CONCURRENT_REQUESTS")
        most = parallel_fetches(settings.max_fetches, pages)
        self._permits = DeferredSemaphore(most)
        # Widen the connection pool of a scheme once, at the first request with that scheme.
        # Most redirects change the scheme, so a fetch often needs the pools of both schemes.
        # The spider's attribute `download_timeout` overrides DOWNLOAD_TIMEOUT, for pages and
        # for robots.txt. DOWNLOAD_TIMEOUT = 0 means that there is no time limit.
        timeout = getattr(crawler.spider, "download_timeout", None)
        timeout = timeout or crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        # `_limit` contains the shorter of the two time limits, and the name of its
        # setting.
        self._limit = min(
            (float(settings.timeout), "ROBOTS1994_TIMEOUT"),
            (float(timeout) or math.inf, "DOWNLOAD_TIMEOUT"),
            key=itemgetter(0),
        )
        self._in_flight = 0
        # Watch downloads through signals, which are public. Without signals, each download
        # handler would have to be wrapped.
        self._listeners = (
            (self._reached, signals.request_reached_downloader),
            (self._bytes_received, signals.bytes_received),
            (self._downloaded, signals.response_downloaded),
        )

    async def fetch(
        self,
        origin: Origin,
        context: RequestContext,
        last: Policy | None = None,
        start: str | None = None,
        cookies: Cookies | None = None,
    ) -> FetchResult:
        """Request the robots.txt of *origin* and follow redirects (R2, redirects). Return
        the result or a failure.

        The request gets the proxy, local address and User-Agent of the page request from
        *context*. *last* is the last good policy. The validators of *last* are sent only
        to the URL whose answer contained them. *start* is the URL of the first request,
        or `None` for the robots.txt URL of *origin*. *cookies* contains the cookies of
        earlier attempts. The cookies of this attempt are added to *cookies*.
        """
        cookies = Cookies() if cookies is None else cookies
        result: FetchResult | Redirect = Redirect(start or origin.robots_url)
        requested: list[Hop] = []
        permit = self._permits.acquire()
        if not permit.called:
            await maybe_deferred_to_future(permit)
        try:
            while isinstance(result, Redirect):
                url = result.target
                hop = url, cookie_header(url, cookies) if cookies else None
                error = self._redirect_error(hop, requested) if requested else None
                if error is not None:
                    result = error
                    break
                requested.append(hop)
                state = self._new_state(origin, context, last, requested)
                sent = await self._send(context, state, hop[1])
                if not isinstance(sent, Response):
                    result = sent
                    break
                if set_cookies := sent.headers.getlist("Set-Cookie"):
                    cookies.append((url, set_cookies))
                result = await self._read(sent, state)
        finally:
            self._permits.release()
            # Count the fetch when it ends, even if it was cancelled. In `stats.REQUESTS`,
            # the built-in middleware also counts fetches instead of answers.
            count(self._crawler, stats.REQUESTS)
        if len(requested) > 1 and isinstance(result, (FetchError, LocalFault)):
            result = replace(result, final_url=requested[-1][0])
        return result

    def _redirect_error(self, hop: Hop, requested: list[Hop]) -> FetchError | None:
        """Return an error if *hop* must not be requested after the hops in *requested*
        (R2, redirects). Return `None` if *hop* may be requested.
        """
        # Ours R2 (redirects): check redirects here, because the meta of a robots.txt
        # request switches off RedirectMiddleware.
        shown = redact_and_escape(hop[0], 120)
        most = self._settings.max_redirects
        if not is_http(hop[0]):
            kind, detail = "redirect", f"to {shown}"
        # Allow a second request for a URL with different cookies, because the answer may
        # differ.
        elif hop in requested:
            kind, detail = "redirect loop", f"back to {shown}"
        elif len(requested) > most:
            kind, detail = "too many redirects", f"more than {most} redirects"
        else:
            return None
        return FetchError(kind, detail, is_final=True)

    def _new_state(
        self,
        origin: Origin,
        context: RequestContext,
        last: Policy | None,
        requested: list[Hop],
    ) -> DownloadState:
        """Return the state for the download of the last hop in *requested*. The limits
        apply to each hop separately (O24, truncated files).
        """
        url, _ = requested[-1]
        seconds, setting = self._limit
        of_page: Any = context.page.meta.get("download_timeout")
        if isinstance(of_page, (int, float)) and 0 < of_page < seconds:
            seconds, setting = float(of_page), "the download_timeout of the page"
        return DownloadState(
            origin=origin,
            url=url,
            is_redirected=len(requested) > 1,
            conditions={} if last is None else last.validators(url),
            max_bytes=self._settings.max_bytes,
            max_seconds=seconds,
            limit_name=setting,
        )

    async def _send(
        self, context: RequestContext, state: DownloadState, cookie: bytes | None
    ) -> Response | FetchResult:
        """Send one request. Return the answer, or the failure if no answer was received."""
        request = robots_request(state.url, context, state.max_seconds, cookie)
        request.headers.update(state.conditions)
        # Bypass the scheduler, because its duplicates filter and its order are for pages.
        engine: Any = self._crawler.engine
        # Scrapy 2.13 has only `download`, which returns a Deferred.
        download = getattr(engine, "download_async", None) or engine.download

        async def answered() -> Response:
            # Raise the limit immediately before the request begins to count. If the limit
            # were raised earlier, a page would take the slot that was added.
            state.uncounted.enter_context(self._file())
            response: Response = await result_of(download(request))
            return response

        with self._watch(request, state):
            try:
                response = await result_within(
                    answered(),
                    state.max_seconds + GRACE_SECONDS,
                    lambda: state.is_queued(self._crawler),
                )
            except NotReturned:
                return LocalFault(DownloadTimeout(state.why_given_up))
            except Exception as error:  # noqa: BLE001 - a middleware may raise any error
                # Like the built-in middleware, do not count `IgnoreRequest`. The component
                # that raised `IgnoreRequest` has already counted the request.
                if not isinstance(error, IgnoreRequest):
                    count(self._crawler, stats.EXCEPTIONS, kind=type(error))
                return await self._failure(error, state)
        self._robot.check_sent(state.user_agent, context.headers.get("User-Agent"))
        return response

    async def _failure(self, error: Exception, state: DownloadState) -> FetchResult:
        """Return the failure of a request that ended with *error*. The type of the failure
        shows who caused the failure.
        """
        if state.is_late:
            error = DownloadTimeout(state.took)
        # If a middleware replaced the meta of the request, no signal has set `is_sent`. The
        # class of the exception then shows whether the request was sent.
        was_sent = (
            not state.answer if state.is_sent else bool(network_failure_of(error))
        )
        failure = fault_of(error, was_sent=was_sent, via_proxy=bool(state.proxy))
        if not isinstance(failure, FetchError) or failure.kind != TIMED_OUT.words:
            return failure
        # Ours R7 (our own fault): slow name look-ups in this process are a possible cause
        # of the timeout.
        is_silent = not (state.received or state.answer)
        if is_silent and await is_look_up_slow():
            return LocalFault(error, may_pass=True, was_queued=True)
        # Replace Scrapy's message, which repeats the URL and does not name the setting.
        return replace(failure, detail=state.took)

    async def _read(
        self, response: Response, state: DownloadState
    ) -> FetchResult | Redirect:
        """Return the meaning of *response*. Count *response*, unless it is a redirect or
        has a status that only a proxy sends (407).

        *response* includes the changes that middlewares made. A middleware may also have
        created *response* itself.
        """
        status = response.status
        if state.answer is None:
            # A middleware created *response*, or replaced the meta of the request.
            state.cut = state.cut or _cut_of(response)
        if state.cut == "unspecified" and outcome_of(status).row.reads_body:
            # Ours R7 (our own fault): reject an incomplete file, because the missing part
            # may disallow the whole site.
            return LocalFault(exceptions.StopDownload())
        response.headers.update(state.codings)
        answer = HttpAnswer(
            url=state.url,
            status=status,
            headers=response.headers,
            body=response.body,
            is_truncated=state.cut == "length",
            via_proxy=bool(state.proxy),
            is_conditional=bool(state.conditions),
            final_url=state.url if state.is_redirected else None,
            is_changed=state.answer != (status, response.body),
        )
        result = await read_in_crawl(answer, self._settings.max_bytes, time.time())
        if not isinstance(result, Redirect) and status not in OF_THE_PROXY:
            count(self._crawler, stats.RESPONSES)
            count(self._crawler, stats.RESPONSE_STATUS, status=status)
        return result

    @contextmanager
    def _watch(self, request: Request, state: DownloadState) -> Iterator[None]:
        """Apply *state* to the download of *request* while the block runs."""
        # Put the state into the meta of the request. If a middleware replaces the request,
        # `Request.replace` copies the meta to the new request.
        request.meta[OWN_REQUEST] = state
        self._in_flight += 1
        if self._in_flight == 1:
            # Connect the signal handlers only while a robots.txt is downloaded, because
            # they take 20 microseconds for each page.
            for listener, signal in self._listeners:
                self._crawler.signals.connect(listener, signal)
        try:
            with state.uncounted:
                yield
        finally:
            # Ignore later signals, because a download may go on after the crawl has
            # stopped waiting for it.
            state.is_over = True
            self._in_flight -= 1
            if not self._in_flight:
                for listener, signal in self._listeners:
                    self._crawler.signals.disconnect(listener, signal)

    def _reached(self, request: Request) -> None:
        """Reset the state of the download, because *request* is about to be sent.
        *request* is sent for the first time, or a middleware sends it again.

        A middleware may replace the request, for example to answer a challenge. The meta of
        the new request is a copy that contains the state. The limits apply to one response,
        so each request begins with a reset state.
        """
        if state := _state_of(request):
            state.received, state.answer = 0, None
            state.codings.clear()
            state.cut, state.is_late = "", False
            state.is_sent = True
            # Read the proxy and the User-Agent here, after HttpProxyMiddleware and other
            # middlewares have set them.
            state.proxy = request.meta.get("proxy")
            state.user_agent = request.headers.get("User-Agent")

    def _bytes_received(self, data: bytes, request: Request) -> None:
        """Count *data*, and raise `StopDownload` if a limit is reached."""
        state = _state_of(request)
        if state is None:
            return
        if not state.received:
            # Measure the time from the first byte, because the request may first wait in
            # the queue of a download slot. After the wait in the queue, the download
            # handler limits the time until the first byte.
            state.started = monotonic()
        state.received += len(data)
        if state.received > state.max_bytes:
            # A file that is too long is not a failure, because the complete lines within
            # the limit are obeyed (O24, truncated files).
            state.cut = "length"
            raise exceptions.StopDownload(fail=False)
        if monotonic() - state.started > state.max_seconds:
            # A download that is too slow is a failure, because lines within the size limit
            # are missing (R5, unreachable).
            state.is_late = True
            raise exceptions.StopDownload(fail=True)

    def _downloaded(self, response: Response, request: Request) -> None:
        """Store *response* as the answer before any middleware sees *response*."""
        state = _state_of(request)
        if state is None:
            return
        # Lower the limit of concurrent requests now, so that no page takes the slot that
        # was added for this request.
        state.uncounted.close()
        state.cut = state.cut or _cut_of(response)
        state.answer = response.status, response.body
        for observer in self._observers:
            observer.answered(state, request, response)
        # Remove the headers about codings, so that Scrapy does not decompress the body.
        # Scrapy would discard a truncated body, but `policy.unpacking` unpacks the part
        # that arrived.
        for name in CODING_HEADERS:
            if name in response.headers:
                state.codings[name] = response.headers.pop(name)
