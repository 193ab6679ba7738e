"""The downloader middleware. `Robots1994Middleware.process_request` handles a request:

1. A request that is not checked (`exemption_of`) passes, and so do our own requests for
   robots.txt. If its URL names no host, it fails.
2. A fresh policy of its origin in memory (`PolicyResolver.fresh`) decides at once. Nothing is
   awaited, unless the file is large.
3. Otherwise the request waits, without counting towards CONCURRENT_REQUESTS
   (`WaitingRequests.waiting`).
4. Its policy is found, once for all who wait (`PolicyResolver.resolve`): in the store, or by
   a fetch. If the fetch failed on our side, the request fails.
5. The policy decides (`_decide`): the request passes, or fails with `ForbiddenByRobots`
   (`Refusals`). The observers see the decision, and may refuse too.
6. A request that waited and passes is held until a slot is free (`WaitingRequests.slot`).

If the crawl closes during steps 3 to 6, the request goes back to the scheduler, unless it is
one of the last that are still sent (`WaitingRequests.goes_back`).
"""

from __future__ import annotations

from logging import INFO
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import NotConfigured, NotSupported
from scrapy.utils.misc import load_object
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
from scrapy_robots1994.crawl.store import GuardedStore
from scrapy_robots1994.crawl.threads import INLINE_BYTES
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from scrapy_robots1994.policy.policy import Policy

UNCHECKED = Verdict(allowed=True, reason=Reason.UNCHECKED)

STAND_INS = (("dry_run", "scrapy_robots1994.crawl.features.dry_run.DryRun"),)
"""The field of `RobotsSettings` that needs each stand-in, and its import path."""

DISOBEYING = (
    "This crawl obeys no robots.txt, because ROBOTSTXT_OBEY is False; to obey it, set "
    "ROBOTSTXT_OBEY = True"
)


class Robots1994Middleware:
    """Refuses requests that the robots.txt of their origin disallows.

    Only requests for `http`, `https`, `ws` and `wss` URLs are checked, unless
    `dont_obey_robotstxt` in their meta is true or `ROBOTS1994_EXEMPT` names their host.
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
        self.fetcher = RobotsFetcher(crawler, settings, self._waiting.file, self._robot)
        """Public so that a command fetches as the crawl does."""
        self.store: GuardedStore | None = None
        """Public so that `robots-check --refresh` stores what it fetches."""
        if settings.store.url is not None:
            keep_seconds = settings.ttl + settings.stale_ttl
            self.store = GuardedStore(
                crawler, settings.store, settings.max_bytes, keep_seconds
            )
        self._resolver = PolicyResolver(
            crawler, settings, self.fetcher, self.store, self._observers, self._robot
        )
        self._refusals = Refusals(crawler, closes=settings.close_when_denied)
        # Comes last, so that a crawl that fails to start logs only why.
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Return the middleware, or the one in `STAND_INS` that replaces it.

        Raise `NotConfigured` if ROBOTSTXT_OBEY is off.
        """
        with log_settings_errors():
            settings = RobotsSettings.from_settings(crawler.settings)
            for name, path in STAND_INS:
                if getattr(settings, name):
                    return load_object(path).from_crawler(crawler)
            return cls(crawler)

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> Request | None:
        """Wait for the policy if necessary, then let *request* pass or raise
        `ForbiddenByRobots`. Return *request* to send it back to the scheduler of a closing crawl.

        Raise `NotSupported` if the URL names no host, and the exception of the fetch if it failed
        on our side (Ours R7).
        """
        # 1
        if request.meta.get(OWN_MARK) and request.meta.get(OPT_OUT):
            return None
        visit = Visit.begin(request)
        # `urlparse_cached` would drop tabs that some HTTP clients send.
        origin = Origin.of(request.url)
        exemption = exemption_of(request.url, origin, request.meta, self._exempt)
        if exemption is not None or origin is None:
            self._handle_unchecked(visit, origin, exemption)
            return None
        # 2
        policy = self._resolver.fresh(origin)
        if policy is not None:
            if policy.stated.size > INLINE_BYTES:
                await self._resolver.make_ready(policy, request)
            self._decide(visit, origin, policy)
            return None
        # 3
        count(self._crawler, stats.WAITED)
        with self._waiting.waiting(visit, origin):
            # 4
            policy, cause = await self._find(visit, origin)
            if policy is not None and not self._waiting.goes_back(visit, policy):
                # 5
                self._decide(visit, origin, policy, cause)
                # 6
                await self._waiting.slot(visit)
        return visit.returned() if self._waiting.goes_back(visit, policy) else None

    def process_exception(
        self,
        request: Request,
        exception: Exception,  # noqa: ARG002 - given by Scrapy
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> None:
        """Remove our keys from the meta of *request*, which its errback will see."""
        self._waiting.unmark(request)

    def policy_of(self, url: str) -> Policy | None:
        """Return the policy of the origin of *url* if it is in memory, fresh or stale.

        A policy has `outcome` (what the answer to GET /robots.txt means), `status` (HTTP, or None),
        `robots` (the parsed file, or None), `fetched_at` and `fresh_until` (in seconds since the
        epoch), and `rules(robot)`, which has `allowed(url)`, `verdict(url)` and `crawl_delay`. Use
        `check` if the policy may have to be fetched first.
        """
        origin = Origin.of(url)
        return None if origin is None else self._resolver.memory.get(origin)

    async def check(self, url: str) -> Verdict:
        """Return the verdict that a request for *url* would now get, and fetch its robots.txt if
        necessary. Nothing is counted or recorded.

        A URL that is not checked is allowed with the reason `unchecked`, and a robots.txt with the
        reason `robots.txt-itself`.

        Raise `NotSupported` if *url* has no scheme or no host, and `FetchAborted` if the crawl
        closes. After a local failure of the fetch (R7), raise the error that a waiting request
        would fail with.

        Components get this middleware from
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
        """Return the policy of *origin*. If necessary, fetch it for *request*.

        Raise the same errors as `check`.
        """
        policy, _ = await self._resolver.resolve(origin, request)
        return policy

    async def _find(
        self, visit: Visit, origin: Origin
    ) -> tuple[Policy | None, Exception | None]:
        """Return the policy for the waiting request of *visit*, and the exception that caused it.

        The policy is None if none was found and the request goes back.
        """
        request = visit.request
        try:
            policy, cause = await self._resolver.resolve(origin, request)
            if policy.stated.size > INLINE_BYTES:
                await self._resolver.make_ready(policy, request)
        except CancelledError:
            # Twisted's `CancelledError` is an `Exception`. Only the wait was cancelled, not the
            # fetch.
            raise
        except Exception as error:
            if self._waiting.goes_back(visit, None):
                return None, None
            for observer in self._observers:
                observer.decided(request, origin, error, None)
            # Without a policy, the request is neither allowed nor refused.
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
        # `allowed` is faster than `verdict`, and most requests are allowed.
        is_allowed = rules.allowed(request.url)
        if self._observers or not is_allowed:
            verdict = rules.verdict(request.url)
            for observer in self._observers:
                observer.decided(request, origin, policy, verdict)
            if not is_allowed:
                raise self._refusals.refuse(request, verdict, origin) from cause
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

    def _close(self) -> None:
        # Ours R6
        self._resolver.close(self._waiting.is_kept)
