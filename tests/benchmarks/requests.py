"""Races of the middleware without a network: a request whose policy is known."""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager, suppress
from functools import partial
from inspect import signature
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
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
KNOWN_ORIGINS = (100, 10_000, 100_000)
LEAST_REQUESTS = 2_000
PATHS = {
    "allowed": "/page/{0}.html",
    "allowed, with a query": "/page/{0}.html?x={0}",
    "allowed, percent-encoded": "/p%C3%A4ge/{0}.html",
    "refused": "/cgi-bin/{0}.html",
}
SETTINGS = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "examplebot/1.0 (+http://e.test)"}
MORE_ORIGINS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
HORIZON = 4e9
"""A moment far ahead, in seconds since the epoch: the policies are fresh."""


def known_requests(rounds: int, most: int) -> Iterator[Result]:
    """`process_request` of a request of a known, fresh origin.

    What other parts of Scrapy have done for the request before (its URL is parsed) is
    done for both, which is to the built-in's advantage. No log line is written.
    """
    for count in (count for count in KNOWN_ORIGINS if count <= most):
        ours = holding([Origin("http", f"site-{n}.test", 80) for n in range(count)])
        built_in = _built_in(count)
        for (kind, path), order in product(PATHS.items(), ("in turn", "at random")):
            origins = list(range(count)) * max(LEAST_REQUESTS // count, 1)
            if order == "at random":
                Random(1).shuffle(origins)  # noqa: S311 - the same order every time
            requests = [
                Request(f"http://site-{origin}.test{path.format(page)}")
                for page, origin in enumerate(origins)
            ]
            for request in requests:
                urlparse_cached(request)
            sides: dict[str, Callable[[], object]] = {
                OURS: partial(_drive, ours.process_request, requests),
                BUILT_IN: partial(_drive, built_in, requests),
            }
            what = f"process_request, {count:,} known origins {order}, {kind}"
            with _no_log():
                values = race(sides, rounds=rounds, per=len(requests))
            yield Result(what, "s", values, against=BUILT_IN, target=1 / 1.03)


@contextmanager
def _no_log() -> Iterator[None]:
    """Write no log: refusals of both sides have a line each."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


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


def _built_in(origins: int) -> Callable[..., Any]:
    """The `process_request` of Scrapy's middleware that has each origin's parsed file.

    Scrapy 2.13 wants the spider, which it only logs with.
    """
    crawler = idle_crawler(SETTINGS)
    middleware = RobotsTxtMiddleware(crawler)
    parser = ProtegoRobotParser(TEN, None)
    for number in range(origins):
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
            with suppress(IgnoreRequest):
                await process(request)

    asyncio.run(drive())


def growth(rounds: int, most: int) -> Iterator[Result]:
    """The time of `process_request` against the number of origins held."""
    points = []
    for count in (count for count in MORE_ORIGINS if count <= most):
        origins = [Origin("http", f"site-{n}.test", 80) for n in range(count)]
        process = holding(origins).process_request
        step = max(count // 1_000, 1)
        requests = [Request(f"{origin}/page") for origin in origins[::step]]
        sides = {OURS: partial(_drive, process, requests)}
        taken = race(sides, rounds=rounds, per=len(requests))
        result = Result(f"process_request, {count:,} origins held", "s", taken)
        points.append((count, result.median(OURS)))
        yield result
    fitted = {OURS: [exponent(points)]}
    yield Result("exponent of the time against origins", "exponent", fitted)
