"""Tests of crawls with other plugins and download handlers."""

from __future__ import annotations

import json
import shutil

import pytest
import scrapy

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl, start_crawl
from tests.support.http2 import http2_site
from tests.support.left_out import table
from tests.support.project import CLOSED, WHY
from tests.support.redis_server import RedisServer
from tests.support.site import Site

MODULE = "scrapy.core.downloader.handlers"
VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))


@pytest.mark.plugin("h2")
@pytest.mark.skipif(VERSION < (2, 16), reason="its HTTP/2 fails with current pyOpenSSL")
@table(("limit", "fetched"), (100, ["/late"]), (500_000, []))
def test_http2_file_is_truncated_at_the_limit(limit: int, fetched: list[str]) -> None:
    """With HTTP/2, only the lines of robots.txt within ROBOTS1994_MAX_BYTES are obeyed.

    Scrapy's handler for HTTP/2 nevertheless downloads the whole robots.txt.
    """
    handlers = {"https": f"{MODULE}.http2.H2DownloadHandler"}
    settings = {"DOWNLOAD_HANDLERS": handlers, "ROBOTS1994_MAX_BYTES": limit}
    with http2_site() as (url, _):
        result = crawl([f"{url}/private", f"{url}/late"], settings=settings)

    assert result.fetched_urls == [url + path for path in fetched]
    assert f"{url}/private" in result.failed_urls
    assert result.stats.get("robots1994/truncated", 0) == len(fetched)


@pytest.mark.plugin("scrapy_impersonate")
@table("propagated", ["impersonate"], [])
def test_scrapy_impersonate_fetches_robots_txt_if_configured(
    propagated: list[str], site: Site
) -> None:
    """The key `impersonate` in ROBOTS1994_PROPAGATE_META lets scrapy-impersonate fetch
    robots.txt.

    Without the key `impersonate` in ROBOTS1994_PROPAGATE_META, another client fetches
    robots.txt.
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
    """With scrapy-poet, a disallowed request that a callback sends with the HTTP client is
    refused.
    """
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


@pytest.mark.plugin("scrapy_playwright")
@pytest.mark.long
@pytest.mark.browser
def test_refused_page_opens_no_tab(site: Site) -> None:
    """With scrapy-playwright, neither a refused page nor a robots.txt request opens a
    browser tab.

    A redirect that the browser follows is not checked.
    """
    site.robots(CLOSED)
    site.answer("/open", replies.html("<script>document.title = 'run'</script>"))
    site.answer("/moved", replies.redirect("/private/3"))
    requests = [
        CrawlRequest(site.url(path), meta={"playwright": True})
        for path in ("/private/1", "/open", "/private/2", "/moved")
    ]
    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    launch = {
        "executable_path": shutil.which("chromium"),
        "args": ["--no-sandbox", "--disable-gpu"],
    }
    settings = {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "PLAYWRIGHT_LAUNCH_OPTIONS": launch,
        "USER_AGENT": "walker/1.0",
    }
    result = crawl(requests, settings=settings)

    assert result.fetched_urls == [site.url("/open"), site.url("/private/3")]
    assert {it.verdict and it.verdict["text"] for it in result.failed} == {WHY}
    assert result.stats["playwright/page_count"] == 2
    (robots,) = site.log("/robots.txt")
    assert robots.headers["user-agent"] == "walker/1.0"
    assert "sec-fetch-mode" not in robots.headers


@pytest.mark.plugin("scrapy_redis")
@pytest.mark.redis
def test_scrapy_redis_requests_are_checked_when_they_leave_the_queue(
    site: Site, reactor: Reactor
) -> None:
    """With scrapy-redis, requests are checked when they leave the queue.

    The test adds some start URLs during the crawl. At the end, Redis contains no keys of
    our package.
    """
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
