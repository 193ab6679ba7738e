"""GET /robots.txt through Scrapy's own downloader, on its own terms.

Every difference between Scrapy versions that we meet stands in this file.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, exceptions
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import CancelledError
from w3lib.url import safe_url_string

from scrapy_robots1994.crawl import http_headers as headers
from scrapy_robots1994.crawl.decompression import Undecodable, unpack
from scrapy_robots1994.crawl.download_limits import DownloadLimits, DownloadState
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import Cancelled, FetchError, RobotsResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from scrapy_robots1994.crawl.concurrency import ConcurrencyCredits
    from scrapy_robots1994.crawl.request_context import RequestContext
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.policy import Answer, Validators

PRIORITY = 1000  # the built-in's

# Ours R6. Since 2.15 Scrapy wraps what Twisted raises.
CANCELLATIONS: tuple[type[Exception], ...] = (
    CancelledError,
    getattr(exceptions, "DownloadCancelledError", CancelledError),
)

SUCCESS = 2  # the first digit, R1
NOT_MODIFIED = 304
PROXY_REFUSED = 407
REDIRECTS = frozenset({301, 302, 303, 307, 308})

# What every robots.txt request carries, and why.
META: dict[str, Any] = {
    "dont_obey_robotstxt": True,  # O22, and the end of the regress
    "allow_offsite": True,  # R2: also to another host, never filtered
    "dont_redirect": True,  # R2: we follow, count and check each hop ourselves
    "handle_httpstatus_all": True,  # every status is an answer
    "dont_retry": True,  # R5 says when an origin is asked again
    "dont_merge_cookies": True,  # a policy is not a matter of the session
    "download_maxsize": 0,  # O24: the brake stops and keeps, this would throw away
    "download_warnsize": 0,
    "download_fail_on_dataloss": True,  # R5: half a policy is no policy
    "autothrottle_dont_adjust_delay": True,  # its latency says nothing of pages
}


class RobotsDownload:
    """Fetches the robots.txt of an origin once; every failure is an `FetchError`."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        tally: StatsRecorder,
        now: Callable[[], float],
        room: ConcurrencyCredits,
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._tally = tally
        self._now = now
        self.brake = DownloadLimits(crawler, room)
        # Told of each body that states no policy because of its status (R3 to R5).
        self.witness: Callable[[Origin, bytes], None] | None = None
        # Expiry is ours: an HTTP cache would hand out what ran out long ago. But where
        # the user replays a recorded crawl, the cache is all there is.
        self._dont_cache = not (
            crawler.settings.getbool("HTTPCACHE_ENABLED")
            and crawler.settings.getbool("HTTPCACHE_IGNORE_MISSING")
        )

    async def fetch(
        self,
        origin: Origin,
        way: RequestContext,
        validators: Validators | None = None,
        start: str | None = None,
    ) -> Answer:
        """Ask *origin*, the way of the page request; redirects are followed (R2).

        *validators* are sent to the URL they speak of, and to no other. *start* is
        asked in place of the origin's robots.txt, as if it were that.
        """
        url = start = start or origin.robots_url
        seen = {url}
        for _ in range(self._settings.max_redirects + 1):
            asked = validators if self._dont_cache else None
            if asked is not None and asked.url != url:
                asked = None
            hop = await self._hop(url, way, asked)
            if not isinstance(hop, tuple):
                return hop
            response, progress = hop
            target = _redirect_target(response)
            if target is None:
                final_url = None if url == start else url
                not_modified = asked is not None and response.status == NOT_MODIFIED
                if self.witness is not None and response.status // 100 != SUCCESS:
                    with suppress(Undecodable):
                        self.witness(origin, _body(response, progress)[0])
                return self._answered(response, progress, final_url, not_modified)
            shown = escape_control_chars(redact_credentials(target))
            if Origin.of(target) is None:
                return FetchError("redirect", f"redirected to {shown}")
            if target in seen:
                return FetchError("redirect loop", f"back to {shown}")
            seen.add(target)
            url = target
        limit = self._settings.max_redirects
        return FetchError("too many redirects", f"more than {limit} redirects")

    async def _hop(
        self, url: str, way: RequestContext, validators: Validators | None
    ) -> tuple[Response, DownloadState] | FetchError | Cancelled:
        """One request and its response, or why there is none."""
        request = self._request(url, way)
        if validators is not None:
            request.headers.update(headers.conditions(validators))
        progress = DownloadState(self._settings.max_bytes, self._settings.timeout)
        try:
            with self.brake.watch(request, progress):
                response = await _download(self._crawler, request)
        except CANCELLATIONS as error:
            # Ours R6: not the server's doing, so nothing is known of the server.
            self._tally.exception(type(error))
            return Cancelled(_one_line(error) or "the request was cancelled")
        except Exception as error:  # noqa: BLE001 - R5: an exception in any middleware
            if not isinstance(error, exceptions.IgnoreRequest):
                self._tally.exception(type(error))
            if progress.is_late:
                detail = f"took longer than {self._settings.timeout:g} seconds"
                return FetchError("timeout", detail)
            return FetchError(type(error).__name__, _one_line(error))
        if response.status == PROXY_REFUSED and request.meta.get("proxy"):
            # Ours R5: a proxy's word, not the origin's.
            return FetchError("proxy", "the proxy refused our credentials (HTTP 407)")
        return response, progress

    def _request(self, url: str, way: RequestContext) -> Request:
        """The robots.txt request of *way*: no cookies, Referer or credentials."""
        way = way.leads_to(url)
        meta = {
            **way.meta,
            **META,
            "dont_cache": self._dont_cache,
            "download_timeout": self._settings.timeout,
        }
        # The policy is asked for by the name it is matched with.
        sent = {
            "User-Agent": way.user_agent,
            "Proxy-Authorization": way.proxy_authorization,
        }
        return Request(
            url,
            headers={name: value for name, value in sent.items() if value is not None},
            meta=meta,
            priority=PRIORITY,
            dont_filter=True,
            callback=NO_CALLBACK,
        )

    def _answered(
        self,
        response: Response,
        progress: DownloadState,
        final_url: str | None,
        not_modified: bool,  # noqa: FBT001 - one of four facts of an answer
    ) -> Answer:
        """The final response as an answer."""
        self._tally.status(response.status)
        body, is_cut = b"", False
        if response.status // 100 == SUCCESS:
            try:
                body, is_cut = _body(response, progress)
            except Undecodable as error:
                return FetchError("undecodable", _one_line(error))
        now = self._now()
        return RobotsResponse(
            status=response.status,
            body=body,
            is_cut=is_cut,
            not_modified=not_modified,
            lifetime=headers.lifetime(response, now),
            retry_after=headers.retry_after(response, now),
            etag=headers.text(response, "ETag"),
            last_modified=headers.text(response, "Last-Modified"),
            final_url=final_url,
        )


def _body(response: Response, progress: DownloadState) -> tuple[bytes, bool]:
    """The file as it was before its content coding, and whether it is cut.

    Raises `Undecodable` where that cannot be had, or where nothing whole is left (R5).
    """
    hidden = headers.hidden_by(response)
    if hidden is not None:
        raise Undecodable(f"Content-Encoding {hidden}")
    limit = progress.max_bytes
    body, is_cut = unpack(
        response.body, progress.codings, limit, is_cut=progress.is_cut
    )
    # Ours O24 obeys whole lines; a limit below the first line's end says nothing of
    # what the file forbids, and nothing is not "allowed".
    is_longer = is_cut or len(body) > limit
    if is_longer and not any(end in body[:limit] for end in (b"\r", b"\n")):
        raise Undecodable(f"no line ends within {limit} bytes")
    return body, is_cut


async def _download(crawler: Crawler, request: Request) -> Response:
    """Download *request* through all downloader middlewares, outside the scheduler."""
    engine = crawler.engine
    if not hasattr(engine, "download_async"):  # pragma: no cover - Scrapy 2.13
        return await maybe_deferred_to_future(engine.download(request))
    return await engine.download_async(request)


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
