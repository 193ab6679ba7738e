"""The downloader middleware, and the steps in which the middleware handles a request.

1. Our own robots.txt requests pass. `Visit.begin` (`waiting`) removes our keys from the
   meta of each request that is not one of our robots.txt requests.
2. `exemption_of` (`requests`) decides from the URL and the meta whether the request is
   checked. `_pass` lets an exempt request pass unchecked, unless its URL names no host.
3. If the policy of the origin is in memory and fresh, `PolicyResolver.fresh`
   (`resolver`) returns the policy. With a fresh policy in memory, step 4 is skipped.
4. In `_wait`, the request waits for its policy without counting towards the limit of
   concurrent requests (`WaitingRequests.waiting`).

   * `PolicyResolver.resolve` searches memory and the sources for the policy. If the policy
     must be fetched, one fetch serves all waiting requests.
   * With HTTPCACHE_IGNORE_MISSING, the HTTP cache answers or drops some requests, so they
     are never sent (`HttpCache.is_replayed`). A request that is never sent does not wait
     if a policy of any age is cached.
   * When the crawl closes, `WaitingRequests.goes_back` decides which requests go back to
     the scheduler.

5. `_decide` calls the observers with the policy. `_decide` then lets the request pass, or
   raises the `ForbiddenByRobots` that `Refusals.refuse` (`refusals`) returns. With
   ROBOTS1994_USAGE = "requests", `StatedUsage` (`features.usage`) may refuse an allowed
   request because of the purposes of the crawl.
6. A request that waited and passes is held until a slot is free (`WaitingRequests.slot`).
"""

from __future__ import annotations

from functools import partial
from logging import INFO
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured, NotSupported
from scrapy.http import TextResponse
from scrapy.spiders import SitemapSpider
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.backend import ScrapyBackend
from scrapy_robots1994.crawl.features.crawl_delay import CrawlDelays
from scrapy_robots1994.crawl.log import count, log_line
from scrapy_robots1994.crawl.refusals import Refusals
from scrapy_robots1994.crawl.requests import (
    OWN_REQUEST,
    Exemption,
    RequestContext,
    RobotName,
    exemption_of,
)
from scrapy_robots1994.crawl.resolver import PolicyResolver
from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors
from scrapy_robots1994.crawl.threads import INLINE_BYTES, Turns, compute_in_thread
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.parser.body import encode
from scrapy_robots1994.policy.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_robots1994.crawl.features.comparison import ShadowComparison
    from scrapy_robots1994.crawl.features.dry_run import DryRun
    from scrapy_robots1994.crawl.features.evidence import Evidence
    from scrapy_robots1994.crawl.features.usage import StatedUsage

    Found: TypeAlias = Policy | Exception | Exemption
    Observer: TypeAlias = Callable[[Request, Origin, Found], None]

CLOSING = "the crawl is closing"

UNCHECKED = Verdict(allowed=True, reason=Reason.UNCHECKED)

DISOBEYING = (
    "This crawl obeys no robots.txt, because ROBOTSTXT_OBEY is False; to obey "
    "robots.txt, set ROBOTSTXT_OBEY = True in the settings of the project or of the spider"
)


class Robots1994Middleware:
    """Refuses requests that the robots.txt of their origin disallows.

    Robots.txt files are read according to the standard of 1994, unless ROBOTS1994_DIALECT
    names another dialect. Only requests for `http`, `https`, `ws` and `wss` URLs are
    checked. A request passes unchecked if `dont_obey_robotstxt` in its meta is true. If
    the policy for a request is small, fresh and in memory, the request does not wait.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            # Log the reason at INFO, and raise `NotConfigured` without a message. Scrapy
            # would log a message of `NotConfigured` as a warning.
            log_line(crawler, INFO, DISOBEYING)
            raise NotConfigured
        settings = RobotsSettings.from_settings(crawler.settings)
        self._crawler = crawler
        self._propagate_meta = settings.propagate_meta
        self._exempt = settings.exempt
        self._robot = RobotName(crawler)
        self._turns = Turns()
        self._waiting = WaitingRequests(crawler, settings.max_waiting, self._close)
        observers = _observers_for(crawler, settings)
        # This list keeps the observers alive, because signals have only weak references to
        # their handlers.
        self._observers: list[Observer] = [it.decided for it in observers]
        if settings.applies_crawl_delay:
            self._observers.append(CrawlDelays(crawler, settings).decided)
        backend = ScrapyBackend(crawler, settings, self._waiting.file, observers)
        # This attribute is public, because `commands/fetch_policies.py` uses `download` to
        # fetch a robots.txt from another URL.
        self.download = backend.download
        self._memory, self._cache = backend.memory, backend.http_cache
        self._resolver = PolicyResolver(backend)
        self._refusals = Refusals(crawler, closes=settings.close_when_denied)
        self._usage: StatedUsage | None = None
        if settings.reads_usage:
            from scrapy_robots1994.crawl.features.usage import StatedUsage  # noqa: PLC0415 - imported only if a setting needs it

            self._usage = StatedUsage(crawler, settings)
        self._hands_out_robots = isinstance(crawler.spider, SitemapSpider)
        # Log last, so that a crawl that fails to start logs only the reason.
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | DryRun:
        """Return the middleware. Raise `NotConfigured` if ROBOTSTXT_OBEY is off.

        With `ROBOTS1994_DRY_RUN`, return a `DryRun`, which only observes.
        """
        with log_settings_errors():
            settings = RobotsSettings.from_settings(crawler.settings)
            if not settings.dry_run:
                return cls(crawler)
            from scrapy_robots1994.crawl.features.dry_run import DryRun  # noqa: PLC0415 - imported only if a setting needs it

            return DryRun.of(crawler, settings, cls)

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes the spider
    ) -> Request | Response | None:
        """Wait for the robots.txt of *request* if necessary, and then let *request* pass or
        raise `ForbiddenByRobots`.

        When the crawl closes, waiting requests are returned to the scheduler (R6,
        closing), with two exceptions. A request that a component awaits is never returned
        to the scheduler. Of the remaining requests that wait for a robots.txt, the first
        `CONCURRENT_REQUESTS` go on if their policies are known within 5 s.
        """
        self._waiting.arrived(request)
        # Our own robots.txt request must never wait for itself. This check also works if
        # another middleware removes `dont_obey_robotstxt` from the meta.
        if OWN_REQUEST in request.meta:
            return None
        visit = Visit.begin(request)
        # Do not use `urlparse_cached`, because it drops tabs in a URL, and some HTTP
        # clients do not drop them.
        origin = Origin.of(request.url)
        exemption = exemption_of(request.url, origin, request.meta, self._exempt)
        if exemption is not None or origin is None:
            return await self._pass(visit, origin, exemption)
        policy = self._resolver.fresh(origin)
        has_waited = policy is None
        if policy is None:
            found = await self._wait(visit, origin)
            if not isinstance(found, Policy):
                return found
            policy = found
        if policy.stated.size > INLINE_BYTES:
            await self._read_in_thread(request, policy)
        self._decide(visit, origin, policy)
        if has_waited and not await self._waiting.slot(visit, origin):
            return visit.returned()
        return None

    def policy_of(self, url: str) -> Policy | None:
        """Return the fresh or stale policy of the origin of *url*. Return `None` if the
        policy is not in memory.

        A stale policy may still decide while the policy is refreshed. In a policy,
        `outcome` is the meaning of the answer to GET /robots.txt, and `status` is the
        HTTP status or `None`. The attribute `robots` is the parsed file or `None`. The
        attributes `fetched_at` and `fresh_until` are times in seconds since the epoch.
        The method `rules(robot)` of a policy returns an object with `allowed(url)`,
        `verdict(url)` and `crawl_delay`. To fetch a policy that is not in memory, use
        `check`.
        """
        origin = Origin.of(url)
        return None if origin is None else self._memory.get(origin)

    async def check(self, url: str) -> Verdict:
        """Return the verdict that the crawl would now give a request for *url*.

        The robots.txt of *url* is fetched if necessary. The decision is neither counted nor
        recorded. A URL that the crawl does not check is allowed, with the reason
        `unchecked`. The URL of a robots.txt is allowed, with the reason
        `robots.txt-itself`.

        Raise `NotSupported` if the URL names no host, and `FetchAborted` if the crawl
        closes. If the fetch failed on our side (R7, our own fault), raise the error with
        which a waiting request would fail.

        A component gets this middleware with
        `crawler.get_downloader_middleware(Robots1994Middleware)`.
        """
        return await self.judge(Request(url), is_observed=False)

    async def judge(self, request: Request, *, is_observed: bool = True) -> Verdict:
        """Return the verdict for *request*, which does not pass through the middleware.
        *request* may be a request that a browser sends (`BROWSER_REQUEST`).

        If *is_observed* is `True`, first call the observers with the policy, or with the
        reason why no policy decides. With `ROBOTS1994_EVIDENCE`, the decision is written
        into evidence. With `ROBOTS1994_COMPARE`, the decision is compared with the
        decisions of other parsers.
        """
        origin = Origin.of(request.url)
        exemption = exemption_of(request.url, origin, request.meta, self._exempt)
        if exemption is Exemption.NO_HOST:
            raise NotSupported(exemption.value)
        if exemption is Exemption.ROBOTS_TXT:
            return Verdict(allowed=True, reason=Reason.ROBOTS_TXT)
        if origin is None:
            return UNCHECKED
        found: Found = exemption or await self._find(Visit(request), origin)
        if isinstance(found, Policy) and found.stated.size > INLINE_BYTES:
            await self._read_in_thread(request, found)
        for observe in self._observers if is_observed else ():
            observe(request, origin, found)
        if isinstance(found, Exemption):
            return UNCHECKED
        if isinstance(found, Exception):
            raise found
        return found.rules(self._robot.of(request)).verdict(request.url)

    async def resolve(self, request: Request, origin: Origin) -> Policy:
        """Return the policy of *origin*. If the policy must be fetched, the robots.txt
        request is sent in the context of *request* (`RequestContext`).

        Raise `FetchAborted` if the crawl closes. Raise a copy of the original error if
        the fetch failed on our side (R7, our own fault).
        """
        found = await self._find(Visit(request), origin)
        if isinstance(found, Exception):
            raise found
        return found

    async def _wait(self, visit: Visit, origin: Origin) -> Policy | Request | None:
        """Wait for the policy of *origin*, and return the policy. If the request must be
        returned to the scheduler, return the request instead.

        Return `None` for a request that passes to the HTTP cache without a policy and is
        never sent. If the wait ends without a policy, raise the exception of the fetch.
        """
        cache = self._cache
        if cache and cache.is_replayed(visit.request):
            # Ours 3.2 (HTTP cache): a policy of any age decides, because the request is
            # never sent.
            policy = await cache.replayed_policy(origin)
            if policy or cache.passes_unknown:
                return policy
        count(self._crawler, stats.WAITED)
        with self._waiting.waiting(visit, origin):
            found = await self._find(visit, origin)
        policy = found if isinstance(found, Policy) else None
        if self._waiting.goes_back(visit, policy):
            return visit.returned()
        if isinstance(found, Exception):
            # Without a policy, the request is neither allowed nor refused, but fails.
            for observe in self._observers:
                observe(visit.request, origin, found)
            raise found
        return found

    async def _read_in_thread(self, request: Request, policy: Policy) -> None:
        """If the large file of *policy* has not been read for the robot of *request*,
        read it in a thread. Then wait for a turn of the event loop (`Turns.take`).
        """
        robot, robots = self._robot.of(request), policy.robots
        reads_usage = self._usage is not None
        # Most files do not need to be read again. The resolver has already read each new
        # file for the robot of the request that needed it.
        if robots and not robots.is_read_for(robot, with_usage=reads_usage):
            reading = partial(robots.prepare, robot, reads_usage=reads_usage)
            await compute_in_thread(reading)
            self._memory.measure(policy)
        # Ours O28 (bounded matching): comparing one URL with a file that has many wildcards
        # may take several milliseconds. A thousand requests may wait for one file, so
        # decide only one request in each turn of the event loop.
        await self._turns.take()

    def _decide(self, visit: Visit, origin: Origin, policy: Policy) -> None:
        """Let the request of *visit* pass, or raise `ForbiddenByRobots` or `RefusedByUsage`
        if *policy* does not allow the request.
        """
        request = visit.request
        rules = policy.stated.rules(self._robot.of(request))
        # Call the observers first, because the code below raises an exception for a
        # refused request.
        for observe in self._observers:
            observe(request, origin, policy)
        # `allowed` is faster than `verdict`, so ask for the verdict only if the request is
        # refused. Most requests are allowed.
        if not rules.allowed(request.url):
            verdict = rules.verdict(request.url)
            raise self._refusals.refuse(request, verdict, origin) from visit.cause
        self._refusals.has_passed |= not visit.is_awaited
        if self._usage:
            self._usage.decide(request, origin, policy)

    async def _find(self, visit: Visit, origin: Origin) -> Policy | Exception:
        """Return the policy of *origin*, or the exception with which its fetch failed.

        If the policy is unknown (R5, unreachable), store the exception of the failed fetch
        in `visit.cause`.
        """
        context = RequestContext.from_request(visit.request, self._propagate_meta)
        try:
            policy, visit.cause = await self._resolver.resolve(origin, context)
        # Twisted's `CancelledError` is an `Exception`. A `CancelledError` means that this
        # wait was cancelled, and not that the fetch failed.
        except CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - the callers raise the error
            return error
        return policy

    async def _pass(
        self, visit: Visit, origin: Origin | None, exemption: Exemption | None
    ) -> Request | Response | None:
        """Let the request of *visit* pass unchecked. *exemption* is the reason why the
        request is not checked.

        Raise `NotSupported` if the URL of the request names no host. A SitemapSpider's
        request for a robots.txt may be answered with the file of the policy.
        """
        if exemption is Exemption.NO_HOST:
            raise NotSupported(exemption.value)
        self._refusals.has_passed |= not visit.is_awaited
        if exemption is Exemption.ROBOTS_TXT and origin is not None:
            return await self._hand_out(visit, origin)
        if exemption is Exemption.LISTED and origin is not None:
            for observe in self._observers:
                observe(visit.request, origin, exemption)
        return None

    async def _hand_out(
        self, visit: Visit, origin: Origin
    ) -> Request | Response | None:
        """Answer a SitemapSpider's request for a robots.txt with the file of the policy.

        Return `None` to let the request pass, for example if no server answered.
        """
        request = visit.request
        if not self._hands_out_robots or request.method != "GET":
            return None
        with self._waiting.waiting(visit, origin):
            found = await self._find(visit, origin)
        policy = found if isinstance(found, Policy) else None
        if self._waiting.goes_back(visit, policy):
            return visit.returned()
        # Ours O22 (robots.txt itself): a request for a robots.txt is never refused. If the
        # policy could not be found, send the request.
        return None if policy is None else _response_of(policy, request)

    def _close(self) -> None:
        """Abort all fetches except the fetches for requests that the closing crawl still
        sends (R6, closing).
        """
        is_kept = self._waiting.is_kept
        self._resolver.abort(CLOSING, lambda context: is_kept(context.page))


def _response_of(policy: Policy, request: Request) -> TextResponse | None:
    """Return the file of *policy* as the response to *request*, a spider's own request for
    a robots.txt. If the policy has no file, the response has an empty body and the status
    of the server's answer.

    Return `None` if no server answered.
    """
    if policy.robots is not None:
        # Use status 200 even if a 304 confirmed the policy, because the response contains
        # the whole file.
        body, status = encode(policy.robots.text), 200
    elif policy.status is not None:
        body, status = b"", policy.status
    else:
        return None
    return TextResponse(
        request.url,
        status=status,
        # Do not use the headers of the server, which may state another encoding.
        headers={"Content-Type": "text/plain; charset=utf-8"},
        body=body,
        request=request,
        # Scrapy logs this flag with the response. The flag shows that no request was sent.
        flags=["robots1994"],
    )


def _observers_for(
    crawler: Crawler, settings: RobotsSettings
) -> list[Evidence | ShadowComparison]:
    """Return the observers of fetches and decisions that *settings* switch on."""
    observers: list[Evidence | ShadowComparison] = []
    if settings.evidence is not None:
        from scrapy_robots1994.crawl.features.evidence import Evidence  # noqa: PLC0415 - needs an extra

        observers.append(Evidence(crawler, settings))
    if settings.compare:
        from scrapy_robots1994.crawl.features.comparison import ShadowComparison  # noqa: PLC0415 - imported only if a setting needs it

        observers.append(ShadowComparison(crawler, settings))
    return observers
