"""Situations from public reports by people who run crawlers.

Each situation is crawled with our middleware and with the built-in middleware. The tests check
the requests in the server's log, the log of the crawl, and the errbacks. Two other situations
have tests in other modules. `test_time_limits` tests a component that never returns; the
built-in middleware would wait for ever. `test_exporters` tests items of errbacks.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Middleware, crawl
from tests.support.replies import Reply
from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /private\n"
RETRIED = {"RETRY_ENABLED": True, "RETRY_TIMES": 2}
PAGES = ("/open", "/private")
RAISING = {"http": "tests.support.failures.FailingHandler"}


@dataclass
class Crawled:
    """The result of one crawl, and the two servers, which log their requests."""

    site: Site
    proxy: Site
    result: CrawlResult

    @property
    def pages(self) -> list[str]:
        """The sorted paths of the pages that were requested."""
        both = [*self.site.targets(), *self.proxy.targets()]
        return sorted(it for it in both if it in PAGES)

    @property
    def robots(self) -> int:
        """The number of requests for robots.txt."""
        return [*self.site.targets(), *self.proxy.targets()].count("/robots.txt")

    @property
    def warned(self) -> bool:
        """Whether the log has a warning that contains the word `robots`."""
        return any("robots" in it for it in self.result.lines("WARNING"))


def through(site: Site, proxy: Site) -> list[CrawlRequest]:
    """Return requests for both pages, the first through *proxy* and the second through *site*."""
    metas = [{"proxy": it.url("").rstrip("/")} for it in (proxy, site)]
    pages = zip(PAGES, metas, strict=True)
    return [CrawlRequest(f"http://far.test{path}", meta) for path, meta in pages]


def direct(site: Site, _proxy: Site) -> list[CrawlRequest]:
    """Return requests for both pages of *site*."""
    return [CrawlRequest(site.url(path)) for path in PAGES]


def dead(site: Site, _proxy: Site) -> list[CrawlRequest]:
    """Return requests for both pages through a proxy that refuses connections."""
    meta = {"proxy": site.refused_url("").rstrip("/")}
    return [CrawlRequest(f"http://far.test{path}", meta) for path in PAGES]


def refused(site: Site, _proxy: Site) -> list[CrawlRequest]:
    """Return a request for a page at a port that refuses connections."""
    return [CrawlRequest(site.refused_url("/open"))]


def raising(_site: Site, _proxy: Site) -> list[CrawlRequest]:
    """Return requests for pages of three hosts.

    The download handler raises an exception for the robots.txt request of each host.
    """
    hosts = ("runtime", "api", "disk")
    return [CrawlRequest(f"http://{host}.test/open") for host in hosts]


@dataclass
class Situation:
    """A situation: the answers of the servers, the requests, and the expected results.

    *looked_at* is a function that returns a value for a crawl. *ours* is the expected value
    with our middleware, and *built_in* is the expected value with the built-in middleware.
    """

    looked_at: Callable[[Crawled], object]
    ours: object
    built_in: object
    robots: Reply | list[Reply] = field(default_factory=lambda: replies.text(FILE))
    of_proxy: Reply = field(default_factory=lambda: replies.text(FILE))
    more: Mapping[str, Reply] = field(default_factory=dict)
    requests: Callable[[Site, Site], list[CrawlRequest]] = direct
    settings: Mapping[str, Any] = field(default_factory=dict)


def failure(crawled: Crawled) -> list[tuple[str, object]]:
    """Return the class of each request's exception, and whether the verdict says
    "refused".
    """
    found = crawled.result.failed
    verdicts = [(it.verdict or {}).get("text", "") for it in found]
    return [
        (it.name.rpartition(".")[2], "refused" in text)
        for it, text in zip(found, verdicts, strict=True)
    ]


COOKIE = Reply(302, b"", (("Location", "/robots.txt"), ("Set-Cookie", "human=1")))

SITUATIONS = {
    "1: a proxy answers 402 for every site": Situation(
        lambda it: it.pages,
        ours=[],
        built_in=["/open", "/private"],
        of_proxy=replies.status(402),
        requests=through,
    ),
    "3: a cookie check in front of robots.txt": Situation(
        lambda it: it.pages,
        ours=["/open"],
        built_in=["/open"],
        robots=[COOKIE, replies.text(FILE)],
        settings={"COOKIES_ENABLED": True},
    ),
    "5: a handler raises, an API answers 401, a disk is full": Situation(
        lambda it: (it.result.reasons, len(it.result.fetched)),
        ours=([None] * 3, 0),
        built_in=([], 3),
        requests=raising,
        settings={"DOWNLOAD_HANDLERS": RAISING},
    ),
    "6: a closed port": Situation(
        failure,
        ours=[("ForbiddenByRobots", True)],
        built_in=[("DownloadConnectionRefusedError", False)],
        requests=refused,
    ),
    "7: a proxy is dead": Situation(
        lambda it: it.result.stats["robotstxt/request_count"],
        ours=3,
        built_in=1,
        requests=dead,
        settings=RETRIED,
    ),
    "8: robots.txt is silent": Situation(
        lambda it: (it.robots, bool(it.result.lines("robots.txt", "than 0.5 seconds"))),
        ours=(3, True),
        built_in=(3, True),
        robots=replies.black_hole(),
        settings=RETRIED | {"DOWNLOAD_TIMEOUT": 0.5},
    ),
    "9: 503 with Retry-After of 0": Situation(
        lambda it: it.robots,
        ours=3,
        built_in=3,
        robots=replies.status(503, Retry_After="0"),
        settings=RETRIED,
    ),
    "10: one of two proxies answers 403": Situation(
        lambda it: it.pages,
        ours=[],
        built_in=["/open", "/private"],
        of_proxy=replies.status(403),
        requests=through,
        settings=RETRIED,
    ),
    "11: the target of a redirect fails": Situation(
        lambda it: (len(it.result.lines("Could not fetch", "/policy.txt")), it.pages),
        ours=(1, []),
        built_in=(0, ["/open", "/private"]),
        robots=replies.redirect("/policy.txt"),
        more={"/policy.txt": replies.reset()},
    ),
    "12: a spider does not obey": Situation(
        lambda it: (it.warned, it.pages),
        ours=(False, ["/open", "/private"]),
        built_in=(False, ["/open", "/private"]),
        settings={"ROBOTSTXT_OBEY": False},
    ),
    "13: gzip bytes without Content-Encoding": Situation(
        lambda it: (it.warned, it.pages),
        ours=(True, ["/open", "/private"]),
        built_in=(False, ["/open", "/private"]),
        robots=replies.text(gzip.compress(FILE.encode())),
    ),
}


def crawled(situation: Situation, middleware: Middleware) -> object:
    """Return the value of `looked_at` after a crawl of *situation*."""
    with ExitStack() as stack:
        site, proxy = (stack.enter_context(Site()) for _ in range(2))
        site.answer("/robots.txt", situation.robots)
        proxy.answer("*", situation.of_proxy)
        for target, reply in situation.more.items():
            site.answer(target, reply)
        requests = situation.requests(site, proxy)
        crawled = partial(crawl, requests, middleware=middleware)
        result = crawled(settings={"CONCURRENT_REQUESTS": 2, **situation.settings})
        return situation.looked_at(Crawled(site, proxy, result))


@pytest.mark.parametrize("name", SITUATIONS)
def test_situation_of_a_public_report(name: str) -> None:
    """With each middleware, the crawl of a situation gives the value that the situation
    states for the middleware.
    """
    situation = SITUATIONS[name]

    assert crawled(situation, "ours") == situation.ours
    assert crawled(situation, "builtin") == situation.built_in
