"""Measurements run by hand:

python -m tools.faults.rows [ROW ...] [--origins N] [--reactors asyncio,select,none]

Another Scrapy is the one that PYTHONPATH names first.

Each row is a crawl of many healthy origins on a machine, a network or behind proxies
that make fetches fail, with this plugin and with Scrapy's built-in middleware. It
prints how many pages were fetched, refused or failed, and how long it took.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import scrapy
import twisted

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Middleware, Reactor, crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

ORIGINS = 1_000
SLOW_LOOK_UPS = {"TEST_LOOK_UP_SECONDS": 0.5}
FEW_DESCRIPTORS = {"TEST_DESCRIPTORS": 256}
LATE_SECONDS = 2.0
FILE = "User-agent: *\nDisallow: /private\n"


class RotateProxies:
    """Gives each request, also for robots.txt, a random one of `TEST_PROXIES`."""

    def __init__(self, proxies: list[str]) -> None:
        self._proxies = proxies
        self._random = random.Random(1994)  # noqa: S311 - the same in each run

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the proxies from the settings."""
        return cls(crawler.settings.getlist("TEST_PROXIES"))

    def process_request(self, request: Request, spider: Spider | None = None) -> None:
        """Choose anew each time, also for a retry."""
        request.meta["proxy"] = self._random.choice(self._proxies)


@dataclass(frozen=True)
class Row:
    """One situation: what the site answers, and what the crawl requests.

    *prepare* scripts the site and returns the requests of a crawl of *origins* origins,
    with further settings of the crawl.
    """

    what: str
    prepare: Callable[[Site, int], tuple[list[str | CrawlRequest], dict[str, Any]]]
    hook: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def run(
        self,
        origins: int,
        middleware: Middleware = "ours",
        reactor: Reactor = "asyncio",
        **settings: Any,
    ) -> tuple[CrawlResult, float]:
        """Crawl; return the counts and the seconds it took."""
        with Site() as site:
            requests, more = self.prepare(site, origins)
            started = time.monotonic()
            result = crawl(
                requests,
                settings={"RETRY_ENABLED": True, "LOG_LEVEL": "INFO"}
                | dict(self.settings)
                | more
                | settings,
                middleware=middleware,
                reactor=reactor,
                hook=self.hook,
                timeout=450,
                may_warn=True,
            )
        return result, time.monotonic() - started


def urls(site: Site, origins: int, pages: int = 1) -> list[str | CrawlRequest]:
    """Return *pages* URLs of each of *origins* origins, all of them permitted."""
    return [
        site.url(f"/page/{page}", host=f"h{number}.test")
        for page in range(pages)
        for number in range(origins)
    ]


def healthy(
    site: Site, origins: int
) -> tuple[list[str | CrawlRequest], dict[str, Any]]:
    """Answer at once."""
    site.robots(FILE)
    return urls(site, origins), {}


def late(site: Site, origins: int) -> tuple[list[str | CrawlRequest], dict[str, Any]]:
    """Answer robots.txt after two seconds, and close the connection."""
    slow = replies.Reply(body=FILE.encode(), delay=LATE_SECONDS, ending="close")
    site.answer("/robots.txt", slow)
    site.answer("*", replies.Reply(body=b"page", ending="close"))
    return urls(site, origins), {}


def late_kept_alive(
    site: Site, origins: int
) -> tuple[list[str | CrawlRequest], dict[str, Any]]:
    """Answer robots.txt after two seconds, and keep the connection open."""
    site.answer("/robots.txt", replies.Reply(body=FILE.encode(), delay=LATE_SECONDS))
    return urls(site, origins), {}


def some_slow(
    site: Site, origins: int
) -> tuple[list[str | CrawlRequest], dict[str, Any]]:
    """Let the first half of the origins take ten seconds for their robots.txt."""
    site.robots(FILE)
    for number in range(origins // 2):
        slow = replies.Reply(body=FILE.encode(), delay=10.0)
        site.answer("/robots.txt", slow, at=f"h{number}.test")
    return urls(site, origins), {}


def dead_proxy(
    site: Site, origins: int
) -> tuple[list[str | CrawlRequest], dict[str, Any]]:
    """Let one of three proxies be dead; each request uses a random one."""
    site.robots(FILE)
    alive = site.url("").rstrip("/")
    dead = site.refused_url("").rstrip("/")
    count = max(origins // 33, 1)
    requests: list[str | CrawlRequest] = [
        f"http://h{number}.test/page/{page}"
        for page in range(10)
        for number in range(count)
    ]
    middlewares = {"tools.faults.rows.RotateProxies": 740}
    return requests, {
        "TEST_PROXIES": [alive, alive, dead],
        "DOWNLOADER_MIDDLEWARES": middlewares,
    }


def first_fails(
    bad: replies.Reply,
) -> Callable[[Site, int], tuple[list[str | CrawlRequest], dict[str, Any]]]:
    """Return a *prepare* that answers the first request for robots.txt with *bad*."""

    def prepare(
        site: Site, origins: int
    ) -> tuple[list[str | CrawlRequest], dict[str, Any]]:
        # One origin, as the row of the issue has it.
        times = 2 if bad.ending == "reset" else 1  # aiohttp itself retries once
        good = replies.text(FILE)
        site.answer("/robots.txt", [*[bad] * times, good])
        return urls(site, 1, 50), {}

    return prepare


ROWS = {
    "names": Row("each look-up takes 0.5 s", healthy, "slow_names", SLOW_LOOK_UPS),
    "descriptors": Row(
        "256 descriptors, robots.txt takes 2 s",
        late,
        "few_descriptors",
        FEW_DESCRIPTORS,
    ),
    "descriptors-keep-alive": Row(
        "the same, connections stay open",
        late_kept_alive,
        "few_descriptors",
        FEW_DESCRIPTORS,
    ),
    "names-and-hosts": Row(
        "each look-up takes 0.5 s, robots.txt 2 s",
        late,
        "slow_names",
        SLOW_LOOK_UPS,
    ),
    "slow": Row("half of the origins take 10 s", some_slow),
    "proxy": Row("one of three proxies is dead, 10 pages an origin", dead_proxy),
    "reset": Row("the first answer is a reset", first_fails(replies.reset())),
    "503": Row("the first answer is a 503", first_fails(replies.status(503))),
    "truncated": Row(
        "the first answer ends before its Content-Length",
        first_fails(replies.Reply(body=FILE.encode(), length=1_000, ending="close")),
    ),
    "502": Row("the first answer is a 502", first_fails(replies.status(502))),
    "408": Row("the first answer is a 408", first_fails(replies.status(408))),
    "429": Row(
        "the first answer is a 429, Retry-After: 1",
        first_fails(replies.status(429, Retry_After="1")),
    ),
}


def main(arguments: list[str]) -> None:
    """Print a line for each row, reactor and side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", default=list(ROWS))
    parser.add_argument("--origins", type=int, default=ORIGINS)
    parser.add_argument("--reactors", default="asyncio")
    parser.add_argument("--only", choices=("ours", "builtin"))
    chosen = parser.parse_args(arguments)
    sides: tuple[Middleware, ...] = ("ours", "builtin")
    write = partial(print, flush=True)
    write(f"Scrapy {scrapy.__version__}, Twisted {twisted.__version__}\n")
    write("| row | reactor | side | pages | refused | failed | seconds | robots.txt |")
    write("|---" * 8 + "|")
    for name in chosen.rows:
        for reactor, side in product(chosen.reactors.split(","), sides):
            if chosen.only in (None, side):
                result, took = ROWS[name].run(chosen.origins, side, reactor)
                refused = sum(failed.verdict is not None for failed in result.failed)
                cells = (
                    ROWS[name].what,
                    reactor,
                    side,
                    len(result.fetched),
                    refused,
                    len(result.failed) - refused,
                    f"{took:.1f}",
                    result.stats.get("robotstxt/request_count"),
                )
                write(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main(sys.argv[1:])
