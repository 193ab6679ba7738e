"""The downloader middleware: every request passes here before it is sent."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured, NotSupported
from scrapy.spiders import SitemapSpider
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl import judges, stats
from scrapy_robots1994.crawl.backend import ScrapyBackend
from scrapy_robots1994.crawl.concurrency import UncountedRequests
from scrapy_robots1994.crawl.exceptions import QueuedPageAborted
from scrapy_robots1994.crawl.parser import handed_out
from scrapy_robots1994.crawl.refusals import Refusals
from scrapy_robots1994.crawl.requests import (
    OPT_OUT,
    OWN_REQUEST,
    Exemption,
    RequestContext,
    RobotName,
    exemption_of,
)
from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors
from scrapy_robots1994.crawl.waiting import CLOSING, RETURNED, WaitingRequests
from scrapy_robots1994.errors import FetchAborted
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.resolver import PolicyResolver
from scrapy_robots1994.stores import MemoryStore

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_robots1994.policy import Policy


class Robots1994Middleware:
    """Refuses what the robots.txt of a request's origin disallows, by the 1994 text.

    Only `http` and `https` are checked; `dont_obey_robotstxt` in the meta lets a
    request pass. A request whose policy is in memory and fresh awaits nothing.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured("ROBOTSTXT_OBEY is False")
        settings = RobotsSettings.from_settings(crawler.settings)
        self._crawler = crawler
        self._propagate_meta = settings.propagate_meta
        self._robot = RobotName(crawler)
        self._uncounted = UncountedRequests.of(crawler)
        self._engine = self._uncounted.engine
        backend = ScrapyBackend(crawler, settings)
        # Public: `commands/fetch_policies.py` fetches a robots.txt of another URL with it.
        self.download = backend.download
        url = settings.store
        memory = MemoryStore(url.max_origins, backend.now, url.max_bytes)
        store = backend.open_store(settings)
        self._resolver: PolicyResolver[RequestContext] = PolicyResolver(
            backend, memory, settings.freshness, store, backend.max_retries
        )
        self._waiting = WaitingRequests(crawler, settings.max_waiting, self._closing)
        # Of this crawl alone, for a request may go back in one and come again in the next.
        self._crawl_id = token_hex(8)
        self._refusals = Refusals(crawler, closes=settings.close_when_denied)
        self._cache = judges.RulesCache(memory)
        self._judge = self._judge_for(crawler, settings)
        self._hands_out_robots = isinstance(crawler.spider, SitemapSpider)
        # Last: a crawl that cannot start logs the reason alone.
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware; `NotConfigured` where the user does not want it."""
        with log_settings_errors():
            return cls(crawler)

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> Request | Response | None:
        """Let *request* pass, or raise `ForbiddenByRobots`, or wait for robots.txt.

        A request that waits while the crawl closes goes back to the scheduler.
        """
        meta, url = request.meta, request.url
        if "robots1994" in meta:
            # Sent again by an errback, it carries the verdict of the last time.
            del meta["robots1994"]
        # From here on nothing is awaited for a URL that cached rules permit, unless
        # requests that waited are leaving.
        cached = self._cache.get(url)
        if cached is None or RETURNED in meta or not self._robot.is_usual(request):
            return await self._process(request)
        # What `exemption_of` exempts passes here without it: rules allow /robots.txt
        # itself, and there are none for an origin that is never judged.
        if meta.get(OPT_OUT) or OWN_REQUEST in meta:
            return None
        # A SitemapSpider reads robots.txt as a page: it gets the file that we have.
        if self._hands_out_robots and url.endswith("/robots.txt"):
            return await self._process(request)
        if not cached.rules.allowed_url(url):
            verdict = cached.rules.verdict(url)
            raise self._refusals.refuse(request, verdict, cached.policy.origin)
        # Else new requests would overtake more urgent ones that waited.
        if self._waiting.leaving:
            return await self._process(request)
        return None

    def policy_of(self, url: str) -> Policy | None:
        """Return the policy of the origin of *url* if it is in memory, fresh or stale.

        A stale one may still decide, while it is renewed.
        """
        origin = Origin.of(url)
        return None if origin is None else self._resolver.memory.get(origin)

    async def resolve(self, request: Request, origin: Origin) -> Policy:
        """Return the policy of *origin*, fetched as *request* is sent if need be.

        Raises `FetchAborted`, or the error of our own that prevented the fetch (R7).
        """
        context = RequestContext.from_request(request, self._propagate_meta)
        return await self._resolver.resolve(origin, context)

    async def _process(self, request: Request) -> Request | Response | None:
        """Do the same as `process_request`, for a request that may have to wait."""
        self._take_back(request)
        exemption = exemption_of(request.url, request.meta)
        origin = Origin.of(request.url)
        if exemption is Exemption.NO_HOST:
            raise NotSupported(exemption.value)
        if origin is None or exemption not in {None, Exemption.ROBOTS_TXT}:
            return None
        try:
            if exemption is not None:
                return await self._hand_out(request, origin)
            # The cache has no entry for another User-Agent, or for a judge that notes
            # each decision; the policy may be fresh all the same.
            policy = self._resolver.fresh(origin)
            if policy is None:
                await self._wait(request, origin)
                return None
            await self._judge.judge(request, origin, policy)
            # As in `process_request`: it must not overtake more urgent ones.
            if self._waiting.leaving:
                with self._waiting.waiting(request, enters=False) as waiting:
                    await self._waiting.turn(waiting)
        except FetchAborted:
            if not self._engine.is_closing():
                raise
            return self._give_back(request)
        return None

    def process_exception(
        self,
        request: Request,
        exception: Exception,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> Request | None:
        """Let a page that the close took out of its queue go back to the scheduler."""
        is_ours = isinstance(exception, QueuedPageAborted)
        return self._give_back(request) if is_ours else None

    async def _wait(self, request: Request, origin: Origin) -> None:
        """Judge *request* once the policy of *origin* is known, and let it leave."""
        stats.count(self._crawler, stats.WAITED)
        with self._waiting.waiting(request) as waiting:
            found = await self._find(request, origin)
            # Also an error, and before its turn: in a dry run a failed fetch allows, and
            # what is refused takes no place of another.
            await self._judge.judge(request, origin, found)
            await self._waiting.turn(waiting)

    async def _find(self, request: Request, origin: Origin) -> judges.Found:
        """Return the policy of *origin*, or the error because of which it has none."""
        found: judges.Found
        try:
            found = await self.resolve(request, origin)
        # Without asyncio a cancellation is an Exception: it is no failure.
        except CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - the judge raises it
            found = error
        if self._engine.is_closing():
            # Ours R6: it waited until the end, so the next crawl decides.
            raise FetchAborted(CLOSING)
        return found

    async def _hand_out(self, request: Request, origin: Origin) -> Response | None:
        """Answer a spider's own request for a robots.txt with the file we have."""
        if not self._hands_out_robots or request.method != "GET":
            return None
        with self._waiting.waiting(request):
            found = await self._find(request, origin)
        # Ours O22: it is never refused, so without a policy it may be sent itself.
        return None if isinstance(found, Exception) else handed_out(found, request)

    def _take_back(self, request: Request) -> None:
        """Undo `_give_back`, for a request that the scheduler hands out again.

        Raises `FetchAborted` if it was this crawl that gave *request* back. This crawl
        closes, and its scheduler hands out nothing any more (R6): the request comes from
        a caller of `engine.download_async`, which waits for it.
        """
        if RETURNED in request.meta:
            request.dont_filter, crawl_id = request.meta.pop(RETURNED)
            if crawl_id == self._crawl_id:
                raise FetchAborted(CLOSING)

    def _give_back(self, request: Request) -> Request:
        """Return what goes back to the scheduler in place of *request* (R6)."""
        # The duplicates filter has seen it, and would drop it without `dont_filter`.
        returned = request.dont_filter, self._crawl_id
        return request.replace(
            dont_filter=True, meta={**request.meta, RETURNED: returned}
        )

    def _closing(self) -> None:
        """Start no fetch from now on, and let no request wait any more (R6)."""
        # Else each fetch that is cancelled would let the next one start.
        self.download.close()
        self._resolver.abort(CLOSING)
        self._uncounted.fail_queued(CLOSING)

    def _judge_for(self, crawler: Crawler, settings: RobotsSettings) -> judges.Judge:
        """Return the judge that *settings* describe.

        Only where nothing else is to happen with a decision does the cache answer for
        the next requests of an origin. What is not wanted is not imported.
        """
        is_paced = settings.applies_crawl_delay
        is_plain = not (settings.compare or settings.dry_run or is_paced)
        cache = self._cache if is_plain else None
        judge: judges.Judge = judges.PlainJudge(self._robot, self._refusals, cache)
        if settings.compare or settings.dry_run:
            from scrapy_robots1994.crawl.features.comparison import ShadowComparison  # noqa: PLC0415 - as above

            # Signals hold it weakly: it lives as long as the judge that has its method.
            shadow = ShadowComparison(crawler, settings)
            self.download.on_ignored_body = shadow.store_body
            if settings.dry_run:
                from scrapy_robots1994.crawl.features.dry_run import DryRunJudge  # noqa: PLC0415 - as above

                judge = DryRunJudge(judge, self._robot, crawler, shadow)
            else:
                # Around the other, which raises for what it refuses.
                judge = judges.ComparingJudge(judge, self._robot, shadow.compare)
        if is_paced:
            from scrapy_robots1994.crawl.features.crawl_delay import PacingJudge  # noqa: PLC0415 - as above

            # Around all others: only what they let pass reaches a slot.
            judge = PacingJudge(judge, self._robot, crawler, settings)
        return judges.PreparingJudge(judge, self._robot)
