"""Tests of crawls of many origins with a slow robots.txt that are resumed or have a shared
queue. Every page is requested once, and passes the middlewares once in each crawl.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.crawl import (
    COMPONENTS,
    CrawlRequest,
    CrawlResult,
    crawl,
    start_crawl,
)
from tests.support.left_out import table
from tests.support.redis_server import RedisServer
from tests.support.replies import Reply
from tests.support.site import Site

TIMEOUT = 300.0
"""The timeout of a crawl in seconds. Crawls of many origins are slow on a busy machine."""
MANY = 350
"""Number of origins. With this number of origins, the crawl requests more than
ROBOTS1994_MAX_WAITING pages.
"""
ORIGINS = table("origins", 40, MANY)
SETTINGS: dict[str, Any] = {
    # With only four slots, no slot is free for most pages when their robots.txt arrives.
    "CONCURRENT_REQUESTS": 4,
    "LOG_LEVEL": "INFO",
    "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.CountPasses": 10},
}


def slow_site(site: Site, origins: int) -> list[CrawlRequest]:
    """Make every robots.txt of *site* slow, and return requests for three pages of each
    host.

    The requests are sorted by the number of the page, and then by host.
    """
    site.answer("/robots.txt", Reply(200, b"User-agent: *\nDisallow: /x\n", delay=0.5))
    return [
        CrawlRequest(site.url(f"/p{page}", host=f"h{number}.test"), priority=page % 2)
        for page in range(3)
        for number in range(origins)
    ]


def assert_each_once(
    site: Site, pages: list[CrawlRequest], *results: CrawlResult
) -> None:
    """Assert that each page was requested once, and passed once in each crawl."""
    seen = [(it.host, it.target) for it in site.log() if it.target != "/robots.txt"]
    assert len(seen) == len(set(seen)) == len(pages)
    for result in results:
        assert set(result.stats["test/passes"].values()) == {1}


@ORIGINS
def test_each_page_is_requested_once_over_stop_and_resume(
    site: Site, tmp_path: Path, origins: int
) -> None:
    """If a crawl with JOBDIR is interrupted and resumed, each page is requested exactly
    once.
    """
    settings = SETTINGS | {"JOBDIR": str(tmp_path)}
    pages = slow_site(site, origins)
    site.answer("/p2", Reply(gate="interrupted"))
    running = start_crawl(pages, settings=settings, timeout=TIMEOUT)
    # Wait until the scheduler has all pages, so that the next crawl can request these
    # pages.
    running.wait_for(f"all {len(pages)} are yielded")
    site.wait("/p1")
    running.send_sigint()
    site.open("interrupted")
    first = running.result()
    second = crawl(settings=settings, timeout=TIMEOUT)

    assert_each_once(site, pages, first, second)
    assert first.stats["finish_reason"] == "shutdown"


@pytest.mark.redis
@ORIGINS
def test_each_page_is_requested_once_by_two_workers_of_one_queue(origins: int) -> None:
    """If two workers share a queue, each page is requested exactly once."""
    with RedisServer() as redis, Site() as site:
        settings = SETTINGS | redis.queue
        pages = slow_site(site, origins)
        spider = "FilteredSpider"
        workers = [
            start_crawl(
                pages, spider=spider, settings=settings, timeout=TIMEOUT, may_warn=True
            )
            for _ in range(2)
        ]
        results = [worker.result() for worker in workers]

        assert_each_once(site, pages, *results)
