"""Large files: their rules are compiled in a thread."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import pytest
from scrapy import Request

from scrapy_robots1994 import ForbiddenByRobots
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.threads import INLINE_PARSE_BYTES
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.robotstxt import Reader, RobotsTxt
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from scrapy_robots1994.parser import RobotRules

SMALL = b"User-agent: *\nDisallow: /closed\n"
LONG = SMALL + b"".join(
    b"Disallow: /%d/\n" % number for number in range(INLINE_PARSE_BYTES // 10)
)
FAR = 4e9
"""Seconds for which the policies are fresh."""


def middleware_with(
    host: str, body: bytes, **more: object
) -> tuple[Robots1994Middleware, RobotsTxt]:
    """Return a middleware with a file in memory, and the file, not compiled yet."""
    settings = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "rex", **more}
    middleware = Robots1994Middleware(idle_crawler(settings))
    policy = Policy.from_response(
        Origin("http", host, 80),
        RobotsResponse(200, body),
        Reader("1994", "literal", len(body)),
        1e9,
        FreshnessSettings(ttl=FAR),
    )
    middleware._resolver.memory.put(policy)
    assert policy.robots is not None
    return middleware, policy.robots


async def waits(middleware: Robots1994Middleware, url: str) -> bool:
    """Whether the request for *url* had to wait; raises as the middleware does."""
    answer = middleware.process_request(Request(url))
    task = asyncio.ensure_future(answer)
    await asyncio.sleep(0)
    has_waited = not task.done()
    await task
    return has_waited


def test_rules_of_a_large_file_are_compiled_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first request waits for the rules, later ones do not."""
    middleware, large = middleware_with("large.test", LONG)

    rules, threads = RobotsTxt.rules, []

    def recorded(robots: RobotsTxt, robot: str | bytes) -> RobotRules:
        if robots.compiled_rules(robot) is None:
            threads.append(threading.current_thread())
        return rules(robots, robot)

    monkeypatch.setattr(RobotsTxt, "rules", recorded)

    async def crawl() -> None:
        assert await waits(middleware, "http://large.test/open")
        assert not await waits(middleware, "http://large.test/open")
        with pytest.raises(ForbiddenByRobots, match="line 2,"):
            await waits(middleware, "http://large.test/closed")

    asyncio.run(crawl())

    assert [large.compiled_rules("rex") is not None, len(threads)] == [True, 1]
    assert threading.main_thread() not in threads


@pytest.mark.parametrize(
    "settings",
    [
        {"ROBOTS1994_COMPARE": True},
        {"ROBOTS1994_DRY_RUN": True},
        {"ROBOTS1994_DIALECT": "extended", "ROBOTS1994_CRAWL_DELAY": True},
    ],
    ids=["compare", "dry-run", "crawl-delay"],
)
def test_no_judge_compiles_a_large_file_on_the_event_loop(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, object]
) -> None:
    """The rules are compiled before any judge uses them."""
    middleware, large = middleware_with("large.test", LONG, **settings)
    original, threads = RobotsTxt._keep, []

    def recorded(robots: RobotsTxt, rules: RobotRules) -> None:
        threads.append(threading.current_thread())
        original(robots, rules)

    monkeypatch.setattr(RobotsTxt, "_keep", recorded)
    asyncio.run(waits(middleware, "http://large.test/open"))

    assert large.compiled_rules("rex") is not None
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("path", ["/open", "/open?q", "/%6fpen", "/robots.txt"])
def test_request_with_a_fresh_policy_in_memory_does_not_wait(path: str) -> None:
    """`process_request` finishes in its first step, the first time and later."""
    middleware, _ = middleware_with("small.test", SMALL)

    for _ in range(3):
        answer = middleware.process_request(Request(f"http://small.test{path}"))
        with pytest.raises(StopIteration) as ended:
            answer.send(None)
        assert ended.value.value is None


def test_refusal_by_a_small_file_does_not_wait() -> None:
    """The exception is raised in the first step."""
    middleware, _ = middleware_with("small.test", SMALL)

    for _ in range(3):
        answer = middleware.process_request(Request("http://small.test/closed/1"))
        with pytest.raises(ForbiddenByRobots):
            answer.send(None)
