"""Files at rest: of an origin that was not asked for long, only the bytes are held."""

from __future__ import annotations

import asyncio
from inspect import iscoroutine

import pytest
from scrapy import Request

from scrapy_robots1994 import ForbiddenByRobots
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.plugin.middleware import Robots1994Middleware
from scrapy_robots1994.plugin.recent import Recent
from scrapy_robots1994.plugin.turns import LARGE
from scrapy_robots1994.standard import RobotsTxt
from scrapy_robots1994.upkeep import Answered, Terms
from scrapy_robots1994.upkeep.policy import settle
from tests.support.crawler import idle_crawler

SMALL = b"User-agent: *\nDisallow: /closed\n"
LONG = SMALL + b"".join(b"Disallow: /%d/\n" % number for number in range(LARGE // 10))
FAR = 4e9
"""Seconds for which the policies are fresh."""


def holding(bodies: dict[str, bytes]) -> tuple[Robots1994Middleware, list[RobotsTxt]]:
    """A middleware that holds the files of these hosts, and one compiled at a time."""
    settings = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "rex"}
    middleware = Robots1994Middleware(idle_crawler(settings))
    middleware._recent = Recent(1)
    files = [RobotsTxt.parse(body) for body in bodies.values()]
    for host, robots in zip(bodies, files, strict=True):
        origin = Origin("http", host, 80)
        policy = settle(origin, Answered(200), robots, 1e9, Terms(ttl=FAR))
        middleware._keeper._memory.put(policy)
    return middleware, files


async def judged(middleware: Robots1994Middleware, url: str) -> bool:
    """Whether the request for *url* had to wait; raises as the middleware does."""
    waiting = middleware.process_request(Request(url))
    if iscoroutine(waiting):
        await waiting
        return True
    return False


def test_a_large_file_at_rest_is_compiled_beside_the_event_loop() -> None:
    """Its next request waits for that, and is judged as ever."""
    middleware, (large, _) = holding({"large.test": LONG, "small.test": SMALL})

    async def crawl() -> None:
        assert await judged(middleware, "http://large.test/open")
        assert not large.rests
        assert not await judged(middleware, "http://large.test/open")

        await judged(middleware, "http://small.test/open")
        assert [large.rests] == [True]
        with pytest.raises(ForbiddenByRobots, match="line 2,"):
            await judged(middleware, "http://large.test/closed")

    asyncio.run(crawl())


def test_a_small_file_at_rest_keeps_nobody_waiting() -> None:
    """It is compiled on the spot, in less time than a turn would take."""
    middleware, (first, _) = holding({"first.test": SMALL, "second.test": SMALL})

    async def crawl() -> None:
        for host in ("first", "second", "first"):
            assert not await judged(middleware, f"http://{host}.test/open")
            with pytest.raises(ForbiddenByRobots):
                middleware.process_request(Request(f"http://{host}.test/closed"))
        assert not first.rests

    asyncio.run(crawl())
