"""The downloader middleware: the one way of a request.

1. `_take_back`: a request that went back to the scheduler gets its own meta again.
2. `Origin.of` its URL, and `exemption_of` (`exemptions`): is it checked? If not, it passes.
3. `PolicyResolver.fresh`: the policy in memory.
   With HTTPCACHE_IGNORE_MISSING, `HttpCache.is_replayed` (`http_cache`) finds pages that
   never reach the network: the recorded policy decides, however old it is.
4. Known and fresh: `_decide`. The crawl delay of the origin applies
   (`CrawlDelays.set_delay`), and observers (comparison, evidence) are told. Then the request
   passes, and is counted where `*` and `$` have no effect (`wildcards`), or
   `Refusals.refuse` makes the `ForbiddenByRobots` that is raised.
5. Else `_wait`: `WaitingRequests.waiting` (`waiting`), while `resolve` finds the policy
   (`policy.resolver`: memory, store, one fetch for all who wait).
6. `_decide` as in 4, if there is room then (`WaitingRequests.may_go_on`). Else, or when
   the crawl closes meanwhile, `_give_back`: it goes back to the scheduler, for want of
   room once, and begins again at 1. `WaitingRequests.is_finished` says which requests
   pass also while the crawl closes (R6).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured, NotSupported
from scrapy.spiders import SitemapSpider
from twisted.internet.defer import CancelledError

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.backend import ScrapyBackend
from scrapy_robots1994.crawl.exceptions import QueuedPageAborted
from scrapy_robots1994.crawl.exemptions import Exemption, exemption_of
from scrapy_robots1994.crawl.parser import handed_out
from scrapy_robots1994.crawl.refusals import VERDICT, Refusals
from scrapy_robots1994.crawl.requests import EVIDENCE, RequestContext
from scrapy_robots1994.crawl.robot_name import RobotName
from scrapy_robots1994.crawl.scrapy_private import EngineAccess
from scrapy_robots1994.crawl.settings import RobotsSettings, log_settings_errors
from scrapy_robots1994.crawl.threads import INLINE_BYTES, run_in_thread
from scrapy_robots1994.crawl.waiting import Waiting, WaitingRequests
from scrapy_robots1994.crawl.wildcards import IgnoredWildcards
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.parser.rules import RobotRules
from scrapy_robots1994.policy.outcomes import Outcome
from scrapy_robots1994.policy.policy import Policy
from scrapy_robots1994.policy.resolver import PolicyResolver
from scrapy_robots1994.stores.memory import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_robots1994.crawl.features.crawl_delay import CrawlDelays
    from scrapy_robots1994.crawl.features.dry_run import DryRun

    Observer: TypeAlias = Callable[[Request, Origin, Policy | Exception], None]

# In the meta, because they must survive a queue on disk (JOBDIR) or of many workers.
SCHEDULED = "_robots1994_scheduled"
"""Meta key of a request that is with the scheduler."""

RETURNED = "_robots1994_returned"
"""Meta key of a request that went back to the scheduler: its own `dont_filter`, and
whether it went back for want of room. Version 0.1 wrote a text in its place."""

CLOSING = "the crawl is closing"


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
        self._engine = EngineAccess.of(crawler)
        backend, self._observers = _backend_for(crawler, settings)
        # Public: `commands/fetch_policies.py` fetches a robots.txt of another URL with it.
        self.download = backend.download
        url = settings.store
        self._memory = MemoryStore(url.max_origins, backend.now, url.max_bytes)
        store = backend.open_store(settings)
        self._cache = backend.http_cache
        self._resolver: PolicyResolver[RequestContext] = PolicyResolver(
            backend, self._memory, settings.freshness, store, backend.max_retries
        )
        self._waiting = WaitingRequests(
            crawler, self._engine, settings.max_waiting, self._close
        )
        downloads = self.download.downloads
        downloads.on_sent = self._waiting.file_sent
        downloads.on_left = self._waiting.file_left
        self._owns_order = self._engine.owns_order()
        crawler.signals.connect(self._mark, signals.request_scheduled)
        self._refusals = Refusals(crawler, closes=settings.close_when_denied)
        self._wildcards = IgnoredWildcards.of(crawler, settings)
        if settings.compare:
            from scrapy_robots1994.crawl.features.comparison import ShadowComparison  # noqa: PLC0415 - only if wanted

            # Signals hold it weakly: it lives as long as what has its method.
            shadow = ShadowComparison(crawler, settings)
            self.download.on_ignored_body = shadow.store_body
            self._observers.append(shadow.decided)
        self._delays = _delays_for(crawler, settings)
        self._hands_out_robots = isinstance(crawler.spider, SitemapSpider)
        # Last: a crawl that cannot start logs the reason alone.
        settings.log_start(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self | DryRun:
        """Return the middleware; `NotConfigured` where the user does not want it.

        With `ROBOTS1994_DRY_RUN` it is one that only observes.
        """
        with log_settings_errors():
            settings = RobotsSettings.from_settings(crawler.settings)
            if not settings.dry_run:
                return cls(crawler)
            from scrapy_robots1994.crawl.features.dry_run import DryRun  # noqa: PLC0415 - only where it is wanted

            return DryRun.of(crawler, settings, cls)

    async def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> Request | Response | None:
        """Let *request* pass, or raise `ForbiddenByRobots`, or wait for robots.txt.

        A request that waits while the crawl closes goes back to the scheduler.
        """
        went_back = self._take_back(request)
        # Not of `urlparse_cached`: it leaves out tabs, after which clients differ.
        origin = Origin.of(request.url)
        exemption = exemption_of(request.url, origin, request.meta)
        if exemption is Exemption.NO_HOST:
            raise NotSupported(exemption.value)
        if exemption is Exemption.ROBOTS_TXT and origin is not None:
            return await self._hand_out(request, origin)
        if exemption is not None or origin is None:
            return None
        policy = self._resolver.fresh(origin)
        if policy is None and self._cache and self._cache.is_replayed(request):
            # Ours 3.2: it is never sent, so a policy of any age decides.
            policy = await self._cache.replayed_policy(origin)
            if policy is None and self._cache.passes_unknown:
                return None
        if policy is None:
            return await self._wait(request, origin, went_back=went_back)
        if policy.stated.size > INLINE_BYTES:
            await self._read_in_thread(request, policy)
        return self._decide(request, origin, policy, went_back=went_back)

    def process_exception(
        self,
        request: Request,
        exception: Exception,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 passes it
    ) -> Request | None:
        """Let a page that the close took out of its queue go back to the scheduler."""
        is_ours = isinstance(exception, QueuedPageAborted)
        return self._give_back(request) if is_ours else None

    def policy_of(self, url: str) -> Policy | None:
        """Return the policy of the origin of *url* if it is in memory, fresh or stale.

        A stale one may still decide, while it is renewed.
        """
        origin = Origin.of(url)
        return None if origin is None else self._memory.get(origin)

    async def resolve(self, request: Request, origin: Origin) -> Policy:
        """Return the policy of *origin*, fetched as *request* is sent if need be.

        Raises `FetchAborted`, or the error of our own that prevented the fetch (R7).
        """
        context = RequestContext.from_request(request, self._propagate_meta)
        return await self._resolver.resolve(origin, context)

    async def _wait(
        self, request: Request, origin: Origin, *, went_back: bool
    ) -> Request | None:
        """Wait until the policy of *origin* is known, and decide about *request*."""
        stats.count(self._crawler, stats.WAITED)
        with self._waiting.waiting(request, origin) as waiting:
            found = await self._find(request, origin)
            if isinstance(found, Policy) and found.stated.size > INLINE_BYTES:
                await self._read_in_thread(request, found)
            # Ours R6: a page that is sent now would delay the close.
            if self._waiting.is_closing() and not self._goes_on(request, found):
                return self._give_back(request, for_room=went_back)
            if isinstance(found, Exception):
                # Unknown is neither allowed nor disallowed: the request fails.
                for observe in self._observers:
                    observe(request, origin, found)
                raise found
            return self._decide(request, origin, found, waiting, went_back=went_back)

    async def _read_in_thread(self, request: Request, policy: Policy) -> None:
        """Read the large file of *policy* for the robot of *request*, if it is not yet."""
        robot, robots = self._robot.of(request), policy.robots
        # For the robot of the request that needed it, the file is read already.
        if robots and not robots.has_rules(robot):
            await run_in_thread(partial(robots.rules, robot))
            self._memory.measure(policy)
        if robots and self._wildcards:
            await self._wildcards.read_in_thread(robots, robots.rules(robot))

    def _decide(
        self,
        request: Request,
        origin: Origin,
        policy: Policy,
        waiting: Waiting | None = None,
        *,
        went_back: bool,
    ) -> Request | None:
        """Let *request* pass by *policy*, or raise.

        Unless it *went_back* before, it goes back to the scheduler if there is no room for
        it after its wait, or if it came past the point where its crawl delay is kept.
        """
        rules = policy.rules(self._robot.of(request))
        delays, is_late = self._delays, False
        if delays is not None:
            is_late = delays.set_delay(request, origin, rules.crawl_delay)
        if (
            (waiting or is_late)
            and not went_back
            and not self._has_room(request, waiting, is_late=is_late)
        ):
            return self._give_back(request, for_room=True)
        # Before the decision, for a refusal raises.
        for observe in self._observers:
            observe(request, origin, policy)
        # Most requests are allowed, and need no verdict.
        if not rules.allowed(request.url):
            raise self._refusals.refuse(request, rules.verdict(request.url), origin)
        if (
            isinstance(rules, RobotRules)
            and rules.has_wildcards
            and self._wildcards
            and policy.robots
        ):
            self._wildcards.sent(request, origin, policy.robots, rules)
        return None

    def _has_room(
        self, request: Request, waiting: Waiting | None, *, is_late: bool
    ) -> bool:
        """Return whether a request may go on whose policy is known now.

        With *is_late* it has passed the point where its crawl delay is kept.
        """
        if self._waiting.is_finished(request) or not self._owns_order:
            return True
        return not is_late and (waiting is None or self._waiting.may_go_on(waiting))

    async def _find(self, request: Request, origin: Origin) -> Policy | Exception:
        """Return the policy of *origin*, or the error because of which it has none."""
        try:
            return await self.resolve(request, origin)
        # Without asyncio a cancellation is an Exception: it is no failure.
        except CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - `_wait` raises it
            return error

    async def _hand_out(
        self, request: Request, origin: Origin
    ) -> Request | Response | None:
        """Answer a spider's own request for a robots.txt with the file we have."""
        if not self._hands_out_robots or request.method != "GET":
            return None
        with self._waiting.waiting(request, origin):
            found = await self._find(request, origin)
            if self._waiting.is_closing() and not self._goes_on(request, found):
                return self._give_back(request)
        # Ours O22: it is never refused, so without a policy it may be sent itself.
        return None if isinstance(found, Exception) else handed_out(found, request)

    def _mark(self, request: Request) -> None:
        """Mark a request that the scheduler is about to get."""
        request.meta[SCHEDULED] = True

    def _take_back(self, request: Request) -> bool:
        """Undo `_mark` and `_give_back`; return whether it went back for want of room."""
        meta = request.meta
        # Sent again by an errback, or made with the meta of a response, it carries what
        # was decided about another request.
        meta.pop(VERDICT, None)
        meta.pop(EVIDENCE, None)
        if not meta.pop(SCHEDULED, False):
            # A component awaits it (`engine.download_async`): it has no way back.
            # Given back, it comes again at once.
            self._waiting.awaited.add(request)
        if RETURNED not in meta:
            return False
        request.dont_filter, for_room = meta.pop(RETURNED)
        return for_room is True

    def _give_back(self, request: Request, *, for_room: bool = False) -> Request:
        """Return what goes back to the scheduler in place of *request*."""
        # The duplicates filter has seen it, and would drop it without `dont_filter`.
        meta = {**request.meta, RETURNED: (request.dont_filter, for_room)}
        return request.replace(dont_filter=True, meta=meta)

    def _goes_on(self, request: Request, found: Policy | Exception) -> bool:
        """Return whether a request goes on by what it *found* although the crawl closes.

        If its robots.txt is unreachable it goes back, to be tried again.
        """
        is_known = (
            isinstance(found, Policy) and found.outcome is not Outcome.UNREACHABLE
        )
        waiting = self._waiting
        return request in waiting.awaited or (is_known and waiting.is_finished(request))

    def _close(self) -> None:
        """Start no fetch from now on but for what is finished (R6)."""
        is_finished = self._waiting.is_finished
        self._resolver.abort(CLOSING, lambda context: is_finished(context.page))
        if self._delays is not None:
            # A file may state any delay.
            self._delays.abort_queued(CLOSING, self._waiting.awaited.__contains__)


def _delays_for(crawler: Crawler, settings: RobotsSettings) -> CrawlDelays | None:
    """Return the crawl delays, if they apply."""
    if not settings.applies_crawl_delay:
        return None
    from scrapy_robots1994.crawl.features.crawl_delay import delays_of  # noqa: PLC0415 - only if wanted

    return delays_of(crawler, settings)


def _backend_for(
    crawler: Crawler, settings: RobotsSettings
) -> tuple[ScrapyBackend, list[Observer]]:
    """Return the crawl as the resolver sees it, and what observes its decisions.

    Both record evidence, where that is wanted.
    """
    if settings.evidence is None:
        return ScrapyBackend(crawler, settings), []
    from scrapy_robots1994.crawl.features.evidence import RecordedBackend  # noqa: PLC0415 - an extra

    backend = RecordedBackend(crawler, settings)
    return backend, [backend.evidence.decided]
