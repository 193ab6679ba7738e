"""Files at rest: of an origin that was not asked for long, only the bytes are held."""

from __future__ import annotations

import asyncio
import threading
from inspect import iscoroutine
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, signals

from scrapy_robots1994 import ForbiddenByRobots
from scrapy_robots1994.crawl.backend import _looked_into
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.rules_cache import RulesCache
from scrapy_robots1994.crawl.threads import LARGE
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, RobotsResponse
from scrapy_robots1994.policy.policy import settle
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.support.child import AskingSpider
from tests.support.crawl import Ask, Reactor, crawl, reactors
from tests.support.crawler import idle_crawler
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

SMALL = b"User-agent: *\nDisallow: /closed\n"
LONG = SMALL + b"".join(b"Disallow: /%d/\n" % number for number in range(LARGE // 10))
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
        policy = settle(
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


def test_a_large_file_at_rest_is_compiled_beside_the_event_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its next request waits for that, and is judged as ever."""
    middleware, (large, _) = holding({"large.test": LONG, "small.test": SMALL})

    prepare, threads = RobotsTxt.prepare, []

    def watched(robots: RobotsTxt, robot: str | bytes) -> None:
        threads.append(threading.current_thread())
        prepare(robots, robot)

    monkeypatch.setattr(RobotsTxt, "prepare", watched)

    async def crawl() -> None:
        assert await judged(middleware, "http://large.test/open")
        assert not large.rests
        assert not await judged(middleware, "http://large.test/open")

        await judged(middleware, "http://small.test/open")
        assert [large.rests] == [True]
        with pytest.raises(ForbiddenByRobots, match="line 2,"):
            await judged(middleware, "http://large.test/closed")

    asyncio.run(crawl())

    assert len(threads) == 2
    assert threading.main_thread() not in threads


@pytest.mark.parametrize("count", [1, 200, LARGE // 10])
def test_what_was_read_is_compiled_before_it_is_packed(count: int) -> None:
    """A large file is prepared, too; of others the first question sorts nothing."""
    lines = "".join(f"Disallow: /{number}/\n" for number in range(count))
    robots = RobotsTxt.parse(f"User-agent: *\n{lines}")

    _looked_into(robots, "rex")

    assert not robots.rests
    many = robots.ruling("rex")._many
    is_prepared = many is not None and many.width is not None
    assert is_prepared is (robots.size > LARGE)


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


class InTurn(AskingSpider):
    """Asks for each URL of the job once the one before it has ended."""

    async def start(self) -> AsyncIterator[Any]:
        """Ask for the first."""
        yield self.ask(**self.asks.pop(0))

    def look(self, response: Response) -> Iterator[Any]:
        """Ask for the next."""
        if self.asks:
            yield self.ask(**self.asks.pop(0))


def one_compiled(crawler: Crawler) -> None:
    """Keep the rules of one origin compiled, and count who waits for others."""

    def opened() -> None:
        ours: Any = crawler.get_downloader_middleware(Robots1994Middleware)
        ours._recent = RulesCache(1)
        judge_later = ours._judge_later

        def counted(*arguments: Any) -> Any:
            assert crawler.stats is not None
            crawler.stats.inc_value("test/judged_later")
            return judge_later(*arguments)

        ours._judge_later = counted

    crawler.signals.connect(opened, signals.spider_opened, weak=False)


@pytest.mark.parametrize("reactor", reactors())
def test_a_crawl_comes_back_to_a_large_file_at_rest(reactor: Reactor) -> None:
    """Another origin came between: compiled again, once, it refuses as before."""
    with Site() as site:
        site.robots(LONG, at="large.test")
        site.robots(SMALL, at="small.test")
        there = [site.url(path, host="large.test") for path in ("/a", "/b", "/closed")]
        between = site.url("/c", host="small.test")
        asked = [Ask(url) for url in (there[0], between, *there[1:])]
        result = crawl(
            asked,
            spider="tests.crawl.test_rest:InTurn",
            hook="tests.crawl.test_rest:one_compiled",
            reactor=reactor,
        )

    assert [url for url, _ in result.fetched] == [there[0], between, there[1]]
    assert [each.url for each in result.failed] == [there[2]]
    assert result.failed[0].verdict is not None
    assert result.failed[0].verdict["line"] == 2
    assert result.stats["test/judged_later"] == 1
    assert result.stats["robotstxt/request_count"] == 2
