"""What the keeper needs from Scrapy: fetch, parse, wait, clock, and an ear."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import CancelledError

from scrapy_robots1994.checks.problem import sentence
from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.concurrency import DeferredWaiter, Line
from scrapy_robots1994.crawl.features.sitemaps import offer_sitemaps
from scrapy_robots1994.crawl.parser import Robots1994Parser
from scrapy_robots1994.crawl.pools import Pools
from scrapy_robots1994.crawl.threads import LARGE, beside
from scrapy_robots1994.crawl.user_agent import RobotName
from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.policy import FetchError, Outcome, meaning_of
from scrapy_robots1994.policy.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    from scrapy_robots1994.checks.problem import Problem
    from scrapy_robots1994.crawl.fetcher import RobotsDownload
    from scrapy_robots1994.crawl.request_context import RequestContext
    from scrapy_robots1994.crawl.settings import RobotsSettings
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.policy import Answer, Policy, RobotsResponse, Validators
    from scrapy_robots1994.policy.resolver import Waiter
    from scrapy_robots1994.robotstxt import RobotsTxt

logger = logging.getLogger("scrapy_robots1994")

# Absent before Scrapy 2.18.
ROBOTS_PARSED = getattr(signals, "robots_parsed", None)


class ScrapyBackend:
    """The crawl as the keeper sees it (`keeper.ResolverBackend`)."""

    def __init__(
        self,
        crawler: Crawler,
        settings: RobotsSettings,
        download: RobotsDownload,
        tally: StatsRecorder,
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._download = download
        self._tally = tally
        self._fetches = Line(settings.max_fetches)
        self._pools = Pools(crawler, settings.max_fetches)
        self.reader = Reader(settings.dialect, settings.reading, settings.max_bytes)
        self._robot = RobotName(crawler)
        # The event loop holds a task only weakly.
        self._running: set[Deferred[None]] = set()

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def new_waiter(self) -> Waiter:
        """A fresh waiting object."""
        return DeferredWaiter()

    def start(
        self, work: Coroutine[object, object, None], ended: Callable[[], None]
    ) -> None:
        """Run *work* beside everything else; what it raises is logged in one line."""
        running: Deferred[None] = deferred_from_coro(work)
        self._running.add(running)
        running.addErrback(self._broke)
        running.addBoth(lambda _: self._running.discard(running))
        running.addBoth(lambda _: ended())

    async def fetch(
        self, origin: Origin, way: RequestContext, validators: Validators | None
    ) -> Answer:
        """Ask *origin* for its robots.txt; the fetch takes no concurrency of pages."""
        try:
            async with self._fetches.place():
                self._pools.widen(origin.scheme)
                return await self._download.fetch(origin, way, validators)
        finally:
            self._tally.count(stats.REQUESTS)

    async def read(self, answer: RobotsResponse) -> RobotsTxt:
        """Parse the body of *answer*."""
        return self.reader.read(answer.body, is_cut=answer.is_cut)

    async def settled(
        self,
        policy: Policy,
        answer: RobotsResponse | FetchError,
        way: RequestContext,
        last: Policy | None,
    ) -> None:
        """Count and log the policy; where a file made it, tell all who want to know."""
        outcome = meaning_of(answer)
        self._tally.outcome(outcome)
        if policy.stands_in:
            self._tally.count(stats.STANDS_IN)
        elif last is not None and policy.is_known:
            self._tally.count(stats.REFRESHED)
        self._log(policy, answer, stood_in=last is not None and last.stands_in)
        if outcome is Outcome.PARSED:
            await self._tell(policy, way, last)

    async def recalled(self, policy: Policy, way: RequestContext) -> None:
        """Count a policy that the store held; its file is as new to this crawl."""
        self._tally.count(stats.RECALLED)
        self._say(
            logging.DEBUG,
            "%s: %s, as the store holds since %.0f s, for another %.0f s",
            policy.origin.robots_url,
            policy.outcome.value,
            self.now() - policy.fetched_at,
            policy.fresh_until - self.now(),
        )
        await self._tell(policy, way, None)

    async def _tell(
        self, policy: Policy, way: RequestContext, last: Policy | None
    ) -> None:
        """Warn of what a file opens; send `robots_parsed` where Scrapy has it.

        Of the file that *last* held, too, all has been said.
        """
        if policy.robots is None:
            return
        robots, robot = policy.robots, self._robot.of(way.page)
        if robots.size > LARGE:
            openings = await beside(lambda: _looked_into(robots, robot))
        else:
            openings = _looked_into(robots, robot)
        if last is None or last.robots != robots:
            self._warn_of_openings(policy.origin, robots, openings)
            await offer_sitemaps(self._crawler, policy.origin, robots, way.page)
        if ROBOTS_PARSED is not None:  # pragma: no branch - Scrapy before 2.18
            await self._crawler.signals.send_catch_log_async(
                ROBOTS_PARSED,
                robotparser=Robots1994Parser(policy.robots),
                request=way.page,
            )

    def released(self, origin: Origin, why: str) -> None:
        """Count and log a fetch that ended without a policy (R6)."""
        self._tally.count(stats.RELEASED)
        self._say(
            logging.WARNING,
            "%s was not read: %s. Its requests are refused; the next one asks again.",
            origin.robots_url,
            why,
        )

    def _log(
        self, policy: Policy, answer: RobotsResponse | FetchError, *, stood_in: bool
    ) -> None:
        """One line for a policy: quiet where all is well, a warning where it is not.

        Of a policy that goes on standing in (*stood_in*) the warning was said before.
        """
        url = policy.origin.robots_url
        pause = policy.fresh_until - self.now()
        if policy.outcome is not Outcome.UNREACHABLE and not policy.stands_in:
            self._say(
                logging.DEBUG,
                "%s: HTTP %s, %s, holds for %.0f s",
                url,
                policy.status,
                policy.outcome.value,
                pause,
            )
            return
        why = (
            f"{answer.kind}: {answer.detail}"
            if isinstance(answer, FetchError)
            else f"HTTP {getattr(answer, 'status', '')}"
        )
        if policy.stands_in:
            meaning = "the last good policy stands"
        elif self._settings.freshness.unreachable_allows:
            meaning = 'all URLs are allowed (ROBOTS1994_UNREACHABLE = "allow")'
        else:
            meaning = "all URLs are refused"
        self._say(
            logging.DEBUG if policy.stands_in and stood_in else logging.WARNING,
            "%s could not be had (%s): %s; asked again in %.0f s",
            url,
            why,
            meaning,
            pause,
        )

    def _warn_of_openings(
        self, origin: Origin, robots: RobotsTxt, openings: tuple[Problem, ...]
    ) -> None:
        """One warning an origin for what opens the site against its owner's intent."""
        if robots.is_truncated:
            self._tally.count(stats.CUT)
            self._say(
                logging.WARNING,
                "%s is longer than ROBOTS1994_MAX_BYTES (%d): the whole lines within "
                "it are obeyed",
                origin.robots_url,
                self._settings.max_bytes,
            )
        if not openings:
            return
        self._tally.count(stats.OPENS_SITE)
        is_split = any(problem.clause == "O5" for problem in openings)
        self._say(
            logging.WARNING,
            "%s, line %d: %s%s Read to the letter, this opens what its owner likely "
            "meant to close.%s All of it: scrapy robots-lint %s",
            origin.robots_url,
            openings[0].line,
            sentence(openings[0]),
            f" ({len(openings)} such lines.)" if len(openings) > 1 else "",
            ' ROBOTS1994_READING = "cautious" obeys split records.' if is_split else "",
            origin.robots_url,
        )

    def _say(self, level: int, text: str, *values: object) -> None:
        """Log one line of this crawl's spider."""
        if not logger.isEnabledFor(level):
            return
        # Ours O25: a host of a URL may hold anything, too.
        shown = (
            escape_control_chars(it, 500) if isinstance(it, str) else it
            for it in values
        )
        logger.log(level, text, *shown, extra={"spider": self._crawler.spider})

    def _broke(self, failure: Failure) -> None:
        """Our own code broke; the waiters are released. Cancelled is not broken."""
        if not isinstance(failure.value, (CancelledError, asyncio.CancelledError)):
            self._say(logging.ERROR, "robots.txt fetch broke: %r", failure.value)


def _looked_into(robots: RobotsTxt, robot: str | bytes) -> tuple[Problem, ...]:
    """Do all that takes long with a file; what it opens to *robot*."""
    # Compiled first, for a compressed body would have to be unpacked for it.
    robots.rules(robot)
    openings = robots.weakening_problems(robot)
    robots.compress_body()
    return openings
