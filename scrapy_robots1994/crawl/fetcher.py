"""GET /robots.txt through Scrapy's own downloader and all downloader middlewares."""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, partial
from operator import itemgetter
from typing import Any

from scrapy.crawler import Crawler
from scrapy.exceptions import IgnoreRequest

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.downloads import DownloadLimits, DownloadState
from scrapy_robots1994.crawl.faults import DownloadTimeout
from scrapy_robots1994.crawl.fetch_limit import FetchLimit
from scrapy_robots1994.crawl.fetch_observer import FetchObserver
from scrapy_robots1994.crawl.requests import (
    FetchCookies,
    RequestContext,
    RobotName,
    robots_request,
)
from scrapy_robots1994.crawl.scrapy_private import widen_pool
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import (
    NotReturned,
    is_look_up_slow,
    read_in_crawl,
    result_within,
)
from scrapy_robots1994.escaping import redact_and_escape
from scrapy_robots1994.origin import Origin, is_http
from scrapy_robots1994.policy.faults import TIMED_OUT
from scrapy_robots1994.policy.fetch_result import (
    FetchError,
    FetchResult,
    LocalFault,
)
from scrapy_robots1994.policy.http_answer import HttpAnswer, Redirect
from scrapy_robots1994.policy.outcomes import OF_THE_PROXY
from scrapy_robots1994.policy.policy import Policy

GRACE_SECONDS = 5.0
"""Seconds past its limit after which a download that has not returned is given up (R7)."""


class RobotsDownload:
    """Fetches the robots.txt of an origin once; every failure is a result."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        file: Callable[[], AbstractContextManager[None]],
        observers: Sequence[FetchObserver],
    ) -> None:
        """Prepare to fetch; each request is sent while a context manager of *file* is open."""
        self._crawler = crawler
        self._settings = settings
        self._observers = observers
        self._robot = RobotName(crawler)
        self._downloads = DownloadLimits(crawler, file, observers)
        pages = crawler.settings.getint("CONCURRENT_REQUESTS")
        self._limit = FetchLimit(settings.max_fetches, pages)
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
        last: Policy | None = None,
        start: str | None = None,
        cookies: FetchCookies | None = None,
    ) -> FetchResult:
        """Request robots.txt in the way the page request is sent; follow redirects (R2).

        The validators of *last*, the last good policy, are sent to their own URL alone.
        *start* is requested in place of the origin's robots.txt. *cookies* are those of
        earlier attempts.
        """
        cookies = cookies or FetchCookies()
        for observer in self._observers:
            observer.sent(origin, last)
        result: FetchResult | Redirect = Redirect(start or origin.robots_url)
        answer: HttpAnswer | None = None
        requested: list[tuple[str, bytes | None]] = []
        async with self._limit.permit():
            while isinstance(result, Redirect):
                hop = result.target, cookies.header(result.target)
                if error := self._redirect_error(hop, requested):
                    result = error
                    break
                requested.append(hop)
                state = self._new_state(origin, context, last, requested)
                sent = await self._send(context, state, hop[1])
                if not isinstance(sent, HttpAnswer):
                    result = sent
                    break
                answer = sent
                cookies.store(answer.headers, answer.url)
                result = await self._read(answer)
        if len(requested) > 1 and isinstance(result, (FetchError, LocalFault)):
            result = replace(result, final_url=requested[-1][0])
        for observer in self._observers:
            observer.ended(origin, result, answer)
        return result

    def _redirect_error(
        self, hop: tuple[str, bytes | None], requested: list[tuple[str, bytes | None]]
    ) -> FetchError | None:
        """Return why *hop*, a URL with its cookies, is not requested after others (R2)."""
        # Ours R2: META switches Scrapy's redirects off, and its checks of them.
        shown = redact_and_escape(hop[0], 120)
        most = self._settings.max_redirects
        if not is_http(hop[0]):
            kind, detail = "redirect", f"redirected to {shown}"
        # With another cookie, the answer may be another one.
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
        requested: list[tuple[str, bytes | None]],
    ) -> DownloadState:
        """Return the state of the next hop: limits are those of one response (O24)."""
        url, _ = requested[-1]
        seconds, setting = min(
            (self._settings.timeout, "ROBOTS1994_TIMEOUT"),
            (self._download_timeout, "DOWNLOAD_TIMEOUT"),
            (context.timeout, "the download_timeout of the page"),
            key=itemgetter(0),
        )
        # To another server, the validators of one could confirm another file.
        validators = None if last is None else last.validators
        is_own = validators is not None and validators.url == url
        return DownloadState(
            origin=origin,
            url=url,
            is_redirected=len(requested) > 1,
            conditions=validators.headers if validators and is_own else {},
            max_bytes=self._settings.max_bytes,
            max_seconds=seconds,
            limit_name=setting,
        )

    async def _send(
        self, context: RequestContext, state: DownloadState, cookie: bytes | None
    ) -> HttpAnswer | FetchResult:
        """Send one request; return its answer, or the failure."""
        self._widen_pool(state.url.partition(":")[0])
        request = robots_request(state.url, context, state.max_seconds, cookie)
        request.headers.update(state.conditions)
        # Not through the scheduler: its duplicate filter and its order are for pages.
        engine: Any = self._crawler.engine
        # Scrapy 2.13 has only `download`, which returns a Deferred.
        download = getattr(engine, "download_async", None) or engine.download
        with self._downloads.watch(request, state):
            try:
                response = await result_within(
                    download(request),
                    state.max_seconds + GRACE_SECONDS,
                    lambda: state.is_queued(self._crawler),
                )
            except NotReturned:
                return LocalFault(DownloadTimeout(state.why_given_up))
            except Exception as error:  # noqa: BLE001 - R7: also one of any middleware
                # As the built-in counts: the component that raised IgnoreRequest has
                # counted the request.
                if not isinstance(error, IgnoreRequest):
                    stats.count(self._crawler, stats.EXCEPTIONS, kind=type(error))
                return await self._failure(error, state)
        self._robot.check_sent(state.user_agent, context.user_agent)
        return state.answer_of(response)

    async def _failure(self, error: Exception, state: DownloadState) -> FetchResult:
        """Classify the failure of a request without a response."""
        if state.is_late:
            error = DownloadTimeout(state.took)
        failure = state.failure_of(error)
        if not isinstance(failure, FetchError) or failure.kind != TIMED_OUT.words:
            return failure
        # Ours R7: it waited in a queue of ours.
        is_silent = not (state.received or state.answer)
        if is_silent and await is_look_up_slow():
            return LocalFault(error, may_pass=True, was_queued=True)
        # The message of Scrapy names the URL again, and no setting.
        return replace(failure, detail=state.took)

    async def _read(self, answer: HttpAnswer) -> FetchResult | Redirect:
        """Return what *answer* says; count it if no redirect leads on."""
        result = await read_in_crawl(answer, self._settings.max_bytes, time.time())
        if not isinstance(result, Redirect) and answer.status not in OF_THE_PROXY:
            stats.count(self._crawler, stats.RESPONSES)
            stats.count(self._crawler, stats.RESPONSE_STATUS, status=answer.status)
        return result
