"""Who decides about a request whose policy is known.

A judge lets a request pass by returning the rules, and refuses it by raising. What else
is to happen with a decision (a comparison, evidence) is a judge around another one.
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
