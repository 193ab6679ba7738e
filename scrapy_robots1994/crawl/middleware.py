"""The downloader middleware. `Robots1994Middleware.process_request` has six steps:

1. A request that is not checked (`exemption_of`) passes, and so do our own requests for
   robots.txt. A request whose URL has no valid host or port fails.
2. If a fresh policy of the origin is in memory (`PolicyResolver.fresh`), it decides as in step 5.
3. Otherwise the request waits, if possible without counting towards CONCURRENT_REQUESTS
   (`WaitingRequests.waiting`).
4. `PolicyResolver.resolve` takes the policy from the store, or fetches robots.txt once for all
   waiting requests to the origin. If the fetch fails for a local reason, such as a proxy or a bug
   in a middleware (Ours R7), these requests fail too.
5. The policy decides (`_decide`): the request passes, or fails with `ForbiddenByRobots`
   (`Refusals`). The observers see the decision, and may refuse a request that the policy allows.
6. A request that waited without counting is now held until a slot is free
   (`WaitingRequests.slot`).

If the crawl closes during steps 3 to 6, the request goes back to the scheduler, unless it is one of
those that a closing crawl still sends (`WaitingRequests.goes_back`).
"""

from __future__ import annotations

from logging import INFO, WARNING
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import NotConfigured, NotSupported
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.fetch import RobotsFetcher
from scrapy_robots1994.crawl.log import count, log_line
from scrapy_robots1994.crawl.observers import observers_of
from scrapy_robots1994.crawl.refusals import Refusals
from scrapy_robots1994.crawl.requests import (
    OPT_OUT,
    OWN_MARK,
    Exemption,
    RobotName,
    exemption_of,
)
from scrapy_robots1994.crawl.resolver import PolicyResolver
from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors
from scrapy_robots1994.crawl.threads import INLINE_BYTES
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.store import GuardedStore
    from scrapy_robots1994.policy.policy import Policy

UNCHECKED = Verdict(allowed=True, reason=Reason.UNCHECKED)

# Replaces the middleware if `ROBOTS1994_DRY_RUN` is on
DRY_RUN = "scrapy_robots1994.crawl.features.dry_run.DryRun"

DISOBEYING = "This crawl does not obey robots.txt, because ROBOTSTXT_OBEY is False"


class Robots1994Middleware:
    """Refuses requests that the robots.txt of their origin disallows.

    Requests for `http`, `https`, `ws` and `wss` URLs are checked, unless `dont_obey_robotstxt` in
    their meta is true or `ROBOTS1994_EXEMPT` names their host or origin.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            # Scrapy would log the message of `NotConfigured` as a warning.
            log_line(crawler, INFO, DISOBEYING)
            raise NotConfigured
        settings = RobotsSettings.from_settings(crawler.settings)
        self._crawler = crawler
        self._exempt = settings.exempt
        self._robot = RobotName(crawler)
        self._waiting = WaitingRequests(crawler, settings.max_waiting, self._close)
        self._observers = observers_of(crawler, settings)
        self.fetcher = RobotsFetcher(
            crawler, settings, self._waiting.fetching, self._robot
        )
        """Public, because `robots-check` uses it."""
        self.store: GuardedStore | None = None
        """Public, because `robots-check --refresh` uses it."""
        if settings.store.url is not None:
            from scrapy_robots1994.crawl.store import GuardedStore  # noqa: PLC0415 - few crawls have a store

            keep_seconds = settings.ttl + settings.stale_ttl
            self.store = GuardedStore(
                crawler, settings.store, settings.max_bytes, keep_seconds
            )
        self._resolver = PolicyResolver(
            crawler, settings, self.fetcher, self.store, self._observers, self._robot
        )
        self._refusals = Refusals(crawler, closes=settings.close_when_denied)
        crawler.signals.connect(self._opened, signals.spider_opened)
        # Logged last, so that a crawl that cannot start logs only the error.
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Return the middleware or, if `ROBOTS1994_DRY_RUN` is on, a `DryRun`.

        Raise `NotConfigured` if ROBOTSTXT_OBEY is False.
        """
        with log_settings_errors():
            settings = RobotsSettings.from_settings(crawler.settings)
            if settings.dry_run:
                return load_object(DRY_RUN)(crawler)
            return cls(crawler)

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> Request | None:
        """Wait for the policy if necessary, then let *request* pass or raise `ForbiddenByRobots`.
        Return *request* if a closing crawl must send it back to the scheduler.

        Raise `NotSupported` if the URL has no valid host or port. If the fetch fails for a local
        reason (Ours R7), raise the exception that stopped it.
        """
        # 1: is it checked?
        if request.meta.get(OWN_MARK) and request.meta.get(OPT_OUT):
            return None
        visit = Visit(request)
        # Not `urlparse_cached`, which drops tabs that an HTTP client may send.
        origin = Origin.of(request.url)
        exemption = exemption_of(request.url, origin, request.meta, self._exempt)
        if exemption is not None or origin is None:
            self._handle_unchecked(visit, origin, exemption)
            return None
        # 2: a policy in memory
        policy = self._resolver.fresh(origin)
        if policy is not None:
            if policy.stated.size > INLINE_BYTES:
                await self._resolver.make_ready(policy, request)
            self._decide(visit, origin, policy)
            return None
        # 3: wait
        count(self._crawler, stats.WAITED)
        with self._waiting.waiting(visit, origin):
            # 4: resolve
            policy, cause = await self._find(visit, origin)
            if policy is not None and not self._waiting.goes_back(visit, policy):
                # 5: decide
                self._decide(visit, origin, policy, cause)
                # 6: hold
                await self._waiting.slot(visit)
        return visit.returned() if self._waiting.goes_back(visit, policy) else None

    def process_exception(
        self,
        request: Request,
        exception: Exception,  # noqa: ARG002 - given by Scrapy
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> None:
        """Remove our internal meta keys before the errback of *request* is called."""
        self._waiting.unmark(request)

    def policy_of(self, url: str) -> Policy | None:
        """Return the policy for *url*, fresh or stale, or None if none is in memory.

        A policy has the attributes `outcome` (the meaning of the answer to GET /robots.txt),
        `status` (the HTTP status, or None), `robots` (the parsed file, or None), and `fetched_at`
        and `fresh_until` (in seconds since the epoch). Its method `rules(robot)` returns an object
        with `allowed(url)`, `verdict(url)` and `crawl_delay`. To fetch a missing policy, use
        `check`.
        """
        origin = Origin.of(url)
        return None if origin is None else self._resolver.memory.get(origin)

    async def check(self, url: str) -> Verdict:
        """Return the verdict on *url*. If necessary, fetch its robots.txt first.

        The verdict is neither counted nor recorded.

        A URL that is not checked is allowed with the reason `unchecked`, and the URL of a
        robots.txt with the reason `robots.txt-itself`.

        Raise `NotSupported` if *url* has no scheme or no valid host or port, and `FetchAborted` if
        the crawl closes. If the fetch fails for a local reason (Ours R7), raise the exception that
        stopped it.

        To get this middleware, a component calls
        `crawler.get_downloader_middleware(Robots1994Middleware)`.
        """
        origin = Origin.of(url)
        try:
            request = Request(url)
        except ValueError as error:
            raise NotSupported(str(error)) from None
        exemption = exemption_of(url, origin, {}, self._exempt)
        if exemption is Exemption.NO_HOST:
            raise NotSupported(exemption.value)
        if exemption is Exemption.ROBOTS_TXT:
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        if exemption is not None or origin is None:
            return UNCHECKED
        policy = await self.resolve(request, origin)
        if policy.stated.size > INLINE_BYTES:
            await self._resolver.make_ready(policy, request)
        return policy.rules(self._robot.of(request)).verdict(url)

    async def resolve(self, request: Request, origin: Origin) -> Policy:
        policy, _ = await self._resolver.resolve(origin, request)
        return policy

    async def _find(
        self, visit: Visit, origin: Origin
    ) -> tuple[Policy | None, Exception | None]:
        """Return the policy, and the exception that made the origin unreachable, if any.

        The policy is None if the request goes back to the scheduler without one.
        """
        request = visit.request
        try:
            policy, cause = await self._resolver.resolve(origin, request)
            if policy.stated.size > INLINE_BYTES:
                await self._resolver.make_ready(policy, request)
        except CancelledError:
            # Twisted's `CancelledError` is an `Exception`, but must not be handled below: only this
            # request was cancelled, and the fetch goes on.
            raise
        except Exception as error:
            if self._waiting.goes_back(visit, None):
                return None, None
            for observer in self._observers:
                observer.decided(request, origin, error, None)
            raise
        return policy, cause

    def _decide(
        self,
        visit: Visit,
        origin: Origin,
        policy: Policy,
        cause: Exception | None = None,
    ) -> None:
        request = visit.request
        rules = policy.stated.rules(self._robot.of(request))
        is_allowed = rules.allowed(request.url)
        if self._observers or not is_allowed:
            verdict = rules.verdict(request.url)
            for observer in self._observers:
                observer.decided(request, origin, policy, verdict)
            if not is_allowed:
                raise self._refusals.refuse(
                    request, verdict, origin, is_awaited=visit.is_awaited
                ) from cause
        self._refusals.has_passed |= not visit.is_awaited

    def _handle_unchecked(
        self, visit: Visit, origin: Origin | None, exemption: Exemption | None
    ) -> None:
        if exemption is Exemption.NO_HOST:
            raise NotSupported(exemption.value)
        if exemption is Exemption.LISTED and origin is not None:
            for observer in self._observers:
                observer.decided(visit.request, origin, exemption, None)
        self._refusals.has_passed |= not visit.is_awaited

    def _opened(self) -> None:
        other = self._crawler.get_downloader_middleware(RobotsTxtMiddleware)
        if other is not None:
            text = (
                "%s also fetches each robots.txt and refuses requests: set it to None in "
                "DOWNLOADER_MIDDLEWARES"
            )
            name = global_object_name(type(other))
            log_line(self._crawler, WARNING, text, name)

    def _close(self) -> None:
        # Ours R6: request nothing more, except for the requests that are still sent.
        self._resolver.close(self._waiting.is_kept)
