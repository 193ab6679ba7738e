"""Requests that components send by the engine are checked as those of spiders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl import Reactor, crawl, reactors

if TYPE_CHECKING:
    from tests.support.site import Site


@pytest.mark.parametrize("reactor", reactors())
def test_a_pipeline_is_refused_as_a_spider_is(reactor: Reactor, site: Site) -> None:
    """`engine.download_async` raises the reason; `engine.crawl` ends in the errback."""
    site.robots("User-agent: *\nDisallow: /private\n")
    wanted = {"download": site.url("/private/1"), "crawl": site.url("/private/2")}

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:Offering",
        spider_args={"item": wanted},
        settings={"ITEM_PIPELINES": {"tests.components.parts.Asking": 1}},
        reactor=reactor,
    )

    (item,) = result.items
    assert item["downloaded"].startswith(
        "Forbidden by robots.txt: disallowed by line 2"
    )
    assert result.failed_urls == [site.url("/private/2")]
    assert sorted(site.targets()) == ["/page", "/robots.txt"]


def test_a_pipeline_that_asks_a_new_host_waits_for_its_policy(site: Site) -> None:
    """A host that only a pipeline asks for has its robots.txt read first."""
    site.robots("User-agent: *\nDisallow: /private\n")
    port = site.port
    wanted = {
        "download": f"http://far.test:{port}/open",
        "crawl": f"http://farther.test:{port}/open",
    }

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:Offering",
        spider_args={"item": wanted},
        settings={
            "ITEM_PIPELINES": {"tests.components.parts.Asking": 1},
            "CLOSESPIDER_ITEMCOUNT": 2,
        },
    )

    assert result.items[0]["downloaded"] == 200
    hosts = [seen.host for seen in site.log("/robots.txt")]
    assert f"far.test:{port}" in hosts
