"""The downloader middleware: each request passes here before it is sent."""

from __future__ import annotations

import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from scrapy.exceptions import NotConfigured

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.backend import ScrapyBackend
from scrapy_robots1994.crawl.concurrency import ConcurrencyCredits
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.crawl.features.refusals import RefusalLog
from scrapy_robots1994.crawl.features.sitemaps import (
    asks_for_robots,
    handed_out,
    reads_robots,
)
from scrapy_robots1994.crawl.features.start_requests import Starts
from scrapy_robots1994.crawl.fetcher import RobotsDownload
from scrapy_robots1994.crawl.request_context import RequestContext
from scrapy_robots1994.crawl.rules_cache import MOST, RulesCache
from scrapy_robots1994.crawl.settings import RobotsSettings
from scrapy_robots1994.crawl.startup import log_settings_errors, log_start
from scrapy_robots1994.crawl.stats import StatsRecorder
from scrapy_robots1994.crawl.store_bridge import StoreBridge
from scrapy_robots1994.crawl.threads import INLINE_PARSE_BYTES, run_in_thread
from scrapy_robots1994.crawl.user_agent import RobotName
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.policy.resolver import PolicyResolver
from scrapy_robots1994.stores import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from typing_extensions import Self

    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.policy import Policy, Rules
    from scrapy_robots1994.robotstxt import RobotsTxt

logger = logging.getLogger("scrapy_robots1994")


class Robots1994Middleware:
    """Refuses what the robots.txt of a request's origin disallows, by the 1994 text.

    A request whose policy is known and fresh is judged on the spot, without a
    coroutine; one that must wait for its robots.txt waits apart from all other origins.
    Only `http` and `https` are checked; `dont_obey_robotstxt` in the meta lets a
    request through.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            msg = "ROBOTSTXT_OBEY is False"
            raise NotConfigured(msg)
        settings = RobotsSettings.from_settings(crawler.settings)
        assert crawler.stats is not None  # noqa: S101 - set before middlewares are made
        self._crawler = crawler
        # Where nothing crawls, somebody at a shell waits for the very page.
        self._level = logging.DEBUG if crawler.crawling else logging.WARNING
        self._propagate_meta = settings.propagate_meta
        self._tally = StatsRecorder(crawler.stats)
        self._robot = RobotName(crawler)
        self._room = ConcurrencyCredits(crawler, settings.max_waiting)
        self._download = RobotsDownload(
            crawler, settings, self._tally, time.time, self._room
        )
        self._recent = RulesCache(min(settings.store.max_origins, MOST))
        self._refusals = RefusalLog(crawler, self._tally)
        self._starts = Starts(crawler, self._tally, closes=settings.close_when_denied)
        outside = ScrapyBackend(crawler, settings, self._download, self._tally)
        if settings.compare or settings.dry_run:
            self._compare(crawler, settings, self._download)
        if settings.crawl_delay is not None:
            self._keep_delays(crawler, settings)
        if reads_robots(crawler.spider):
            self._hand_out_robots()
        memory = MemoryStore(settings.store.max_origins, outside.now)
        lasting = StoreBridge.from_crawler(
            crawler, settings, outside.reader, self._tally
        )
        self._keeper: PolicyResolver[RequestContext] = PolicyResolver(
            outside, memory, settings.freshness, lasting, outside.retries
        )
        log_start(crawler, settings)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Made by Scrapy; `NotConfigured` when the user keeps robots handling off."""
        with log_settings_errors():
            return cls(crawler)

    def process_request(
        self,
        request: Request,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 hands it over
    ) -> Coroutine[object, object, None] | None:
        """Let *request* pass, or raise `ForbiddenByRobots`, or wait for robots.txt."""
        meta = request.meta
        if "robots1994" in meta:
            # Asked again by an errback, it carries the verdict of the last time.
            del meta["robots1994"]
        if meta.get("dont_obey_robotstxt"):
            self._download.limits.arrived(request)
            return None
        url = request.url
        known = self._recent.of(url)
        if known is not None and self._robot.is_usual(request):
            if known.rules.allowed_url(url):
                return None
            return self._refuse_by(request, known.policy, known.rules)
        origin = Origin.of(url)
        if origin is None:
            return None
        policy = self._keeper.fresh(origin)
        if policy is None:
            return self._wait(request, origin)
        return self._judge(request, policy)

    async def resolve(self, request: Request, origin: Origin) -> Policy:
        """Return the policy of *origin*, fetched as *request* leaves if need be.

        Raise what `PolicyResolver.resolve` raises.
        """
        return await self._keeper.resolve(
            origin, RequestContext.from_request(request, self._propagate_meta)
        )

    async def _wait(self, request: Request, origin: Origin) -> None:
        """Judge *request* once the policy of *origin* is there."""
        # Ours O22: the file itself needs no policy, so nobody waits for one.
        if target_of(request.url) == "/robots.txt":
            return
        self._tally.count(stats.WAITED)
        with self._room.seat() as seat:
            refusing = self._judge(request, await self.resolve(request, origin))
            if refusing is not None:
                await refusing
            await self._room.way_out(seat)

    def _judge(
        self, request: Request, policy: Policy
    ) -> Coroutine[object, object, None] | None:
        """Raise `ForbiddenByRobots` if *policy* refuses *request*; perhaps later."""
        robots = policy.robots
        robot = self._robot.of(request)
        if (
            robots is not None
            and robots.size > INLINE_PARSE_BYTES
            and robots.compiled_rules(robot) is None
        ):
            return self._judge_later(request, policy, robots)
        rules = policy.rules(robot)
        if self._robot.is_usual(request):
            self._recent.keep(request.url, policy, rules)
        if rules.allowed_url(request.url):
            return None
        return self._refuse_by(request, policy, rules)

    async def _judge_later(
        self, request: Request, policy: Policy, robots: RobotsTxt
    ) -> None:
        """Judge *request* once the large file of its origin is compiled."""
        robot = self._robot.of(request)
        await run_in_thread(lambda: robots.rules(robot))
        refusing = self._judge(request, policy)
        if refusing is not None:
            await refusing

    def _refuse_by(
        self, request: Request, policy: Policy, rules: Rules
    ) -> Coroutine[object, object, None]:
        """Refuse *request* for the line of the file that forbids it.

        In a large file it is looked for beside the event loop.
        """
        if policy.robots is None or policy.robots.size <= INLINE_PARSE_BYTES:
            self._refuse(request, rules.verdict(request.url))
        return self._refuse_later(request, rules)

    async def _refuse_later(self, request: Request, rules: Rules) -> None:
        """Refuse *request* once the line is found."""
        self._refuse(request, await run_in_thread(lambda: rules.verdict(request.url)))

    def _compare(
        self, crawler: Crawler, settings: RobotsSettings, download: RobotsDownload
    ) -> None:
        """Ask other parsers, too, before each judgement, or instead of it.

        Without them nothing of this is loaded, and nothing of it is looked at.
        """
        from scrapy_robots1994.crawl.features.comparison import ShadowComparison  # noqa: PLC0415 - as above
        from scrapy_robots1994.crawl.features.dry_run import (  # noqa: PLC0415 - as above
            BuiltInRules,
            DryRun,
        )

        # Every question is compared, so none may be answered on a shorter way.
        self._recent = RulesCache(0)
        shadow = ShadowComparison(crawler, settings)
        download.witness = shadow.kept
        judge = self._judge
        dry_run = (
            DryRun(
                crawler,
                self._tally,
                BuiltInRules(crawler, shadow.body_of),
                str(shadow.report_path) if shadow.report_path else None,
            )
            if settings.dry_run
            else None
        )

        def judge_and_compare(
            request: Request, policy: Policy
        ) -> Coroutine[object, object, None] | None:
            robot = self._robot.of(request)
            rules = policy.rules(robot)
            allowed = rules.allowed_url(request.url)
            shadow.compare(policy, request.url, robot, allowed=allowed)
            if dry_run is not None and dry_run.decide(request, policy, rules):
                return None
            return judge(request, policy)

        self.__dict__["_judge"] = judge_and_compare

    def _keep_delays(self, crawler: Crawler, settings: RobotsSettings) -> None:
        """Tell the crawl delay of each request's policy; else nothing looks at it."""
        from scrapy_robots1994.crawl.features.crawl_delay import SlotDelays  # noqa: PLC0415 - as above

        if not DIALECTS[settings.dialect].has_crawl_delay:
            logger.warning(
                "ROBOTS1994_CRAWL_DELAY has no effect: Crawl-delay is no field of the "
                'dialect "%s", but of "extended" (ROBOTS1994_DIALECT)',
                settings.dialect,
            )
            return
        # Every policy that is used is told, so none may be used on a shorter way.
        self._recent = RulesCache(0)
        delays = SlotDelays.of(crawler, settings, self._room)
        judge = self._judge

        def judge_and_pace(
            request: Request, policy: Policy
        ) -> Coroutine[object, object, None] | None:
            refusing = judge(request, policy)
            rules = policy.rules(self._robot.of(request))
            delays.tell(policy.origin, rules.crawl_delay)
            return refusing

        self.__dict__["_judge"] = judge_and_pace

    def _hand_out_robots(self) -> None:
        """Answer a spider's own request for a robots.txt with the file we have."""
        process = self.process_request

        def process_or_hand_out(
            request: Request, spider: Spider | None = None
        ) -> Coroutine[object, object, Response | None] | None:
            origin = Origin.of(request.url) if asks_for_robots(request) else None
            if origin is None:
                return process(request, spider)
            return hand_out(request, origin)

        async def hand_out(request: Request, origin: Origin) -> Response | None:
            # Ours O22: it is never refused; where we have no answer, it may ask itself.
            with self._room.seat(), suppress(Exception):
                return handed_out(await self.resolve(request, origin), request)
            return None

        self.__dict__["process_request"] = process_or_hand_out

    def _refuse(self, request: Request, verdict: Verdict) -> NoReturn:
        """Refuse *request*: stat, log line, meta key, exception."""
        self._tally.refused(verdict.reason.value)
        self._refusals.refused(request, verdict)
        self._starts.refused(request, verdict)
        request.meta["robots1994"] = verdict
        logger.log(
            self._level,
            "Forbidden by robots.txt: <%s %s>: %s",
            request.method,
            escape_control_chars(redact_credentials(request.url), 500),
            verdict,
            extra={"spider": self._crawler.spider},
        )
        raise ForbiddenByRobots(verdict)
