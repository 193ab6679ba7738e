"""The signals of a crawl: `robots_parsed` of Scrapy, and our `request_refused`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.crawl import Reactor, crawl
from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /private\nSitemap: /sitemap.xml\n"


def test_each_refusal_is_signalled_once_even_if_a_handler_fails(
    site: Site, reactor: Reactor
) -> None:
    """This holds for a request that waited and for one whose policy was in memory."""
    site.robots("User-agent: *\nDisallow: /a\n")
    pages = [site.url(path) for path in ("/a/1", "/a/2", "/b")]
    result = crawl(
        pages,
        hook="record_refusals",
        reactor=reactor,
        settings={"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0},
    )

    sent = {key: value for key, value in result.stats.items() if "test/" in key}
    assert sent == {f"test/{page} 2 /a asking": 1 for page in pages[:2]}
    assert result.failed_urls == pages[:2]


def test_dry_run_sends_no_signal(site: Site) -> None:
    """In a dry run, our rules refuse nothing."""
    site.robots("User-agent: *\nDisallow: /a\n")
    result = crawl(
        [site.url("/a")], hook="record_refusals", settings={"ROBOTS1994_DRY_RUN": True}
    )

    assert not [key for key in result.stats if key.startswith("test/")]
    assert result.failed_urls == [site.url("/a")]


NEVER_FRESH = {f"ROBOTS1994_{it}": 0 for it in ("TTL", "MIN_TTL", "STALE_TTL")}


@pytest.mark.parametrize("lifetimes", [{}, NEVER_FRESH], ids=["TTL", "no TTL"])
def test_handler_may_await_a_page_of_the_origin(
    site: Site, reactor: Reactor, lifetimes: dict[str, int], tmp_path: Path
) -> None:
    """The policy is usable before handlers run, even if its lifetime is zero.

    In the second crawl each policy comes from a store, and memory has room for one: the
    signals are sent for them, too.
    """
    site.robots(FILE)
    store = f"sqlite:///{tmp_path / 'robots.db'}?in_memory=1"
    for _ in range(2):
        result = crawl(
            spider="Counted",
            spider_args={
                "site": site.url("", host="h{n}.test"),
                "pages": 8,
                "hosts": 8,
            },
            settings=lifetimes
            | {"ROBOTS1994_STORE": store, "ROBOTS1994_DIALECT": "extended"},
            reactor=reactor,
            hook="await_a_page",
            timeout=30,
        )

        assert len(result.fetched) == 8
        assert result.stats["test/awaited/200"] >= 8
        assert result.stats["finish_reason"] == "finished"
    assert lifetimes or len(site.log("/robots.txt")) == 8


def test_handler_may_await_the_close_of_the_crawl(site: Site, reactor: Reactor) -> None:
    """The close cancels the fetch, but not its handler, which awaits the close."""
    site.robots(FILE)

    result = crawl(
        [site.url("/page")],
        settings={"ROBOTS1994_DIALECT": "extended"},
        reactor=reactor,
        hook="on_sitemaps_close",
        timeout=30,
    )

    assert result.stats["finish_reason"] == "no page wanted"
    assert "Traceback" not in result.log
    assert site.targets() == ["/robots.txt"]
