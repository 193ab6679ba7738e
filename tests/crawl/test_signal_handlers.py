"""Handlers of signals about a robots.txt may await pages of the same origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import pytest
from scrapy import Request, signals
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future

from scrapy_robots1994 import robots_sitemaps
from tests.support.crawl import Reactor, crawl, reactors

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /private\nSitemap: /sitemap.xml\n"


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
        hook=f"tests.crawl.test_signal_handlers:{hook}",
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
        hook="tests.crawl.test_signal_handlers:on_sitemaps_close",
        timeout=30,
    )

    assert result.stats["finish_reason"] == "no page wanted"
    assert "Traceback" not in result.log
    assert site.targets() == ["/robots.txt"]
