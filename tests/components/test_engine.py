"""Requests that components send through the engine are checked like those of spiders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.crawl import Reactor, crawl, reactors

if TYPE_CHECKING:
    from tests.support.site import Site


@pytest.mark.parametrize("reactor", reactors())
def test_request_of_a_pipeline_is_refused(reactor: Reactor, site: Site) -> None:
    """`engine.download_async` raises the refusal; `engine.crawl` calls the errback."""
    site.robots("User-agent: *\nDisallow: /private\n")
    wanted = {"download": site.url("/private/1"), "crawl": site.url("/private/2")}

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:ItemSpider",
        spider_args={"item": wanted},
        settings={"ITEM_PIPELINES": {"tests.components.parts.RequestingPipeline": 1}},
        reactor=reactor,
    )

    (item,) = result.items
    assert item["downloaded"].startswith(
        "Forbidden by robots.txt: disallowed by line 2"
    )
    assert result.failed_urls == [site.url("/private/2")]
    assert sorted(site.targets()) == ["/page", "/robots.txt"]


@pytest.mark.parametrize("closed", ["far.test", "farther.test"])
def test_pipeline_request_to_a_new_host_waits_for_its_policy(
    closed: str, site: Site
) -> None:
    """Requests to two hosts that only the pipeline requests, one of which disallows all.

    One request is sent by `engine.download_async`, the other by `engine.crawl`.
    """
    site.robots("User-agent: *\nDisallow: /\n", at=closed)
    far, farther = (
        f"http://{host}:{site.port}" for host in ("far.test", "farther.test")
    )

    result = crawl(
        [site.url("/page")],
        spider="tests.components.spiders:ItemSpider",
        spider_args={"item": {"download": f"{far}/far", "crawl": f"{farther}/farther"}},
        settings={"ITEM_PIPELINES": {"tests.components.parts.RequestingPipeline": 1}},
    )

    (item,) = result.items
    if closed == "far.test":
        expected = {
            "far.test": ["/robots.txt"],
            "farther.test": ["/robots.txt", "/farther"],
        }
        assert "disallowed by line 2" in item["downloaded"]
        assert result.failed_urls == []
    else:
        expected = {
            "far.test": ["/robots.txt", "/far"],
            "farther.test": ["/robots.txt"],
        }
        assert item["downloaded"] == 200
        assert result.failed_urls == [f"{farther}/farther"]
    for host, targets in expected.items():
        requested = [
            seen.target for seen in site.log() if seen.host.startswith(f"{host}:")
        ]
        assert requested == targets
