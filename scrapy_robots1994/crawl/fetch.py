"""Download a robots.txt through Scrapy's downloader and all downloader middlewares.

Redirects (Ours R2) and retries (Ours 3.1) are handled here, not by Scrapy.
"""

import math
import random
import re
import time
import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from errno import EADDRINUSE, EADDRNOTAVAIL, EMFILE, ENFILE, ENOBUFS, ENOMEM
from functools import partial
from itertools import chain
from typing import Any

from scrapy import Request, exceptions, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.settings import BaseSettings
from scrapy.utils.defer import deferred_f_from_coro_f, maybe_deferred_to_future
from scrapy.utils.misc import load_object
from twisted.internet.defer import CancelledError, DeferredSemaphore
from twisted.internet.error import TimeoutError as TwistedTimeoutError

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.log import count
from scrapy_robots1994.crawl.requests import (
    MAX_BODY_BYTES,
    SLOT_KEY,
    RobotName,
    is_requestable,
    redirect_of,
    robots_request,
)
from scrapy_robots1994.crawl.scrapy_private import is_queued
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.threads import NotReturned, result_of, result_within, sleep
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.escaping import one_line, redact_and_escape
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.answer import (
    Answer,
    date_of,
    freshness_lifetime,
    retry_after,
)
from scrapy_robots1994.policy.outcomes import OF_THE_PROXY, Outcome, outcome_of

try:
    import resource
except ImportError:  # pragma: no cover - Windows
    resource = None  # type: ignore[assignment]  # Windows has no `resource`

MAX_REDIRECTS = 5
"""RFC 9309 2.3.1.2: crawlers should follow at least five redirects."""

PAUSES = (1.0, 4.0, 15.0)
"""Seconds before each retry."""

JITTER = 0.25
"""Up to this fraction of each pause is added at random, so that retries spread out."""

MAX_RETRY_AFTER = 30.0
"""A Retry-After of more than this many seconds ends the retries."""

GRACE_SECONDS = 5.0
"""A request is abandoned this many seconds after its timeout (Ours R7)."""

MAX_FETCHES = 800
"""The maximum number of parallel fetches with Scrapy's Twisted-based download handlers."""

# Before 2.15, Scrapy raises Twisted's exceptions.
DownloadTimeout: type[Exception] = getattr(
    exceptions, "DownloadTimeoutError", TwistedTimeoutError
)
DownloadCancelled: type[Exception] = getattr(
    exceptions, "DownloadCancelledError", CancelledError
)

_INCOMPLETE = {
    "dataloss": "the file was cut off",
    "download_stopped": "a component stopped the download",
    "partial": "the server did not state the length, so the file may be cut off",
}
"""Flags of responses whose body may be incomplete, and what they mean."""

_PACKED = re.compile(rb"\b(gzip|deflate|br|zstd|compress)\b")

_OUT_OF_RESOURCES = frozenset(
    {EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRINUSE, EADDRNOTAVAIL}
)

_HOOKS = frozenset({"process_request", "process_response", "process_exception"})


class RobotsFetcher:
    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        fetching: Callable[[], AbstractContextManager[object]],
        robot: RobotName,
    ) -> None:
        """*fetching* returns a context manager that wraps one robots.txt request."""
        self._crawler = crawler
        self._max_bytes = settings.max_bytes
        self._keys = settings.propagate_meta
        self._fetching = fetching
        self._sent: dict[Request, ExitStack] = {}
        self._robot = robot
        options = crawler.settings
        self._permits = DeferredSemaphore(parallel_fetches(options))
        self._is_offline = all(
            map(options.getbool, ("HTTPCACHE_ENABLED", "HTTPCACHE_IGNORE_MISSING"))
        )
        # Ours 3.1: RETRY_ENABLED = False also disables our retries.
        is_retried = options.getbool("RETRY_ENABLED") and not self._is_offline
        # In a dry run, retry and count nothing, because Scrapy already does both for its own
        # requests for robots.txt.
        is_retried &= not settings.dry_run
        self._count = count if not settings.dry_run else lambda *_, **__: None
        retries = options.getint("RETRY_TIMES") if is_retried else 0
        self._pauses = PAUSES[: max(retries, 0)]
        self._network_failures = network_failures(options)
        # If the spider's `download_timeout` is 0, DOWNLOAD_TIMEOUT applies. If that is 0 too, only
        # ROBOTS1994_TIMEOUT applies.
        timeout = getattr(crawler.spider, "download_timeout", None)
        timeout = float(timeout or options.getfloat("DOWNLOAD_TIMEOUT"))
        self._timeout = min(settings.timeout, timeout or math.inf)

    async def fetch(
        self,
        origin: Origin,
        page: Request,
        retrying: Callable[..., None],
        start: str | None = None,
        *,
        is_past_cache: bool = False,
    ) -> Answer:
        """Download the robots.txt of *origin* for *page*, from the URL *start* if given.

        *retrying* is called before each retry (see `PolicyLog.retrying`). Local failures (Ours R7)
        and `FetchAborted` are raised. All other failures are part of the answer.
        """
        url = start or origin.robots_url
        follow = deferred_f_from_coro_f(self._follow)
        pauses, attempts = iter(self._pauses), 1
        # Ours 3.2: an offline crawl sends no requests, so it always uses the cache.
        is_past_cache = is_past_cache and not self._is_offline
        while True:
            pause = next(pauses, None)
            # `run` releases the permit even if the fetch is cancelled.
            permitted = self._permits.run(
                follow, url, page, is_past_cache=is_past_cache
            )
            try:
                answer: Answer = await maybe_deferred_to_future(permitted)
            except Exception as error:
                if pause is None or not is_out_of_resources(error):
                    raise
                words = one_line(error)
            else:
                pause = _pause_after(answer, pause)
                if pause is None:
                    return answer
                words = answer.words
            attempts += 1
            pause *= 1 + JITTER * random.random()  # noqa: S311 - jitter need not be secure
            retrying(origin, words, attempts, len(self._pauses) + 1, pause)
            await sleep(pause)
            # Ours 3.2: HttpCacheMiddleware may have cached the failure.
            is_past_cache = True

    async def _follow(self, url: str, page: Request, *, is_past_cache: bool) -> Answer:
        """Request *url*, and follow redirects (Ours R2)."""
        urls: list[str] = []
        slot: str | None = None
        seconds, of_page = self._timeout, page.meta.get("download_timeout")
        if isinstance(of_page, (int, float)) and of_page > 0:
            seconds = min(seconds, of_page)
        try:
            while True:
                urls.append(url)
                request = robots_request(
                    url, page, self._keys, slot, is_past_cache=is_past_cache
                )
                request.meta["download_timeout"] = seconds
                try:
                    response = await self._send(request, seconds)
                except FetchAborted:
                    raise
                except NotReturned as error:
                    raise DownloadTimeout(
                        f"no downloader middleware or handler answered {url} within its "
                        f"time limit of {seconds:g} s plus {GRACE_SECONDS:g} s"
                    ) from error
                except Exception as error:  # noqa: BLE001 - a component may raise any error
                    return self._failed(error, urls, request)
                sent = response.request or request
                self._robot.check_sent(sent.headers.get("User-Agent"), page)
                target = redirect_of(response, url)
                fault = None if target is None else _redirect_fault(target, urls)
                if target is None or fault:
                    return self._answer(response, urls, sent, fault)
                url, slot = target, request.meta.get(SLOT_KEY)
        finally:
            # As in the built-in middleware, an attempt counts even if there is no answer.
            self._count(self._crawler, stats.REQUESTS)

    async def _send(self, request: Request, seconds: float) -> Response:
        # Bypass the scheduler, so that the request is neither filtered nor queued there.
        engine: Any = self._crawler.engine
        # Scrapy 2.13 has only `download`, which returns a Deferred.
        download = getattr(engine, "download_async", None) or engine.download

        async def sent() -> Response:
            # Raise the limit of concurrent requests only now, or a page would take the extra slot.
            uncounted.enter_context(self._fetching())
            response: Response = await result_of(download(request))
            return response

        manager, left = self._crawler.signals, signals.request_left_downloader
        with ExitStack() as uncounted:
            # Connected only during fetches, because the signal is also sent for every page.
            if not self._sent:
                manager.connect(self._left, left)
            self._sent[request] = uncounted
            try:
                return await result_within(
                    sent(),
                    seconds + GRACE_SECONDS,
                    lambda: is_queued(self._crawler, request),
                )
            finally:
                del self._sent[request]
                if not self._sent:
                    manager.disconnect(self._left, left)

    def _left(self, request: Request) -> None:
        # Lower the limit again before the engine fills the extra slot with a page.
        if uncounted := self._sent.get(request):
            uncounted.close()

    def _failed(self, error: Exception, urls: list[str], request: Request) -> Answer:
        """Turn *error* into an answer, or raise it if the failure is local (Ours R7)."""
        failed = partial(Answer, urls=tuple(urls), fetched_at=time.time(), error=error)
        if isinstance(error, IgnoreRequest):
            middleware = middleware_of(error)
            if self._is_offline and isinstance(middleware, HttpCacheMiddleware):
                # Ours 3.2: the crawl is offline, and its cache does not contain the file.
                return failed(source="cache", error=None)
            is_large = isinstance(middleware, HttpCompressionMiddleware)
        else:
            # Like the built-in middleware, count every exception except `IgnoreRequest`.
            self._count(self._crawler, stats.EXCEPTIONS, kind=type(error))
            is_large = isinstance(error, DownloadCancelled)
        if is_large:
            return failed(failure=f"more than {MAX_BODY_BYTES} bytes")
        is_of_origin = isinstance(error, self._network_failures)
        if not is_of_origin or request.meta.get("proxy") or is_out_of_resources(error):
            raise error
        return failed(failure=f"{type(error).__name__}: {one_line(error)}")

    def _answer(
        self, response: Response, urls: list[str], sent: Request, fault: str | None
    ) -> Answer:
        """Turn *response* into an answer. If it is a redirect that was not followed, *fault* says
        why. Raise `ConnectionRefusedError` for a 407.
        """
        now, headers, status = time.time(), response.headers, response.status
        if status in OF_THE_PROXY:
            raise ConnectionRefusedError(
                f"the proxy refused our credentials (HTTP {status})"
            )
        self._count(self._crawler, stats.RESPONSES)
        self._count(self._crawler, stats.RESPONSE_STATUS, status=status)
        via_proxy = bool(sent.meta.get("proxy"))
        is_cached = "cached" in response.flags
        date = date_of(headers) if is_cached else None
        row = outcome_of(status, via_proxy=via_proxy).row
        body, is_truncated = b"", False
        if row.reads_body:
            # Ours O24: the reader drops the incomplete last line.
            body = response.body[: self._max_bytes]
            is_truncated = len(response.body) > len(body)
            fault = _body_fault(response, body, is_truncated=is_truncated)
        return Answer(
            urls=tuple(urls),
            status=status,
            body=b"" if fault else body,
            is_truncated=is_truncated,
            fetched_at=now if date is None else min(date, now),
            # Ours 3.2: an offline crawl accepts answers of any age.
            fresh_from=now if self._is_offline else None,
            lifetime=freshness_lifetime(headers, now),
            retry_after=None if row.is_answer else retry_after(headers, now),
            via_proxy=via_proxy,
            failure=fault,
            source="cache" if is_cached else "fetched",
        )


def network_failures(settings: BaseSettings) -> tuple[type[BaseException], ...]:
    listed = settings.getlist("RETRY_EXCEPTIONS")
    return tuple(load_object(it) if isinstance(it, str) else it for it in listed)


def parallel_fetches(settings: BaseSettings) -> int:
    """Return how many fetches may run at once while leaving connections for pages."""
    pages = settings.getint("CONCURRENT_REQUESTS")
    handler = settings.getwithbase("DOWNLOAD_HANDLERS").get("http")
    has_reactor = settings.getbool("TWISTED_REACTOR_ENABLED", default=True)
    if pages and not (has_reactor and ".handlers.http" in str(handler)):
        # Scrapy's aiohttp and httpx handlers have a pool of CONCURRENT_REQUESTS connections. Assume
        # the same of download handlers from other packages.
        return max(pages // 2, 1)
    if resource is not None:  # pragma: no branch - Windows
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft != resource.RLIM_INFINITY:
            return max(min(MAX_FETCHES, soft // 2), 1)
    return MAX_FETCHES


def _body_fault(response: Response, body: bytes, *, is_truncated: bool) -> str | None:
    """Return why the *body* of *response* is unusable, or None (Ours R5)."""
    if flags := _INCOMPLETE.keys() & response.flags:
        return _INCOMPLETE[min(flags)]
    # Transfer-Encoding matters too, because aiohttp decodes no transfer coding except `chunked`.
    names = "Content-Encoding", "Transfer-Encoding"
    lines = chain.from_iterable(map(response.headers.getlist, names))
    # Search only the beginning, because a header may be megabytes long.
    if packed := _PACKED.search(b",".join(lines)[:200].lower()):
        return f"still compressed with {packed[0].decode()}"
    if is_truncated and b"\n" not in body and b"\r" not in body:
        return "no line ends within ROBOTS1994_MAX_BYTES; raise it"
    return None


def _redirect_fault(target: str, urls: list[str]) -> str:
    """Return why the redirect to *target* is not followed, or "" to follow it.

    *urls* are the URLs requested so far.
    """
    if len(urls) > MAX_REDIRECTS:
        kind = "a redirect loop, " * (target in urls)
        return f"{kind}more than {MAX_REDIRECTS} redirects"
    if not is_requestable(target):
        return (
            f"redirect to {redact_and_escape(target, 120) or 'an unreadable address'}"
        )
    return ""


def _pause_after(answer: Answer, pause: float | None) -> float | None:
    """Return the seconds until the next attempt, or None if *answer* is final.

    *pause* applies if the server sends no Retry-After. None means that no attempts are left.
    """
    # Ours R2: an unusable redirect is not retried.
    is_redirect = (answer.status or 0) // 100 == 3  # noqa: PLR2004 - 3xx
    if is_redirect or answer.outcome is not Outcome.UNREACHABLE:
        return None
    if pause is None or answer.retry_after is None:
        return pause
    asked = max(answer.retry_after, PAUSES[0])
    return asked if asked <= MAX_RETRY_AFTER else None


def is_out_of_resources(error: BaseException, depth: int = 5) -> bool:
    """Whether *error* means that this machine is out of file descriptors, memory or ports."""
    numbers = getattr(error, "errno", None), getattr(error, "osError", None)
    if not _OUT_OF_RESOURCES.isdisjoint(it for it in numbers if type(it) is int):
        return True
    # In Twisted's errors, `reasons` is a list of Failures. Clients based on asyncio may raise an
    # `ExceptionGroup` with one exception per address of the host.
    inner = getattr(error, "reasons", None) or getattr(error, "exceptions", None) or ()
    causes = [getattr(it, "value", it) for it in inner]
    causes += [error.__cause__, error.__context__]
    # Limit the depth, because a chain of exceptions may be circular.
    return depth > 0 and any(
        is_out_of_resources(it, depth - 1)
        for it in causes
        if isinstance(it, BaseException)
    )


def middleware_of(error: BaseException) -> object | None:
    """Return the downloader middleware that raised *error*, if one did."""
    found = None
    for frame, _ in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if code.co_name in _HOOKS and code.co_varnames[:1] == ("self",):
            # Keep the innermost one, because a middleware may call another.
            found = frame.f_locals["self"]
    return found
