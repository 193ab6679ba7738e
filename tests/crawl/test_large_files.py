"""Large files: their rules are compiled in a thread."""

from __future__ import annotations

import asyncio
import threading
from inspect import iscoroutine
from typing import TYPE_CHECKING

import pytest
from scrapy import Request

from scrapy_robots1994 import ForbiddenByRobots
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.rules_cache import RulesCache
from scrapy_robots1994.crawl.threads import INLINE_PARSE_BYTES
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from scrapy_robots1994.parser import RobotRules

SMALL = b"User-agent: *\nDisallow: /closed\n"
LONG = SMALL + b"".join(
    b"Disallow: /%d/\n" % number for number in range(INLINE_PARSE_BYTES // 10)
)
FAR = 4e9
"""Seconds for which the policies are fresh."""


def holding(bodies: dict[str, bytes]) -> tuple[Robots1994Middleware, list[RobotsTxt]]:
    """A middleware that holds the files of these hosts, and one compiled at a time."""
    settings = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "rex"}
    middleware = Robots1994Middleware(idle_crawler(settings))
    middleware._recent = RulesCache(1)
    files = [RobotsTxt.parse(body) for body in bodies.values()]
    for host, robots in zip(bodies, files, strict=True):
        origin = Origin("http", host, 80)
        policy = Policy.from_response(
            origin, RobotsResponse(200), robots, 1e9, FreshnessSettings(ttl=FAR)
        )
        middleware._keeper._memory.put(policy)
    return middleware, files


async def judged(middleware: Robots1994Middleware, url: str) -> bool:
    """Whether the request for *url* had to wait; raises as the middleware does."""
    waiting = middleware.process_request(Request(url))
    if iscoroutine(waiting):
        await waiting
        return True
    return False


def test_rules_of_a_large_file_are_compiled_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first request waits for that, and later ones do not."""
    middleware, (large, _) = holding({"large.test": LONG, "small.test": SMALL})

    rules, threads = RobotsTxt.rules, []

    def watched(robots: RobotsTxt, robot: str | bytes) -> RobotRules:
        if robots.compiled_rules(robot) is None:
            threads.append(threading.current_thread())
        return rules(robots, robot)

    monkeypatch.setattr(RobotsTxt, "rules", watched)

    async def crawl() -> None:
        assert await judged(middleware, "http://large.test/open")
        assert not await judged(middleware, "http://large.test/open")
        with pytest.raises(ForbiddenByRobots, match="line 2,"):
            await judged(middleware, "http://large.test/closed")

    asyncio.run(crawl())

    assert [large.compiled_rules("rex") is not None, len(threads)] == [True, 1]
    assert threading.main_thread() not in threads
