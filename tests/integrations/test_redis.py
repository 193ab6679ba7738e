"""Crawls with the scheduler of scrapy-redis, which stores requests in Redis."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.crawl.test_waiting import assert_all_fetched, crawl_with_slow_hosts
from tests.support import replies
from tests.support.crawl import Reactor, crawl, reactors, start_crawl
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from typing import Any

    from tests.support.site import Site

pytestmark = pytest.mark.redis

CLOSED = "User-agent: *\nDisallow: /private\n"


def queue_in(redis: RedisServer) -> dict[str, Any]:
    """Return settings with which scrapy-redis stores requests in *redis*."""
    return {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": True,
        "REDIS_URL": redis.url,
    }


def test_scrapy_redis_requests_are_checked_when_they_leave_the_queue(
    site: Site,
) -> None:
    """A separate Redis has the queue and the filter, and no keys of ours."""
    site.robots(CLOSED)
    site.answer("/", replies.html('<a href="/open">o</a><a href="/private">p</a>'))

    with RedisServer() as redis:
        result = crawl(
            [site.url("/")],
            spider_args={"follow": True},
            settings=queue_in(redis),
        )
        keys = redis.client().keys()

    assert result.fetched_urls == [site.url("/"), site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    assert keys == [b"asking:dupefilter"]


@pytest.mark.parametrize("reactor", reactors())
def test_its_own_spider_is_refused(site: Site, reactor: Reactor) -> None:
    """Start URLs in a list, some pushed while it crawls; all are crawled."""
    site.robots(CLOSED)
    site.answer("/first", replies.html("first", gate="pushed"))

    with RedisServer() as redis:
        client = redis.client()

        def push(*paths: str) -> None:
            starts = [json.dumps({"url": site.url(path)}) for path in paths]
            client.rpush("shared:start_urls", *starts)

        push("/private/1", "/first")
        crawling = start_crawl(
            spider="tests.integrations.shared:Shared",
            settings=queue_in(redis),
            reactor=reactor,
        )
        site.wait("/first")
        push("/later", "/private/2")
        site.open("pushed")
        result = crawling.result()
        left = client.llen("shared:start_urls")

    assert [item["url"] for item in result.items] == [
        site.url("/first"),
        site.url("/later"),
    ]
    assert site.targets() == ["/robots.txt", "/first", "/later"]
    assert result.stats["robotstxt/forbidden"] == 2
    assert (result.stats["finish_reason"], left) == ("finished", 0)


@pytest.mark.parametrize("reactor", reactors())
def test_slow_robots_txt_delays_no_other_origin_with_scrapy_redis(
    site: Site, reactor: Reactor
) -> None:
    """48 requests wait for one origin; the others come first, and none is lost."""
    with RedisServer() as redis:
        result = crawl_with_slow_hosts(site, reactor=reactor, settings=queue_in(redis))

    assert_all_fetched(result)
    assert result.stats["test/most_pages"] <= 3
    assert result.stats["scheduler/dequeued/redis"] == len(result.fetched)
