"""The warning that robots.txt refused all start requests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.crawl import (
    COMPONENTS,
    Reactor,
    crawl,
    start_crawl,
)
from tests.support.project import CLOSED
from tests.support.site import Site

CLOSING = {"ROBOTS1994_CLOSE_WHEN_DENIED": True}
NOTHING = "refused all start requests"


def test_crawl_whose_every_start_was_refused_warns_once(
    site: Site, reactor: Reactor
) -> None:
    """Duplicate start requests do not count."""
    site.robots(CLOSED)
    result = crawl(
        [site.url(f"/private/{name}") for name in "abaab"],
        spider="FilteredSpider",
        settings=CLOSING,
        reactor=reactor,
    )

    (line,) = result.lines(NOTHING)
    assert "WARNING: robots.txt refused all start requests (2)" in line
    assert f"first: {site.url('/private/a')}: " in line
    assert "line 2" in line
    assert line.endswith("explains each refusal.")
    assert result.stats["robots1994/starts_refused"] == 2
    assert result.stats["finish_reason"] == "robotstxt_denied"


def test_start_request_of_a_stopped_crawl_was_not_refused(site: Site) -> None:
    site.robots(CLOSED)
    site.robots(CLOSED, at="slow.test", gate="never")
    urls = [site.url("/private/1"), site.url("/private/2", host="slow.test")]
    running = start_crawl(urls, hook="close_soon")
    running.wait_for("Forbidden by robots.txt")
    running.interrupt()

    assert NOTHING not in running.result().log


def test_request_that_is_awaited_does_not_prevent_the_warning(site: Site) -> None:
    """A login that a component awaits is not a start request."""
    site.robots(CLOSED)
    result = crawl(
        [site.url("/private/1")],
        spider="LoggingIn",
        spider_args={"login": site.url("/login")},
    )

    assert [it.target for it in site.log("/login")] == ["/login"]
    assert "robots.txt refused all start requests (1)" in result.log
    assert result.stats["finish_reason"] == "finished"


def test_request_that_is_awaited_does_not_hide_a_fetched_page(site: Site) -> None:
    site.robots(CLOSED)
    result = crawl(
        [site.url("/private/1"), site.url("/open")],
        spider="ItemSpider",
        spider_args={"item": {"awaited": site.url("/login")}},
        settings=CLOSING | {"ITEM_PIPELINES": {f"{COMPONENTS}.AwaitingPipeline": 1}},
    )

    assert site.targets() == ["/robots.txt", "/open", "/login"]
    assert NOTHING not in result.log
    assert result.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("starts", [[], ["/private/1"]])
def test_refused_request_that_is_awaited_is_no_start_request(
    site: Site, starts: list[str]
) -> None:
    site.robots(CLOSED)
    result = crawl(
        list(map(site.url, starts)),
        spider="LoggingIn",
        spider_args={"login": site.url("/private/login")},
        settings=CLOSING,
    )

    refused = result.stats["robotstxt/forbidden"]
    assert refused == len(starts) + 1
    assert result.stats.get("robots1994/starts_refused", 0) == len(starts)
    assert len(result.lines(NOTHING, f"({len(starts)})")) == len(starts)
    reason = "robotstxt_denied" if starts else "finished"
    assert result.stats["finish_reason"] == reason


def test_start_request_that_is_retried_counts_once(
    site: Site, reactor: Reactor
) -> None:
    site.robots(CLOSED)
    breaking = {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.BreakFirstRobots": 850}}
    result = crawl(
        [site.url("/private")],
        settings=CLOSING | breaking | {"RETRY_ENABLED": True},
        reactor=reactor,
    )

    assert result.stats["robots1994/retries"] == 1
    assert "robots.txt refused all start requests (1)" in result.log
    assert result.stats["finish_reason"] == "robotstxt_denied"


@pytest.mark.parametrize("order", [[0, 2, 1], [2, 0, 1]])
def test_start_request_of_an_earlier_run_was_not_refused(
    site: Site, tmp_path: Path, order: list[int]
) -> None:
    """The resumed crawl drops a start request of the earlier run as a duplicate."""
    site.robots(CLOSED)
    settings = CLOSING | {"JOBDIR": str(tmp_path)}
    urls = [site.url("/a"), site.url("/b"), site.url("/private")]
    crawl(urls[:2], spider="FilteredSpider", settings=settings)
    several = [urls[place] for place in order]
    result = crawl(several, spider="FilteredSpider", settings=settings)

    assert result.failed_urls == urls[2:]
    assert NOTHING not in result.log
    assert result.stats["finish_reason"] == "finished"
