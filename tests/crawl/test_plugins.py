"""Crawls with other Scrapy plugins."""

from __future__ import annotations

import json

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl, start_crawl
from tests.support.project import CLOSED
from tests.support.redis_server import RedisServer
from tests.support.site import Site


@pytest.mark.plugin("scrapy_impersonate")
@pytest.mark.parametrize("propagated", [["impersonate"], []])
def test_scrapy_impersonate_fetches_robots_txt_if_configured(
    propagated: list[str], site: Site
) -> None:
    """If ROBOTS1994_PROPAGATE_META lists `impersonate`, the impersonating client fetches robots.txt
    too.
    """
    site.robots(CLOSED)
    handler = "scrapy_impersonate.ImpersonateDownloadHandler"
    meta = {"impersonate": "chrome"}
    result = crawl(
        [CrawlRequest(site.url(path), meta) for path in ("/open", "/private")],
        settings={
            "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
            "ROBOTS1994_PROPAGATE_META": propagated,
            "USER_AGENT": "walker/1.0",
        },
    )

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    robots, page = site.log()
    assert (robots.target, page.target) == ("/robots.txt", "/open")
    assert "sec-fetch-mode" in page.headers
    assert ("sec-fetch-mode" in robots.headers) is bool(propagated)
    assert {it.headers["user-agent"] for it in (robots, page)} == {"walker/1.0"}


@pytest.mark.plugin("scrapy_poet")
def test_scrapy_poet_http_client_is_refused(site: Site) -> None:
    site.robots(CLOSED)

    result = crawl(
        [site.url("/open"), site.url("/private")],
        spider="tests.support.plugins.poet:Paged",
        settings={
            "ADDONS": {"scrapy_poet.Addon": 300, "scrapy_robots1994.Addon": 500},
            "SCRAPY_POET_DISCOVER": [],
        },
    )

    (item,) = result.items
    assert item["title"].startswith("127.0.0.1")
    assert "Forbidden by robots.txt: disallowed by line 2" in item["more"]
    assert result.failed_urls == [site.url("/private")]
    assert sorted(site.targets()) == ["/open", "/robots.txt"]


@pytest.mark.plugin("scrapy_redis")
@pytest.mark.redis
def test_scrapy_redis_requests_are_checked_when_they_leave_the_queue(
    site: Site, reactor: Reactor
) -> None:
    site.robots(CLOSED)
    site.answer("/first", replies.html("first", gate="pushed"))

    with RedisServer() as redis:
        client = redis.client()

        def push(*paths: str) -> None:
            starts = [json.dumps({"url": site.url(path)}) for path in paths]
            client.rpush("shared:start_urls", *starts)

        push("/private/1", "/first")
        crawling = start_crawl(
            spider="tests.support.plugins.redis_queue:Shared",
            settings=redis.queue,
            reactor=reactor,
        )
        site.wait("/first")
        push("/later", "/private/2")
        site.open("pushed")
        result = crawling.result()
        keys = client.keys()

    items = [item["url"] for item in result.items]
    assert items == [site.url("/first"), site.url("/later")]
    assert site.targets() == ["/robots.txt", "/first", "/later"]
    assert result.stats["robotstxt/forbidden"] == 2
    assert (result.stats["finish_reason"], keys) == ("finished", [])
