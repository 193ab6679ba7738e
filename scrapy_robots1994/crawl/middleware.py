"""The downloader middleware. `Robots1994Middleware.process_request` handles a request:

1. Our own requests for robots.txt pass. Our keys of an earlier pass are removed from the meta
   of any other request (`Visit.begin`).
2. A request that is not checked passes (`exemption_of`), or fails if its URL names no host.
3. A fresh policy of its origin in memory decides at once (`PolicyResolver.fresh`,
   `_decide`). Nothing is awaited, unless the file is large.
4. Else the request waits (`_wait`), without counting towards CONCURRENT_REQUESTS
   (`WaitingRequests.waiting`), while its policy is found (`PolicyResolver.resolve`):
   in memory, in the store, or by one fetch for all who wait.
5. If the crawl closes meanwhile, or while it is held, it goes back to the scheduler, unless it
   is one of the last that are still sent (`WaitingRequests.goes_back`). If the fetch failed on
   our side, it fails.
6. The policy decides (`_decide`): the request passes, or fails with `ForbiddenByRobots`
   (`Refusals`). The observers see the decision, and may refuse too.
7. A request that waited and passes is held until a slot is free (`WaitingRequests.slot`).
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
from scrapy_robots1994.crawl.threads import INLINE_BYTES, Turns
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

    from scrapy_robots1994.policy.policy import Policy

UNCHECKED = Verdict(allowed=True, reason=Reason.UNCHECKED)

STAND_INS = (("dry_run", "scrapy_robots1994.crawl.features.dry_run.DryRun"),)
"""Rows of (field of `RobotsSettings` that needs it, import path)."""

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
            # Scrapy would log a message of `NotConfigured` as a warning.
            log_line(crawler, INFO, DISOBEYING)
            raise NotConfigured
        settings = RobotsSettings.from_settings(crawler.settings)
        self._crawler = crawler
        self._exempt = settings.exempt
        self._robot = RobotName(crawler)
        self._turns = Turns()
        self._waiting = WaitingRequests(crawler, settings.max_waiting, self._close)
        self._observers = observers_of(crawler, settings)
        self.fetcher = RobotsFetcher(crawler, settings, self._waiting.file, self._robot)
        """Public, so that a command fetches as the crawl does."""
        self.store: GuardedStore | None = None
        """Public, so that `robots-check --refresh` stores what it fetches."""
        if settings.store.url is not None:
            keep_seconds = settings.ttl + settings.stale_ttl
            self.store = GuardedStore(
                crawler, settings.store, settings.max_bytes, keep_seconds
            )
        self._resolver = PolicyResolver(
            crawler, settings, self.fetcher, self.store, self._observers, self._robot
        )
        self._refusals = Refusals(crawler, closes=settings.close_when_denied)
        # Last, so that a crawl that fails to start logs only why.
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Any:
        """Return the middleware, or the one that stands in for it (`STAND_INS`).

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
        """Let *request* pass, or raise `ForbiddenByRobots`, after a wait for its policy if
        need be. Return *request* if it goes back to the scheduler of a closing crawl.
        """
        if request.meta.get(OWN_MARK) and request.meta.get(OPT_OUT):
            return None
        visit = Visit.begin(request)
        # Not `urlparse_cached`, which drops tabs that some HTTP clients send.
        origin = Origin.of(request.url)
        exemption = exemption_of(request.url, origin, request.meta, self._exempt)
        if exemption is not None or origin is None:
            self._pass(visit, origin, exemption)
            return None
        policy = self._resolver.fresh(origin)
        if policy is None:
            return await self._wait(visit, origin)
        if policy.stated.size > INLINE_BYTES:
            await self._make_ready(policy, request)
        self._decide(visit, origin, policy)
        return None

    def process_exception(
        self,
        request: Request,
        exception: Exception,  # noqa: ARG002 - given by Scrapy
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> None:
        """Remove our keys from the meta of *request*, which its errback gets."""
        self._waiting.unmark(request)

    def policy_of(self, url: str) -> Policy | None:
        """Return the policy of the origin of *url* if it is in memory, fresh or stale.

        A policy has `outcome` (what the answer to GET /robots.txt means), `status` (HTTP, or
        None), `robots` (the parsed file, or None), `fetched_at` and `fresh_until` (seconds
        since the epoch), and `rules(robot)` with `allowed(url)`, `verdict(url)` and
        `crawl_delay`. `check` fetches a policy that is not in memory.
        """
        origin = Origin.of(url)
        return None if origin is None else self._resolver.memory.get(origin)

    async def check(self, url: str) -> Verdict:
        """Return the verdict that the crawl would now give a request for *url*, and fetch
        its robots.txt if need be. Nothing is counted or recorded.

        A URL that the crawl does not check is allowed with the reason `unchecked`, and a
        robots.txt with the reason `robots.txt-itself`.

        Raise `NotSupported` if *url* has no scheme or names no host, `FetchAborted` if the
        crawl closes, and the error with which a waiting request would fail if the fetch
        failed on our side (R7).

        A component gets this middleware with
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
            await self._make_ready(policy, request)
        return policy.rules(self._robot.of(request)).verdict(url)

    async def resolve(self, request: Request, origin: Origin) -> Policy:
        """Return the policy of *origin*, fetched the way *request* goes if need be.

        Raise as `check` does.
        """
        policy, _ = await self._resolver.resolve(origin, request)
        return policy

    async def _wait(self, visit: Visit, origin: Origin) -> Request | None:
        request, waiting = visit.request, self._waiting
        count(self._crawler, stats.WAITED)
        with waiting.waiting(visit, origin):
            try:
                policy, cause = await self._resolver.resolve(origin, request)
                if policy.stated.size > INLINE_BYTES:
                    await self._make_ready(policy, request)
            except CancelledError:
                # Of Twisted, an `Exception`: the wait was cancelled, not the fetch.
                raise
            except Exception as error:
                if waiting.goes_back(visit, None):
                    return visit.returned()
                for observer in self._observers:
                    observer.decided(request, origin, error, None)
                # Without a policy, the request is neither allowed nor refused.
                raise
            if waiting.goes_back(visit, policy):
                return visit.returned()
            self._decide(visit, origin, policy, cause)
            await waiting.slot(visit)
        return visit.returned() if waiting.goes_back(visit, policy) else None

    async def _make_ready(self, policy: Policy, request: Request) -> None:
        await self._resolver.make_ready(policy, request)
        # Ours O28: a comparison with a file of many wildcards may take milliseconds, and a
        # thousand requests may wait for the file. One a turn of the event loop.
        await self._turns.take()

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

    def _pass(
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
