"""Who decides about a request whose policy is known.

A judge lets a request pass by returning the rules, and refuses it by raising. What else
is to happen with a decision (a comparison, a delay) is a judge around another one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from scrapy import Request

from scrapy_robots1994.crawl.refusals import Refusals
from scrapy_robots1994.crawl.robot_name import RobotName
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.policy import Policy, Rules

Found: TypeAlias = Policy | Exception
"""The policy of an origin, or the error because of which it has none."""


class Judge(Protocol):
    """Decides about requests."""

    def judge(self, request: Request, origin: Origin, found: Found) -> Rules:
        """Return the rules by which *request* to *origin* passes, or raise."""


class Delays(Protocol):
    """Applies the crawl delays of origins (`features.crawl_delay`)."""

    def set_delay(
        self, request: Request, origin: Origin, seconds: float | None
    ) -> None:
        """Apply a delay of *seconds* to *origin*, also to *request*; `None` for no delay."""

    def is_late_for(self, request: Request) -> bool:
        """Return whether a delay that has become known no more holds for *request*."""

    def abort_queued(self, reason: str, is_finished: Callable[[Request], bool]) -> None:
        """End the pages that wait for a delay, but for those that are finished (R6)."""


@dataclass(frozen=True, slots=True)
class PlainJudge:
    """Refuses what the policy disallows."""

    robot: RobotName
    refusals: Refusals

    def judge(self, request: Request, origin: Origin, found: Found) -> Rules:
        """Decide by the rules for our robot."""
        if isinstance(found, Exception):
            # Unknown is neither allowed nor disallowed: the request fails.
            raise found
        rules = found.rules(self.robot.of(request))
        # Most requests are allowed, and need no verdict.
        if not rules.allowed(request.url):
            raise self.refusals.refuse(request, rules.verdict(request.url), origin)
        return rules


@dataclass(frozen=True, slots=True)
class ComparingJudge:
    """Compares each decision of *inner* with those of other parsers."""

    inner: Judge
    robot: RobotName
    compare: Callable[[Policy, str, str | bytes], None]

    def judge(self, request: Request, origin: Origin, found: Found) -> Rules:
        """Compare, then decide."""
        # Before the other judge, which raises for what it refuses. Without a policy there
        # is no file to compare by.
        if not isinstance(found, Exception):
            self.compare(found, request.url, self.robot.of(request))
        return self.inner.judge(request, origin, found)


@dataclass(frozen=True, slots=True)
class PacingJudge:
    """Applies the crawl delay of what *inner* allows."""

    inner: Judge
    delays: Delays

    def judge(self, request: Request, origin: Origin, found: Found) -> Rules:
        """Decide, then set the delay before the request reaches its slot."""
        # What is refused never reaches a slot, and needs no delay.
        rules = self.inner.judge(request, origin, found)
        self.delays.set_delay(request, origin, rules.crawl_delay)
        return rules
