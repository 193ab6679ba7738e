"""scrapy-redis: its scheduler keeps the requests, we judge them on their way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import replies
from tests.support.crawl import crawl
from tests.support.redis_server import RedisServer

if TYPE_CHECKING:
    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /private\n"


def test_scrapy_redis_keeps_requests_that_are_judged_on_their_way_out(
    site: Site,
) -> None:
    """Its scheduler and its filter in a Redis of its own; nothing of ours is in it."""
    site.robots(CLOSED)
    site.answer("/", replies.html('<a href="/open">o</a><a href="/private">p</a>'))

    with RedisServer() as redis:
        result = crawl(
            [site.url("/")],
            spider_args={"follow": True},
            settings={
                "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
                "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
                "SCHEDULER_PERSIST": True,
                "REDIS_URL": redis.url,
            },
        )
        keys = redis.client().keys()

    assert result.fetched_urls == [site.url("/"), site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    assert keys == [b"asking:dupefilter"]
