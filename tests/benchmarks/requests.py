"""Races of the middleware without a network: a request whose policy is known."""

from __future__ import annotations

import asyncio
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.utils.httpobj import urlparse_cached

from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy import FreshnessSettings, Policy, RobotsResponse
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.benchmarks.parsing import TEN
from tests.benchmarks.timing import OURS, Result, exponent, race
from tests.support.crawler import idle_crawler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BUILT_IN = "built-in, awaited"
ORIGINS = 100
PAGES = 20
SETTINGS = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "examplebot/1.0 (+http://e.test)"}
MORE_ORIGINS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
HORIZON = 4e9
"""A moment far ahead, in seconds since the epoch: the policies are fresh."""


def known_requests(rounds: int) -> Iterator[Result]:
    """`process_request` of a request of a known, fresh origin that is allowed.

    Protego takes longer over a URL with a query, so there is a race for each kind.
    What other parts of Scrapy have done for the request before (its URL is parsed) is
    done for both, which is to the built-in's advantage.
    """
    ours = holding([Origin("http", f"site-{n}.test", 80) for n in range(ORIGINS)])
    built_in = _built_in()
    what = "process_request of a known, fresh origin, allowed"
    for query, kind, target in (("?x={}", "", 4), ("", ", URLs without a query", 0.0)):
        requests = [
            Request(f"http://site-{origin}.test/page/{page}.html{query.format(page)}")
            for page in range(PAGES)
            for origin in range(ORIGINS)
        ]
        for request in requests:
            urlparse_cached(request)
        sides: dict[str, Callable[[], object]] = {
            OURS: partial(_drive, ours.process_request, requests),
            BUILT_IN: partial(_drive, built_in, requests),
        }
        values = race(sides, rounds=rounds, per=len(requests))
        yield Result(what + kind, "s", values, against=BUILT_IN, target=target)


def holding(origins: Sequence[Origin]) -> Robots1994Middleware:
    """Our middleware, with a fresh policy of each of *origins*."""
    bound = max(len(origins), 100_000)
    settings: dict[str, Any] = SETTINGS | {
        "ROBOTS1994_STORE": f"memory://?max_origins={bound}"
    }
    middleware = Robots1994Middleware(idle_crawler(settings))
    robots = RobotsTxt.parse(TEN)
    for origin in origins:
        middleware._resolver._memory.put(policy_of(origin, robots))
    return middleware


def policy_of(origin: Origin, robots: RobotsTxt) -> Policy:
    """A policy of *origin* that says what *robots* says, fresh for long."""
    return Policy.from_response(
        origin, RobotsResponse(200), robots, 1e9, FreshnessSettings(ttl=HORIZON)
    )


def _built_in() -> Callable[..., Any]:
    """The `process_request` of Scrapy's middleware that has each origin's parsed file.

    Scrapy 2.13 wants the spider, which it only logs with.
    """
    crawler = idle_crawler(SETTINGS)
    middleware = RobotsTxtMiddleware(crawler)
    parser = ProtegoRobotParser(TEN, None)
    for number in range(ORIGINS):
        middleware._parsers[f"site-{number}.test"] = parser
    process: Callable[..., Any] = middleware.process_request
    required = [
        it for it in signature(process).parameters.values() if it.default is it.empty
    ]
    return process if len(required) == 1 else partial(process, spider=None)


def _drive(process: Callable[..., Any], requests: Sequence[Request]) -> None:
    """Hand each request to *process* and await what is to be awaited."""

    async def drive() -> None:
        for request in requests:
            waiting = process(request)
            if waiting is not None:
                await waiting

    asyncio.run(drive())


def _call(process: Callable[..., Any], requests: Sequence[Request]) -> None:
    """Hand each request to *process*, which has nothing to wait for."""
    for request in requests:
        process(request)


def growth(rounds: int, most: int) -> Iterator[Result]:
    """The time of `process_request` against the number of origins held."""
    points = []
    for count in (count for count in MORE_ORIGINS if count <= most):
        origins = [Origin("http", f"site-{n}.test", 80) for n in range(count)]
        process = holding(origins).process_request
        step = max(count // 1_000, 1)
        requests = [Request(f"{origin}/page") for origin in origins[::step]]
        sides = {OURS: partial(_call, process, requests)}
        taken = race(sides, rounds=rounds, per=len(requests))
        result = Result(f"process_request, {count:,} origins held", "s", taken)
        points.append((count, result.median(OURS)))
        yield result
    fitted = {OURS: [exponent(points)]}
    yield Result("exponent of keeper time against origins", "exponent", fitted)
