"""Benchmarks of the middleware for requests whose policy is known, without a network."""

from __future__ import annotations

import asyncio
import logging
import time
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
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.policy import Policy
from tests.support.crawler import idle_crawler
from tools.bench.parsing import TEN
from tools.bench.timing import OURS, Result, exponent, race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

BUILT_IN = "built-in, awaited"
KNOWN_ORIGINS = (100, 10_000, 100_000)
LEAST_REQUESTS = 2_000
PATHS = {
    "allowed": "/page/{0}.html",
    "allowed, with a query": "/page/{0}.html?x={0}",
    "allowed, with the port": ":80/page/{0}.html",
    "allowed, percent-encoded": "/p%C3%A4ge/{0}.html",
    "refused": "/cgi-bin/{0}.html",
}
SETTINGS = {"ROBOTSTXT_OBEY": True, "USER_AGENT": "examplebot/1.0 (+http://e.test)"}
MORE_ORIGINS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)


def known_requests(rounds: int, most: int) -> Iterator[Result]:
    """Time `process_request` with fresh policies, without logging.

    URLs are parsed beforehand, because in a crawl other parts of Scrapy have already parsed them.
    """
    for count in (count for count in KNOWN_ORIGINS if count <= most):
        ours = middleware_with(
            [Origin("http", f"site-{n}.test", 80) for n in range(count)]
        )
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
    # Both middlewares log each refusal.
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def middleware_with(origins: Sequence[Origin]) -> Robots1994Middleware:
    bound = max(len(origins), 100_000)
    settings: dict[str, Any] = SETTINGS | {
        "ROBOTS1994_STORE": f"memory://?max_origins={bound}"
    }
    middleware = Robots1994Middleware(idle_crawler(settings))
    for origin in origins:
        policy = policy_of(origin, TEN, middleware)
        middleware._resolver.memory[origin] = policy
    return middleware


def policy_of(origin: Origin, body: bytes, middleware: Robots1994Middleware) -> Policy:
    urls = (origin.robots_url,)
    answer = Answer(urls=urls, status=200, body=body, fetched_at=time.time())
    return middleware._resolver._policy(origin, answer)


def _built_in(origins: int) -> Callable[..., Any]:
    """Return `process_request` of the built-in middleware, with a parser for each origin."""
    crawler = idle_crawler(SETTINGS)
    middleware = RobotsTxtMiddleware(crawler)
    parser = ProtegoRobotParser(TEN, None)
    for number in range(origins):
        for port in ("", ":80"):
            middleware._parsers[f"site-{number}.test{port}"] = parser
    process: Callable[..., Any] = middleware.process_request
    # Scrapy 2.13 also requires the argument *spider*.
    required = [
        it for it in signature(process).parameters.values() if it.default is it.empty
    ]
    return process if len(required) == 1 else partial(process, spider=None)


def _drive(process: Callable[..., Any], requests: Sequence[Request]) -> None:

    async def drive() -> None:
        for request in requests:
            with suppress(IgnoreRequest):
                await process(request)

    asyncio.run(drive())


def growth(rounds: int, most: int) -> Iterator[Result]:
    points = []
    for count in (count for count in MORE_ORIGINS if count <= most):
        origins = [Origin("http", f"site-{n}.test", 80) for n in range(count)]
        process = middleware_with(origins).process_request
        step = max(count // 1_000, 1)
        requests = [Request(f"{origin}/page") for origin in origins[::step]]
        sides = {OURS: partial(_drive, process, requests)}
        taken = race(sides, rounds=rounds, per=len(requests))
        result = Result(f"process_request, {count:,} origins in memory", "s", taken)
        points.append((count, result.median(OURS)))
        yield result
    fitted = {OURS: [exponent(points)]}
    yield Result("exponent of the time against origins", "exponent", fitted)
