"""GET /robots.txt through Scrapy's own downloader and all downloader middlewares."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import cache, partial
from http import HTTPStatus
from operator import itemgetter
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response

from scrapy_robots1994.crawl import robots_response as headers
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.downloads import DownloadLimits, DownloadState
from scrapy_robots1994.crawl.faults import (
    TIMEOUTS,
    ConnectionRefused,
    DownloadTimeout,
    one_line,
)
from scrapy_robots1994.crawl.fetch_limit import FetchLimit
from scrapy_robots1994.crawl.requests import (
    FetchCookies,
    RequestContext,
    robots_request,
)
from scrapy_robots1994.crawl.robot_name import RobotName
from scrapy_robots1994.crawl.scrapy_private import widen_pool
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import (
    NotReturned,
    is_look_up_slow,
    result_within,
)
from scrapy_robots1994.crawl.unpacking import Undecodable, read_body
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.policy.fetch_result import (
    FetchError,
    FetchResult,
    LocalFault,
    Validators,
)

GRACE_SECONDS = 5.0
"""Seconds past its limit after which a download that has not returned is given up (R7)."""

SUCCESS, NOT_MODIFIED = 2, 304  # the first digit (R1), and the answer to a condition


class RobotsDownload:
    """Fetches the robots.txt of an origin once; every failure is a result."""

    on_ignored_body: Callable[[Origin, bytes], None] | None = None
    """Called with each body that is ignored because of its status (R3 to R5)."""
    on_answer: Callable[[str, Response], None] | None = None
    """Called with the URL of each request that was answered, and the answer as it came."""
    on_download: Callable[[Origin, Request, DownloadState], None] | None = None
    """Called with the origin whose robots.txt is fetched for each response to a request,
    before any middleware sees it."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        file: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """Prepare to fetch; each request is sent while a context manager of *file* is open."""
        self._crawler = crawler
        self._settings = settings
        self._robot = RobotName(crawler)
        self._downloads = DownloadLimits(crawler, file)
        pages = crawler.settings.getint("CONCURRENT_REQUESTS")
        self._limit = FetchLimit(crawler, settings.max_fetches, pages)
        # Once for each scheme, at its first request, from which on its handler exists.
        # Most redirects lead from one scheme to the other.
        self._widen_pool = cache(partial(widen_pool, crawler, settings.max_fetches))
        # The spider's attribute takes the place of the setting, as for pages. 0 is none.
        timeout = getattr(crawler.spider, "download_timeout", None)
        timeout = timeout or crawler.settings.getfloat("DOWNLOAD_TIMEOUT")
        self._download_timeout = float(timeout) or math.inf

    async def fetch(
        self,
        origin: Origin,
        context: RequestContext,
        validators: Validators | None = None,
        start: str | None = None,
        cookies: FetchCookies | None = None,
    ) -> FetchResult:
        """Request robots.txt in the way the page request is sent; follow redirects (R2).

        *validators* are sent to their own URL alone. *start* is requested in place of
        the origin's robots.txt. *cookies* are those of earlier attempts.
        """
        cookies = cookies or FetchCookies()
        # A list, for the last one is requested and all of them show a loop.
        urls = [start or origin.robots_url]
        requested: set[tuple[str, bytes | None]] = set()
        limit, (seconds, _) = self._settings.max_bytes, self._timeout(context)
        async with self._limit.permit():
            while True:
                # One for each hop: limits are those of one response (O24).
                state = DownloadState(origin, limit, seconds)
                state.final_url = urls[-1] if len(urls) > 1 else None
                state.keeps_raw = bool(self.on_answer or self.on_download)
                state.on_download = self.on_download
                # To another server, the validators of one could confirm another file.
                if validators and validators.url == urls[-1]:
                    state.conditions = validators.headers
                cookie = cookies.header(urls[-1])
                # Ours R2: with another cookie, the answer may be another one.
                if (urls[-1], cookie) in requested:
                    shown = redact_and_escape(urls[-1], 120)
                    return FetchError(
                        "redirect loop", f"back to {shown}", is_final=True
                    )
                requested.add((urls[-1], cookie))
                response = await self._send(urls[-1], context, state, cookie)
                if not isinstance(response, Response):
                    return response
                cookies.store(response, urls[-1])
                target = headers.redirect_target(response)
                if target is None:
                    return await self._result(origin, response, state)
                # Ours R2: META switches Scrapy's redirects off, and its checks of them.
                if error := self._redirect_error(target, urls):
                    return error
                urls.append(target)

    def _redirect_error(self, target: str, urls: list[str]) -> FetchError | None:
        """Return why a redirect to *target* is not followed, after all *urls* (R2)."""
        shown = redact_and_escape(target, 120)
        most = self._settings.max_redirects
        if not is_http(target):
            kind, detail = "redirect", f"redirected to {shown}"
        elif len(urls) > most:
            kind, detail = "too many redirects", f"more than {most} redirects"
        else:
            return None
        return FetchError(kind, detail, is_final=True)

    async def _send(
        self,
        url: str,
        context: RequestContext,
        state: DownloadState,
        cookie: bytes | None,
    ) -> Response | FetchResult:
        """Send one request; return its response, or the failure."""
        self._widen_pool(url.partition(":")[0])
        seconds, setting = self._timeout(context)
        request = robots_request(url, context, seconds, cookie)
        request.headers.update(state.conditions)
        # Not through the scheduler: its duplicate filter and its order are for pages.
        engine: Any = self._crawler.engine
        # Scrapy 2.13 has only `download`, which returns a Deferred.
        download = getattr(engine, "download_async", None) or engine.download
        with self._downloads.watch(request, state):
            try:
                response: Response = await result_within(
                    download(request),
                    seconds + GRACE_SECONDS,
                    lambda: state.is_queued(self._crawler),
                )
            except NotReturned:
                what = state.awaited
                text = f"{what} did not return within {seconds:g} s ({setting}) and 5 s"
                return LocalFault(DownloadTimeout(text), is_final=True)
            except Exception as error:  # noqa: BLE001 - R7: also one of any middleware
                # As the built-in counts: the component that raised IgnoreRequest has
                # counted the request.
                if not isinstance(error, IgnoreRequest):
                    stats.count(self._crawler, stats.EXCEPTIONS, kind=type(error))
                took = f"took longer than {seconds:g} seconds, {setting}"
                return await self._failure(error, state, took)
        self._robot.check_sent(state.user_agent, context.user_agent)
        if (raw := state.raw) is not None:
            final = response.status, response.body
            state.is_changed = (raw.status, raw.body) != final
            is_answer = not (state.is_stopped or state.is_of_proxy)
            if self.on_answer is not None and is_answer:
                self.on_answer(url, raw)
        if response.status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            # Ours R7: the answer of a proxy, not of the origin.
            refused = "the proxy refused our credentials (HTTP 407)"
            return LocalFault(ConnectionRefused(refused))
        return response

    def _timeout(self, context: RequestContext) -> tuple[float, str]:
        """Return the seconds that a request may take, and the name of that limit."""
        return min(
            (self._settings.timeout, "ROBOTS1994_TIMEOUT"),
            (self._download_timeout, "DOWNLOAD_TIMEOUT"),
            (context.timeout, "the download_timeout of the page"),
            key=itemgetter(0),
        )

    async def _failure(
        self, error: Exception, state: DownloadState, took: str
    ) -> FetchResult:
        """Classify the failure of a request without a response.

        *took* is what to say of one whose time is over.
        """
        if state.is_late:
            error = DownloadTimeout(took)
        failure = state.failure_of(error)
        if isinstance(failure, LocalFault):
            return failure
        # Ours R7: it waited in a queue of ours.
        is_silent = not (state.received or state.is_answered)
        if isinstance(error, TIMEOUTS) and is_silent and await is_look_up_slow():
            return LocalFault(error)
        # The message of Scrapy names the URL again, and no setting.
        is_timeout = isinstance(error, DownloadTimeout)
        return replace(failure, detail=took) if is_timeout else failure

    async def _result(
        self, origin: Origin, response: Response, state: DownloadState
    ) -> FetchResult:
        """Return the final response as a result."""
        stats.count(self._crawler, stats.RESPONSES)
        stats.count(self._crawler, stats.RESPONSE_STATUS, status=response.status)
        body, is_truncated = b"", False
        if response.status // 100 == SUCCESS:
            if state.is_stopped:
                # Ours R7: the rest of the file may close the site.
                return LocalFault(StopDownload())
            try:
                body, is_truncated = await self._unpacked(response, state)
            except Undecodable as error:
                detail = one_line(error)
                return FetchError("undecodable", detail, is_final=error.is_final)
        elif self.on_ignored_body is not None:
            # Nothing is decided by it, so what cannot be read is left out.
            with suppress(Undecodable):
                self.on_ignored_body(origin, (await self._unpacked(response, state))[0])
        answer = headers.answer_of(
            response, body, is_truncated=is_truncated, final_url=state.final_url
        )
        return replace(
            answer,
            not_modified=bool(state.conditions) and response.status == NOT_MODIFIED,
            via_proxy=bool(state.proxy),
        )

    async def _unpacked(
        self, response: Response, state: DownloadState
    ) -> tuple[bytes, bool]:
        """Return the unpacked body, and whether it is truncated (see `read_body`)."""
        return await read_body(
            response.body,
            state.codings,
            self._settings.max_bytes,
            is_truncated=state.is_truncated,
        )
