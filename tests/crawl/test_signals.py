"""The signals of a crawl: `robots_parsed` of Scrapy, and our `request_refused`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

import pytest
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots1994 import request_refused, robots_sitemaps
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /private\nSitemap: /sitemap.xml\n"


def record_refusals(crawler: Any) -> None:
    """Record the arguments of a handler; another handler raises."""

    def record(request: Any, verdict: Any, spider: Any) -> None:
        text = f"{request.url} {verdict.line} {verdict.rule} {spider.name}"
        crawler.stats.inc_value(f"test/{text}")

    def fail(**_: object) -> None:
        raise LookupError

    for handler in (fail, record):
        crawler.signals.connect(handler, request_refused, weak=False)


@pytest.mark.parametrize("reactor", reactors())
def test_each_refusal_is_signalled_once_even_if_a_handler_fails(
    reactor: Reactor,
) -> None:
    """This holds for a request that waited and for one whose policy was in memory."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\n")
        pages = [site.url(path) for path in ("/a/1", "/a/2", "/b")]
        result = crawl(
            pages,
            hook="tests.crawl.test_signals:record_refusals",
            reactor=reactor,
            settings={"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0},
        )

    sent = {key: value for key, value in result.stats.items() if "test/" in key}
    assert sent == {f"test/{page} 2 /a asking": 1 for page in pages[:2]}
    assert result.failed_urls == pages[:2]


def test_dry_run_sends_no_signal() -> None:
    """In a dry run, our rules refuse nothing."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /a\n")
        result = crawl(
            [site.url("/a")],
            hook="tests.crawl.test_signals:record_refusals",
            settings={"ROBOTS1994_DRY_RUN": True},
        )

    assert not [key for key in result.stats if key.startswith("test/")]
    assert result.failed_urls == [site.url("/a")]


def _await_a_page(crawler: Crawler, signal: Any) -> None:
    """Request a page of the origin while the handler of *signal* runs."""

    async def handle(request: Request) -> None:
        engine: Any = crawler.engine
        page = Request(urljoin(request.url, "/of-handler"), callback=NO_CALLBACK)
        if hasattr(engine, "download_async"):
            response = await engine.download_async(page)
        else:
            response = await maybe_deferred_to_future(engine.download(page))
        assert crawler.stats is not None
        crawler.stats.set_value("test/handler", response.status)

    crawler.signals.connect(handle, signal, weak=False)


def on_sitemaps(crawler: Crawler) -> None:
    """Await a page in a handler of `robots_sitemaps`; a crawl hook."""
    _await_a_page(crawler, robots_sitemaps)


def on_parsed(crawler: Crawler) -> None:
    """Await a page in a handler of `robots_parsed`; a crawl hook."""
    _await_a_page(crawler, signals.robots_parsed)


HOOKS = ["on_sitemaps"] + ["on_parsed"] * hasattr(signals, "robots_parsed")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("reactor", reactors())
@pytest.mark.parametrize(
    "settings",
    [{}, {"ROBOTS1994_TTL": 0, "ROBOTS1994_MIN_TTL": 0, "ROBOTS1994_STALE_TTL": 0}],
    ids=["TTL", "no TTL"],
)
def test_handler_may_await_a_page_of_the_origin(
    site: Site, reactor: Reactor, hook: str, settings: dict[str, Any]
) -> None:
    """The policy is usable while handlers run, even if its lifetime is zero."""
    site.robots(FILE)

    result = crawl(
        [site.url("/page"), site.url("/private")],
        settings=settings | {"ROBOTS1994_DIALECT": "extended"},
        reactor=reactor,
        hook=f"tests.crawl.test_signals:{hook}",
    )

    assert result.stats["test/handler"] == 200
    assert result.fetched_urls == [site.url("/page")]
    assert len(result.failed) == 1


def on_sitemaps_close(crawler: Crawler) -> None:
    """Await the close of the crawl in a handler of `robots_sitemaps`; a crawl hook."""

    async def handle() -> None:
        engine: Any = crawler.engine
        if hasattr(engine, "close_spider_async"):
            await engine.close_spider_async(reason="no page wanted")
        else:
            closing = engine.close_spider(crawler.spider, "no page wanted")
            await maybe_deferred_to_future(closing)

    crawler.signals.connect(handle, robots_sitemaps, weak=False)


@pytest.mark.parametrize("reactor", reactors())
def test_handler_may_await_the_close_of_the_crawl(site: Site, reactor: Reactor) -> None:
    """The close cancels the fetch, but not its handler, which awaits the close."""
    site.robots(FILE)

    result = crawl(
        [site.url("/page")],
        settings={"ROBOTS1994_DIALECT": "extended"},
        reactor=reactor,
        hook="tests.crawl.test_signals:on_sitemaps_close",
        timeout=30,
    )

    assert result.stats["finish_reason"] == "no page wanted"
    assert "Traceback" not in result.log
    assert site.targets() == ["/robots.txt"]
