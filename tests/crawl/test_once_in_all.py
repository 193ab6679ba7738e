"""Crawls of many origins with a slow robots.txt that share a queue request every page once.
It passes the middlewares once in each crawl.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.crawl import (
    COMPONENTS,
    CrawlRequest,
    CrawlResult,
    start_crawl,
)
from tests.support.redis_server import RedisServer
from tests.support.replies import Reply
from tests.support.site import Site

ORIGINS = 40
SETTINGS: dict[str, Any] = {
    # Few slots, and fewer requests that need none than pages.
    "CONCURRENT_REQUESTS": 4,
    "ROBOTS1994_MAX_WAITING": ORIGINS,
    "LOG_LEVEL": "INFO",
    "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.CountPasses": 10},
}


def slow_site(site: Site) -> list[CrawlRequest]:
    """Make every robots.txt of *site* slow, and return requests for three pages of each
    host.
    """
    site.answer("/robots.txt", Reply(200, b"User-agent: *\nDisallow: /x\n", delay=0.5))
    return [
        CrawlRequest(site.url(f"/p{page}", host=f"h{number}.test"), priority=page % 2)
        for page in range(3)
        for number in range(ORIGINS)
    ]


def assert_each_once(site: Site, *results: CrawlResult) -> None:
    """Assert that each page was requested once, and passed once in each crawl."""
    seen = [(it.host, it.target) for it in site.log() if it.target != "/robots.txt"]
    assert len(seen) == len(set(seen)) == 3 * ORIGINS
    for result in results:
        assert set(result.stats["test/passes"].values()) == {1}


@pytest.mark.redis
def test_each_page_is_requested_once_by_two_workers_of_one_queue() -> None:
    """Two workers that share a queue request each page once."""
    with RedisServer() as redis, Site() as site:
        options: dict[str, Any] = {
            "spider": "FilteredSpider",
            "settings": SETTINGS | redis.queue,
            "may_warn": True,
        }
        pages = slow_site(site)
        workers = [start_crawl(pages, **options) for _ in range(2)]
        results = [worker.result() for worker in workers]

        assert_each_once(site, *results)
