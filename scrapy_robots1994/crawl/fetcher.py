"""GET /robots.txt through Scrapy's own downloader and all downloader middlewares."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred
from w3lib.url import safe_url_string

from scrapy_robots1994.crawl import http_headers as headers
from scrapy_robots1994.crawl.concurrency import drop_queued
from scrapy_robots1994.crawl.decompression import Undecodable, is_quick, unpack
from scrapy_robots1994.crawl.download_limits import DownloadLimits, DownloadState
from scrapy_robots1994.crawl.exception_classes import (
    CLASSIFIER,
    NETWORK,
    ConnectionRefused,
    DownloadTimeout,
)
from scrapy_robots1994.crawl.threads import run_in_thread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import (
    FetchError,
    LocalFault,
    RobotsResponse,
)
from scrapy_robots1994.policy.outcome import PROXY_AUTHENTICATION_REQUIRED

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_robots1994.crawl.concurrency import UncountedRequests
    from scrapy_robots1994.crawl.request_context import RequestContext
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.policy import Cancelled, FetchResult, Validators

PRIORITY = 1000  # the built-in's

SUCCESS = 2  # the first digit, R1
NOT_MODIFIED = 304
REDIRECTS = frozenset({301, 302, 303, 307, 308})

# What every robots.txt request carries, and why.
META: dict[str, Any] = {
    "dont_obey_robotstxt": True,  # O22, and the end of the regress
    "allow_offsite": True,  # R2: also to another host, never filtered
    "dont_redirect": True,  # R2: we follow, count and check each hop ourselves
    "handle_httpstatus_all": True,  # every status is an answer
    "dont_retry": True,  # §3.1: the resolver retries
    "dont_merge_cookies": True,  # a policy is not a matter of the session
    "download_maxsize": 0,  # O24: ours stops and uses, this would throw away
    "download_warnsize": 0,
    "download_fail_on_dataloss": True,  # R5: half a policy is no policy
    "autothrottle_dont_adjust_delay": True,  # its latency says nothing of pages
}


class RobotsDownload:
    """Fetches the robots.txt of an origin once; every failure is a result."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        tally: StatsRecorder,
        now: Callable[[], float],
        uncounted: UncountedRequests,
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._tally = tally
        self._now = now
        self._uncounted = uncounted
        self.limits = DownloadLimits(crawler, uncounted)
        # Called with each body that states no policy because of its status (R3 to R5).
        self.witness: Callable[[Origin, bytes], None] | None = None
        # Expiry is ours: an HTTP cache would return what expired long ago. But where
        # the user replays a recorded crawl, the cache is all there is.
        self._dont_cache = not (
            crawler.settings.getbool("HTTPCACHE_ENABLED")
            and crawler.settings.getbool("HTTPCACHE_IGNORE_MISSING")
        )

    async def fetch(
        self,
        origin: Origin,
        context: RequestContext,
        validators: Validators | None = None,
        start: str | None = None,
    ) -> FetchResult:
        """Request robots.txt as the page request leaves; follow redirects (R2).

        *validators* are sent to their own URL, and to no other. *start* is requested in
        place of the origin's robots.txt, as if it were that.
        """
        url = start = start or origin.robots_url
        seen = {url}
        for _ in range(self._settings.max_redirects + 1):
            conditions = validators if self._dont_cache else None
            if conditions is not None and conditions.url != url:
                conditions = None
            hop = await self._hop(url, context, conditions)
            if not isinstance(hop, tuple):
                return hop
            response, state = hop
            target = _redirect_target(response)
            if target is None:
                final_url = None if url == start else url
                not_modified = (
                    conditions is not None and response.status == NOT_MODIFIED
                )
                if self.witness is not None and response.status // 100 != SUCCESS:
                    with suppress(Undecodable):
                        self.witness(origin, (await _body(response, state))[0])
                return await self._result(response, state, final_url, not_modified)
            shown = escape_control_chars(redact_credentials(target))
            if Origin.of(target) is None:
                return FetchError("redirect", f"redirected to {shown}", is_final=True)
            if target in seen:
                return FetchError("redirect loop", f"back to {shown}", is_final=True)
            seen.add(target)
            url = target
        limit = self._settings.max_redirects
        detail = f"more than {limit} redirects"
        return FetchError("too many redirects", detail, is_final=True)

    async def _hop(
        self, url: str, context: RequestContext, validators: Validators | None
    ) -> tuple[Response, DownloadState] | FetchError | LocalFault | Cancelled:
        """Send one request; return its response, or why there is none."""
        request = self._request(url, context)
        if validators is not None:
            request.headers.update(headers.conditions(validators))
        state = DownloadState(self._settings.max_bytes, self._settings.timeout)
        try:
            with self.limits.watch(request, state):
                response = await self._download(request)
        except Exception as error:  # noqa: BLE001 - R7: also one of any middleware
            if not isinstance(error, IgnoreRequest):
                self._tally.exception(type(error))
            return self._failure(error, state)
        if response.status == PROXY_AUTHENTICATION_REQUIRED:
            # Ours R7: a proxy's word, not the origin's.
            return LocalFault(
                ConnectionRefused("the proxy refused our credentials (HTTP 407)")
            )
        return response, state

    def _failure(
        self, error: Exception, state: DownloadState
    ) -> FetchError | LocalFault | Cancelled:
        """Return whose fault it is that a request has no response."""
        if state.is_late:
            took = f"took longer than {self._settings.timeout:g} seconds"
            error = DownloadTimeout(took)
        # A request that a middleware replaced is not seen to be sent.
        was_sent = (
            not state.is_answered if state.is_sent else isinstance(error, NETWORK)
        )
        return CLASSIFIER.classify(
            error, _one_line(error), was_sent=was_sent, via_proxy=bool(state.proxy)
        )

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

    def _request(self, url: str, context: RequestContext) -> Request:
        """Return the robots.txt request: no cookies, Referer or credentials."""
        context = context.for_url(url)
        meta = {
            **context.meta,
            **META,
            "dont_cache": self._dont_cache,
            "download_timeout": self._settings.timeout,
        }
        # The file is requested by the name it is matched with.
        sent = {
            "User-Agent": context.user_agent,
            "Proxy-Authorization": context.proxy_authorization,
        }
        return Request(
            url,
            headers={name: value for name, value in sent.items() if value is not None},
            meta=meta,
            priority=PRIORITY,
            dont_filter=True,
            callback=NO_CALLBACK,
        )

    async def _result(
        self,
        response: Response,
        state: DownloadState,
        final_url: str | None,
        not_modified: bool,  # noqa: FBT001 - one of four facts of an answer
    ) -> RobotsResponse | FetchError:
        """Return the final response as a result."""
        self._tally.status(response.status)
        body, is_truncated = b"", False
        if response.status // 100 == SUCCESS:
            try:
                body, is_truncated = await _body(response, state)
            except Undecodable as error:
                detail = _one_line(error)
                return FetchError("undecodable", detail, is_final=error.is_final)
        now = self._now()
        is_plain = urlsplit(response.url).scheme == "http"
        return RobotsResponse(
            status=response.status,
            body=body,
            is_truncated=is_truncated,
            not_modified=not_modified,
            freshness_lifetime=headers.freshness_lifetime(response, now),
            retry_after=headers.retry_after(response, now),
            etag=headers.text(response, "ETag"),
            last_modified=headers.text(response, "Last-Modified"),
            final_url=final_url,
            via_plain_proxy=is_plain and bool(state.proxy),
        )


async def _body(response: Response, state: DownloadState) -> tuple[bytes, bool]:
    """Return the file without its content coding, and whether it is truncated.

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
    """Where a 3xx sends us, absolute and without fragment; `None` if nowhere."""
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


def _one_line(error: BaseException) -> str:
    """What *error* says, on one printable line that names no password.

    Twisted hides it in a list, of failures or exceptions; Scrapy wraps that once more.
    """
    cause = error.__cause__
    found = getattr(error, "reasons", None) or getattr(cause, "reasons", None)
    said = "; ".join(_said(getattr(each, "value", each)) for each in found or [error])
    return escape_control_chars(redact_credentials(" ".join(said.split())), 200)


def _said(error: BaseException) -> str:
    """The message of *error*, or its class where it says nothing."""
    return str(error) or type(error).__name__
