"""Crawls that share a Redis server fetch each robots.txt once, unless a worker or Redis dies."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.crawl import Crawl, Reactor, start_crawl
from tests.support.redis_server import RedisServer
from tests.support.site import Site

pytestmark = pytest.mark.redis

BODY = "User-agent: *\nDisallow: /closed\n"
ORIGINS = 30
WORKERS = 3


def start_workers(
    urls: list[str],
    server: RedisServer,
    reactor: Reactor = "asyncio",
    workers: int = WORKERS,
    **bounds: int,
) -> list[Crawl]:
    settings = {
        "ROBOTS1994_STORE": f"{server.url}?timeout=60",
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
        "TEST_BOUNDS": {f"crawl.store.{name}": it for name, it in bounds.items()},
    }
    hook = "tests.unit.bounds:shrink_in_crawl"
    return [
        start_crawl(urls, reactor=reactor, settings=settings, hook=hook)
        for _ in range(workers)
    ]


def test_workers_fetch_each_robots_txt_once_in_all(reactor: Reactor) -> None:
    with RedisServer() as server, Site(addresses=ORIGINS) as site:
        # The site sends no robots.txt until one has been requested from every origin.
        site.robots(BODY, gate="slow")
        site.open_when("slow", "/robots.txt", count=ORIGINS)
        workers = WORKERS if reactor == "asyncio" else 2
        urls = [
            site.address_url(number, path)
            for number in range(ORIGINS)
            for path in ("/open", "/closed")
        ]
        # On a slow machine, all the fetches may take longer than a lease usually lasts.
        running = start_workers(urls, server, reactor, workers, LEASE_SECONDS=100)
        results = [worker.result() for worker in running]
        fetches = Counter(seen.host for seen in site.log("/robots.txt"))

    assert len(fetches) == ORIGINS
    assert set(fetches.values()) == {1}
    for result in results:
        assert len(result.fetched) == len(result.failed) == ORIGINS
        assert all(url.endswith("/closed") for url in result.failed_urls)


def test_fetch_of_a_killed_worker_is_repeated_by_another() -> None:
    """When the lease of the killed worker has expired, each of the two others may fetch once."""
    with RedisServer() as server, Site(addresses=3) as site:
        site.robots(BODY, gate="slow")
        urls = [site.address_url(number, "/open") for number in range(3)]
        (first,) = start_workers(urls, server, workers=1)
        site.wait("/robots.txt", count=3)
        others = start_workers(urls, server, workers=2)
        first.kill()
        site.open_when("slow", "/robots.txt", count=6)
        results = [worker.result() for worker in others]
        fetches = Counter(seen.host for seen in site.log("/robots.txt"))

    assert all(result.fetched_urls == sorted(urls) for result in results)
    assert set(fetches.values()) <= {2, 3}


def test_redis_that_dies_while_leases_are_held_loses_no_page() -> None:
    with RedisServer() as server, Site(addresses=3) as site:
        site.robots(BODY, gate="slow")
        paths = "/open", "/closed"
        urls = [site.address_url(n, path) for n in range(3) for path in paths]
        workers = start_workers(urls, server, workers=2)
        site.wait("/robots.txt", count=3)
        server.stop()
        site.open("slow")
        results = [worker.result() for worker in workers]

    for result in results:
        assert result.fetched_urls == sorted(urls[::2])
        assert result.reasons == ["rule"] * 3
        assert result.log.count("WARNING: ROBOTS1994_STORE") == 1
