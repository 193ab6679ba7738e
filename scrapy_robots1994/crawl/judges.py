"""Who decides about a request whose policy is known.

A judge lets a request pass by returning, and refuses it by raising. What else is to
happen with a decision (a comparison, a pause) is a judge around another one.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Protocol

from scrapy_robots1994.crawl import stats
from scrapy_robots1994.crawl.exceptions import ForbiddenByRobots
from scrapy_robots1994.crawl.threads import INLINE_PARSE_BYTES, run_in_thread
from scrapy_robots1994.escaping import escape_control_chars, redact_credentials
from scrapy_robots1994.parser import Reason

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from scrapy_robots1994.crawl.requests import RobotName
    from scrapy_robots1994.crawl.rules_cache import RulesCache
    from scrapy_robots1994.crawl.stats import StatsRecorder
    from scrapy_robots1994.origin import Origin
    from scrapy_robots1994.parser import Verdict
    from scrapy_robots1994.policy import Policy, Rules

logger = logging.getLogger("scrapy_robots1994")


class Judge(Protocol):
    """Decides about requests."""

    async def judge(self, request: Request, policy: Policy) -> None:
        """Let *request* pass, or raise `IgnoreRequest`, by the *policy* of its origin."""

    async def unresolved(
        self, request: Request, origin: Origin, error: Exception
    ) -> None:
        """Let *request* pass, or raise, though *error* is all that is known of *origin*."""


class RefusalListener(Protocol):
    """Notes refusals."""

    def refused(self, request: Request, verdict: Verdict, origin: Origin) -> None:
        """Note that *request* is refused because of *verdict*, by *origin*."""


class Refuser:
    """Does all that belongs to a refusal: stats, log line, meta key, exception."""

    def __init__(
        self,
        crawler: Crawler,
        recorder: StatsRecorder,
        *listeners: RefusalListener,
    ) -> None:
        self._crawler = crawler
        self._recorder = recorder
        self._listeners = listeners
        self._reason_keys = {
            reason: stats.REASONS.format(reason=reason.value) for reason in Reason
        }
        # Where nothing crawls, as in a shell, the user waits for the very page.
        self._level = logging.DEBUG if crawler.crawling else logging.WARNING

    def refuse(
        self, request: Request, policy: Policy, rules: Rules
    ) -> ForbiddenByRobots:
        """Return the exception for *request*, which *rules* of *policy* disallow."""
        return self.refusal(request, rules.verdict(request.url), policy.origin)

    def refusal(
        self, request: Request, verdict: Verdict, origin: Origin
    ) -> ForbiddenByRobots:
        """Return the exception for *request*, which *verdict* of *origin* is about."""
        count = self._recorder.count
        count(stats.FORBIDDEN)
        count(self._reason_keys[verdict.reason])
        request.meta["robots1994"] = verdict
        for listener in self._listeners:
            listener.refused(request, verdict, origin)
        if logger.isEnabledFor(self._level):
            logger.log(
                self._level,
                "Forbidden by robots.txt: <%s %s>: %s",
                request.method,
                escape_control_chars(redact_credentials(request.url), 500),
                verdict,
                extra={"spider": self._crawler.spider},
            )
        return ForbiddenByRobots(verdict)


class PlainJudge:
    """Refuses what the policy disallows.

    *cache*, where there is one, then answers for the next requests of the origin.
    """

    def __init__(
        self, robot: RobotName, refuser: Refuser, cache: RulesCache | None
    ) -> None:
        self._robot = robot
        self._refuser = refuser
        self._cache = cache

    async def judge(self, request: Request, policy: Policy) -> None:
        """Decide by the rules for our robot."""
        rules = await self._rules(policy, request)
        # Rules are for one robot: a request with a User-Agent of its own must neither
        # fill the cache nor use it.
        if self._cache is not None and self._robot.is_usual(request):
            self._cache.put(request.url, policy, rules)
        if not rules.allowed_url(request.url):
            raise self._refuser.refuse(request, policy, rules)

    async def _rules(self, policy: Policy, request: Request) -> Rules:
        """Return the rules for *request*; those of a large file, compiled in a thread."""
        robots, robot = policy.robots, self._robot.of(request)
        if robots is None or robots.size <= INLINE_PARSE_BYTES:
            return policy.rules(robot)
        if robots.compiled_rules(robot) is None:
            return await run_in_thread(partial(robots.prepare, robot, request.url))
        return policy.rules(robot)

    async def unresolved(
        self,
        request: Request,  # noqa: ARG002 - of the protocol
        origin: Origin,  # noqa: ARG002 - of the protocol
        error: Exception,
    ) -> None:
        """Unknown is neither allowed nor disallowed: the request fails."""
        raise error


class DecisionListener(Protocol):
    """Compares decisions."""

    def compare(
        self, policy: Policy, url: str, robot: str | bytes, *, allowed: bool
    ) -> object:
        """Note that *policy* lets *robot* fetch *url*, or not."""


class ComparingJudge:
    """Compares each decision of another judge with those of other parsers."""

    def __init__(
        self, judge: Judge, robot: RobotName, shadow: DecisionListener
    ) -> None:
        self._judge = judge
        self._robot = robot
        self._shadow = shadow

    async def judge(self, request: Request, policy: Policy) -> None:
        """Compare, then decide."""
        robot, url = self._robot.of(request), request.url
        allowed = policy.rules(robot).allowed_url(url)
        self._shadow.compare(policy, url, robot, allowed=allowed)
        await self._judge.judge(request, policy)

    async def unresolved(
        self, request: Request, origin: Origin, error: Exception
    ) -> None:
        """Decide; there is no file to compare by."""
        await self._judge.unresolved(request, origin, error)
