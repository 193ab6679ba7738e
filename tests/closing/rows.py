"""The rows of issue 18's table that are about waiting, each a crawl of any size."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.crawl import start_crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import Crawl, CrawlResult, Middleware, Reactor

SPIDERS = "tests.closing.spiders"
OPEN = "User-agent: *\nDisallow: /private\n"


@dataclass(frozen=True, slots=True)
class Side:
    """What crawls: ours or the built-in, on which reactor."""

    middleware: Middleware = "ours"
    reactor: Reactor = "asyncio"
    settings: dict[str, Any] = field(default_factory=dict)

    def start(self, site: Site, spider: str = "Counted", **options: Any) -> Crawl:
        """Start a crawl of *site*; further options are of `start_crawl`."""
        args = {"site": site.url("", host="a.test")} | options.pop("spider_args", {})
        settings = self.settings | options.pop("settings", {})
        return start_crawl(
            spider=f"{SPIDERS}:{spider}",
            reactor=self.reactor,
            middleware=self.middleware,
            spider_args=args,
            settings=settings,
            **options,
        )

    def crawl(self, site: Site, spider: str = "Counted", **options: Any) -> CrawlResult:
        """Run the crawl that `start` describes to its end."""
        return self.start(site, spider, **options).result()


def pages_of(site: Site) -> list[int]:
    """Return the numbers of the requested pages, in order."""
    return [int(it.target[2:]) for it in site.log() if it.target.startswith("/p")]


def wait_for(running: Crawl, text: str) -> None:
    """Return once the crawl has logged *text*."""
    path = running.folder / "log.txt"
    while text not in path.read_text("utf-8", "replace"):
        time.sleep(0.02)


def closes_by(side: Side, pages: int, settings: dict[str, Any]) -> int:
    """Return how many pages were requested by a crawl that *settings* close.

    The robots.txt arrives after all requests have been yielded.
    """
    with Site() as site:
        site.robots(OPEN, gate="slow")
        running = side.start(site, spider_args={"pages": pages}, settings=settings)
        wait_for(running, f"all {pages} are yielded")
        site.open("slow")
        running.result()
        return len(pages_of(site))


def errorcount(side: Side, pages: int) -> str:
    """Return how a crawl ends whose first page raises in its callback."""
    settings = {"CLOSESPIDER_ERRORCOUNT": 1}
    with Site() as site:
        site.robots(OPEN, gate="slow")
        running = side.start(
            site, "Raising", spider_args={"pages": pages}, settings=settings
        )
        wait_for(running, f"all {pages} are yielded")
        site.open("slow")
        reason = running.result().stats["finish_reason"]
        return f"{len(pages_of(site))} pages, {reason}"


def resumed(side: Side, pages: int, folder: Path) -> Counter[int]:
    """Return how often each page was requested by an interrupted and a resumed crawl.

    The first is interrupted while its requests wait; its robots.txt then fails.
    """
    settings = {"JOBDIR": str(folder)}
    args = {"pages": pages, "filtered": True}
    with Site() as site:
        site.answer("/robots.txt", replies.Reply(503, gate="slow"))
        running = side.start(site, spider_args=args, settings=settings)
        wait_for(running, f"all {pages} are yielded")
        os.kill(running.pid, signal.SIGINT)
        wait_for(running, "Closing spider")
        site.open("slow")
        running.result()
        site.robots(OPEN)
        side.crawl(site, spider_args=args, settings=settings)
        return Counter(pages_of(site))


def silent_origins(side: Side, origins: int, fetches: int) -> tuple[int, int, float]:
    """Return the robots.txt requests before and after SIGINT, and the seconds after it.

    No origin answers.
    """
    settings: dict[str, Any] = {
        "ROBOTS1994_MAX_FETCHES": fetches,
        "DOWNLOAD_TIMEOUT": 15,
    }
    with Site() as site:
        site.answer("/robots.txt", replies.black_hole())
        args = {
            "pages": origins,
            "hosts": origins,
            "site": site.url("", host="h{n}.test"),
        }
        running = side.start(site, spider_args=args, settings=settings)
        first = fetches if side.middleware == "ours" else 8
        site.wait("/robots.txt", count=first)
        os.kill(running.pid, signal.SIGINT)
        before, start = len(site.log("/robots.txt")), time.monotonic()
        running.result()
        took = time.monotonic() - start
        return before, len(site.log("/robots.txt")) - before, took


def urgent_places(side: Side, pages: int, urgent: int) -> list[int]:
    """Return which places the urgent pages took among all, counted from 0."""
    with Site() as site:
        site.robots(OPEN, gate="slow")
        args = {"pages": pages, "urgent": urgent}
        running = side.start(site, spider_args=args)
        wait_for(running, f"all {pages + urgent} are yielded")
        site.open("slow")
        running.result()
        order = pages_of(site)
    return [place for place, number in enumerate(order) if number >= pages]


def from_cache(side: Side, pages: int, folder: Path) -> float:
    """Return the seconds of a crawl whose pages the HTTP cache has.

    The built-in has its robots.txt from there, too.
    """
    settings = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(folder),
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    }
    with Site() as site:
        site.robots(OPEN)
        side.crawl(site, spider_args={"pages": pages}, settings=settings)
        start = time.monotonic()
        result = side.crawl(site, spider_args={"pages": pages}, settings=settings)
        took = time.monotonic() - start
    assert len(result.fetched) == pages
    return took


def foreign_concurrency(side: Side, pages: int) -> tuple[int, int, int]:
    """Return the concurrency at the end, the pages at once, and all fetched."""
    with Site() as site:
        site.robots(OPEN, gate="slow")
        running = side.start(
            site,
            spider_args={"pages": pages},
            settings={"SPIDER_MIDDLEWARES": {"tests.crawl.parts.Gauge": 1}},
            hook=f"{SPIDERS}:shrink_concurrency",
        )
        wait_for(running, f"all {pages} are yielded")
        site.open("slow")
        result = running.result()
    stats = result.stats
    return stats["test/concurrency"], stats["test/most_pages"], len(result.fetched)


def shared(side: Side, pages: int, redis_url: str) -> Counter[int]:
    """Return how often each page was requested by two workers of one queue.

    One is interrupted while its requests wait, and started again.
    """
    settings = {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "REDIS_URL": redis_url,
    }
    args = {"pages": pages, "filtered": True}
    options: dict[str, Any] = {
        "spider_args": args,
        "settings": settings,
        "may_warn": True,
    }
    with Site() as site:
        site.robots(OPEN, gate="slow")
        first, second = (side.start(site, **options) for _ in range(2))
        for worker in (first, second):
            wait_for(worker, f"all {pages} are yielded")
        os.kill(first.pid, signal.SIGINT)
        first.result()
        again = side.start(site, **options)
        wait_for(again, f"all {pages} are yielded")
        site.open("slow")
        for worker in (second, again):
            worker.result()
        return Counter(pages_of(site))
