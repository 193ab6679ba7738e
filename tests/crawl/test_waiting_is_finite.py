"""Tests that a waiting request is returned to the scheduler at most once.

If no slot is free when robots.txt arrives, the waiting request is returned to the
scheduler. Every permitted page is requested exactly once. Each request passes through the
middlewares in front of our middleware at most three times. In these tests, each robots.txt
is slow, so that many requests wait.
"""

from __future__ import annotations

from collections import Counter
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
    # When a returned request leaves the scheduler again, no policy is fresh, so the request
    # waits again.
    "ROBOTS1994_TTL": 0,
    "ROBOTS1994_MIN_TTL": 0,
    "ROBOTS1994_STALE_TTL": 0,
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
    """Assert that each page was requested once.

    Also assert that no request passed through the middlewares more than three times.
    """
    seen = [(it.host, it.target) for it in site.log() if it.target != "/robots.txt"]
    assert len(seen) == len(set(seen)) == len(pages)
    passes: Counter[str] = Counter()
    for result in results:
        passes.update(result.stats["test/passes"])
    assert passes.most_common(1)[0][1] <= 3


@table(
    ("by_priority", "memory", "origins"),
    ("DownloaderAwarePriorityQueue", "LifoMemoryQueue", 40),
    ("DownloaderAwarePriorityQueue", "FifoMemoryQueue", 40),
    ("ScrapyPriorityQueue", "LifoMemoryQueue", 40),
    ("ScrapyPriorityQueue", "FifoMemoryQueue", MANY),
    ("DownloaderAwarePriorityQueue", "LifoMemoryQueue", MANY),
)
def test_each_page_is_requested_once_whatever_the_queue(
    site: Site, by_priority: str, memory: str, origins: int
) -> None:
    """With each of Scrapy's queues, each page is requested exactly once.

    Without the meta key `RETURNED`, a request would be returned to the scheduler whenever
    no slot is free.
    """
    settings = SETTINGS | {
        "SCHEDULER_PRIORITY_QUEUE": f"scrapy.pqueues.{by_priority}",
        "SCHEDULER_MEMORY_QUEUE": f"scrapy.squeues.{memory}",
        "SCHEDULER_START_MEMORY_QUEUE": f"scrapy.squeues.{memory}",
    }
    pages = slow_site(site, origins)
    result = crawl(pages, settings=settings, timeout=TIMEOUT)

    assert_each_once(site, pages, result)
    # Check that requests were returned to the scheduler, because otherwise the test is
    # useless.
    assert max(result.stats["test/passes"].values()) > 1


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
    """If two workers share a queue, each page is requested exactly once.

    Waiting requests are not returned to a shared queue, but only to Scrapy's own scheduler.
    """
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
