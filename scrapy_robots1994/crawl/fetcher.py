"""GET /robots.txt through Scrapy's own downloader and all downloader middlewares."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from w3lib.url import safe_url_string

from scrapy_robots1994.crawl import http_headers as headers
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.concurrency import Pools, drop_queued
from scrapy_robots1994.crawl.decompression import Undecodable, is_quick, unpack
from scrapy_robots1994.crawl.download_limits import DownloadLimits, DownloadState
from scrapy_robots1994.crawl.failures import (
    TIMEOUTS,
    UNRESOLVED,
    ConnectionRefused,
    DownloadTimeout,
    NetworkWatch,
    failure_of,
    one_line,
)
from scrapy_robots1994.crawl.fetch_limit import Descriptors, FetchLimit
from scrapy_robots1994.crawl.requests import RobotName, robots_request
from scrapy_robots1994.crawl.threads import run_in_thread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FetchError, LocalFault, RobotsResponse
from scrapy_robots1994.policy.faults import is_shortage
from scrapy_robots1994.policy.fetch_result import PROXY_AUTHENTICATION_REQUIRED

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_robots1994.crawl.concurrency import UncountedRequests
    from scrapy_robots1994.crawl.failures import WatchedFetch
    from scrapy_robots1994.crawl.fetch_limit import Permit
    from scrapy_robots1994.crawl.requests import RequestContext
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.policy import Cancelled, FetchResult, Validators

SUCCESS, NOT_MODIFIED = 2, 304  # the first digit (R1), and the answer to a condition
REDIRECTS = frozenset({301, 302, 303, 307, 308})


class RobotsDownload:
    """Fetches the robots.txt of an origin once; every failure is a result."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        recorder: StatsRecorder,
        now: Callable[[], float],
        uncounted: UncountedRequests,
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._recorder = recorder
        self._now = now
        self._uncounted = uncounted
        self._robot = RobotName(crawler)
        self._network = NetworkWatch()
        self.limits = DownloadLimits(crawler, uncounted, self._network.heard)
        pages = crawler.settings.getint("CONCURRENT_REQUESTS")
        self._limit = FetchLimit(settings.max_fetches, Descriptors(pages))
        self._pools = Pools(crawler, settings.max_fetches)
        # Called with each body that is ignored because of its status (R3 to R5).
        self.on_ignored_body: Callable[[Origin, bytes], None] | None = None
        # This package expires policies: an HTTP cache would return expired ones. But if
        # the user replays a recorded crawl, only the cache has them.
        self._dont_cache = not (
            crawler.settings.getbool("HTTPCACHE_ENABLED")
            and crawler.settings.getbool("HTTPCACHE_IGNORE_MISSING")
        )

    def close(self) -> None:
        """Start no fetch that is still queued, because the crawl closes."""
        self._limit.close()

    async def fetch(
        self,
        origin: Origin,
        context: RequestContext,
        validators: Validators | None = None,
        start: str | None = None,
    ) -> FetchResult:
        """Request robots.txt in the way the page request is sent; follow redirects (R2).

        *validators* are sent to their own URL alone. *start* is requested in place of
        the origin's robots.txt.
        """
        async with self._limit.permit() as permit:
            self._pools.widen(origin.scheme)
            return await self._follow(
                origin, context, validators, start or origin.robots_url, permit
            )

    async def _follow(
        self,
        origin: Origin,
        context: RequestContext,
        validators: Validators | None,
        start: str,
        permit: Permit,
    ) -> FetchResult:
        """Request *start* and follow its redirects."""
        url = start
        seen = {url}
        for _ in range(self._settings.max_redirects + 1):
            is_known = validators is not None and validators.url == url
            conditions = validators if is_known and self._dont_cache else None
            hop = await self._hop(origin, url, context, conditions, permit)
            if not isinstance(hop, tuple):
                return hop
            response, state = hop
            target = _redirect_target(response)
            if target is None:
                return await self._result(
                    origin,
                    response,
                    state,
                    final_url=None if url == start else url,
                    is_conditional=conditions is not None,
                )
            shown = escape_control_chars(redact_credentials(target))
            if Origin.of(target) is None:
                return FetchError("redirect", f"redirected to {shown}", is_final=True)
            if target in seen:
                return FetchError("redirect loop", f"back to {shown}", is_final=True)
            seen.add(target)
            url = target
        detail = f"more than {self._settings.max_redirects} redirects"
        return FetchError("too many redirects", detail, is_final=True)

    async def _hop(
        self,
        origin: Origin,
        url: str,
        context: RequestContext,
        validators: Validators | None,
        permit: Permit,
    ) -> tuple[Response, DownloadState] | FetchError | LocalFault | Cancelled:
        """Send one request; return its response, or the failure."""
        request = robots_request(
            url, context, self._settings.timeout, dont_cache=self._dont_cache
        )
        if validators is not None:
            request.headers.update(headers.conditions(validators))
        state = DownloadState(
            self._settings.max_bytes, self._settings.timeout, permit.mark_sent
        )
        network = self._network.fetch(origin)
        try:
            with self.limits.watch(request, state), network as watched:
                response = await self._download(request)
        except Exception as error:  # noqa: BLE001 - R7: also one of any middleware
            if not isinstance(error, IgnoreRequest):
                self._recorder.count(stats.EXCEPTIONS, kind=type(error))
            return self._failure(error, state, watched)
        self._limit.answered()
        self._robot.check_sent(state.user_agent, context.user_agent)
        if response.status == PROXY_AUTHENTICATION_REQUIRED:
            # Ours R7: the answer of a proxy, not of the origin.
            return LocalFault(
                ConnectionRefused("the proxy refused our credentials (HTTP 407)")
            )
        return response, state

    def _failure(
        self, error: Exception, state: DownloadState, watched: WatchedFetch
    ) -> FetchError | LocalFault | Cancelled:
        """Classify the failure of a request without a response."""
        if state.is_late:
            took = f"took longer than {self._settings.timeout:g} seconds"
            error = DownloadTimeout(took)
        failure = failure_of(error, state)
        if isinstance(failure, LocalFault):
            if is_shortage(error):
                self._limit.shrink()
            return failure
        if not isinstance(error, TIMEOUTS):
            if not isinstance(error, UNRESOLVED):
                self._network.heard()
            return failure
        # Ours R7: it may have waited in a queue of ours, or no server can be reached.
        if not state.has_bytes and self._limit.was_slow_since(watched.since):
            return LocalFault(error)
        if not state.has_bytes and self._network.is_down(watched):
            self._limit.stop_growing()
            return LocalFault(error)
        return failure

    async def _download(self, request: Request) -> Response:
        """Download *request* through all downloader middlewares, not the scheduler."""
        engine = self._crawler.engine
        started: Deferred[Response]
        if hasattr(engine, "download_async"):
            started = deferred_from_coro(engine.download_async(request))
        else:  # pragma: no cover - Scrapy 2.13
            started = engine.download(request)

        def cancel(_: Deferred[Response]) -> None:
            # In this order: the downloader is about to remove the request itself.
            self._uncounted.discard(request)
            started.cancel()
            drop_queued(self._crawler, request)

        response: Deferred[Response] = Deferred(cancel)
        started.addBoth(lambda it: None if response.called else response.callback(it))
        return await maybe_deferred_to_future(response)

    async def _result(
        self,
        origin: Origin,
        response: Response,
        state: DownloadState,
        *,
        final_url: str | None,
        is_conditional: bool,
    ) -> RobotsResponse | FetchError:
        """Return the final response as a result."""
        self._recorder.count(stats.RESPONSES)
        self._recorder.count(stats.RESPONSE_STATUS, status=response.status)
        body, is_truncated = b"", False
        if response.status // 100 == SUCCESS:
            try:
                body, is_truncated = await _body(response, state)
            except Undecodable as error:
                detail = one_line(error)
                return FetchError("undecodable", detail, is_final=error.is_final)
        elif self.on_ignored_body is not None:
            with suppress(Undecodable):
                self.on_ignored_body(origin, (await _body(response, state))[0])
        now = self._now()
        is_plain = urlsplit(response.url).scheme == "http"
        return RobotsResponse(
            status=response.status,
            body=body,
            is_truncated=is_truncated,
            not_modified=is_conditional and response.status == NOT_MODIFIED,
            freshness_lifetime=headers.freshness_lifetime(response, now),
            retry_after=headers.retry_after(response, now),
            etag=headers.text(response, "ETag"),
            last_modified=headers.text(response, "Last-Modified"),
            final_url=final_url,
            via_plain_proxy=is_plain and bool(state.proxy),
        )


async def _body(response: Response, state: DownloadState) -> tuple[bytes, bool]:
    """Return the decoded file, and whether it is truncated.

    Raise `Undecodable` where that is not possible, or where nothing whole is left (R5).
    """
    hidden = headers.hidden_by(response)
    if hidden is not None:
        raise Undecodable(f"Content-Encoding {hidden}", is_final=True)
    limit = state.max_bytes
    unpacking = partial(
        unpack, response.body, state.codings, limit, is_truncated=state.is_truncated
    )
    if is_quick(response.body, state.codings):
        body, is_truncated = unpacking()
    else:
        body, is_truncated = await run_in_thread(unpacking)
    # Ours O24 obeys whole lines; a limit below the first line's end says nothing of
    # what the file forbids, and nothing is not "allowed".
    is_longer = is_truncated or len(body) > limit
    if is_longer and not any(end in body[:limit] for end in (b"\r", b"\n")):
        raise Undecodable(f"no line ends within {limit} bytes", is_final=True)
    return body, is_truncated


def _redirect_target(response: Response) -> str | None:
    """Return the absolute URL a 3xx redirects to, without fragment, or `None`."""
    location = response.headers.get("Location")
    if response.status not in REDIRECTS or not location:
        return None
    try:
        target = urljoin(response.url, safe_url_string(location))
        authority = urlsplit(target).netloc
    except ValueError:
        return "an unreadable address"
    # Credentials never go into a robots.txt URL. They stand before the host alone; an @
    # further on is of the path.
    host = authority.rpartition("@")[2]
    return target.replace(f"//{authority}", f"//{host}", 1).partition("#")[0]
