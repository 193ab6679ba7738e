"""The time limits of a robots.txt request, with slow components and servers."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlRequest, Reactor, crawl
from tests.support.site import Site

OPEN = "User-agent: *\nDisallow: /closed\n"
PATHS = "/open", "/closed"
SHRINK = "tests.unit.bounds:shrink_in_crawl"


@pytest.mark.parametrize("seconds", [0, -1])
def test_page_without_a_time_limit_has_its_robots_txt(site: Site, seconds: int) -> None:
    site.answer("/robots.txt", replies.trickle(OPEN.encode(), 8, 0.01))
    site.answer("/open", replies.status(200))
    pages = [CrawlRequest(site.url(it), {"download_timeout": seconds}) for it in PATHS]
    settings = {"TEST_BOUNDS": {"crawl.fetch.GRACE_SECONDS": 0}}
    result = crawl(pages, settings=settings, hook=SHRINK)

    assert site.targets()[0] == "/robots.txt"
    assert "robots1994/outcome/unreachable" not in result.stats
    assert "rule" in result.reasons


def test_component_that_does_not_return_is_given_up(
    site: Site, reactor: Reactor
) -> None:
    """Ours R7: the pages fail 5 s after the time limit of the robots.txt request."""
    site.robots(OPEN)
    site.answer("/robots.txt", replies.status(403), at="slow.test")
    slow = [site.url(f"/{number}", host="slow.test") for number in range(3)]
    settings = {
        "ROBOTS1994_TIMEOUT": 1,
        "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.WaitsForEver": 500},
    }
    result = crawl([*slow, site.url("/open")], settings=settings, reactor=reactor)

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == slow
    assert all("Timeout" in it.name for it in result.failed)
    (line,) = result.lines("WARNING", "within its time limit of 1 s plus 5 s")
    assert line.endswith("skip requests with is_robotstxt_request in their meta")
    assert not [it for it in result.stats if it.startswith("robots1994/outcome/unrea")]
    assert result.unclean == []


def test_queues_take_no_time_of_the_limit(site: Site) -> None:
    """The first fetch waits in the queue of its download slot, and the second waits until the first
    has ended. Both fetches wait for longer than ROBOTS1994_TIMEOUT and GRACE_SECONDS together.
    """
    site.answer("/robots.txt", replies.redirect("/policy.txt"))
    site.answer("/policy.txt", replies.text(OPEN))
    bounds = {"fetch.MAX_FETCHES": 1, "fetch.GRACE_SECONDS": 0.5}
    bounds["threads.PAUSE_SECONDS"] = 0.5
    settings = {
        "DOWNLOAD_DELAY": 4,
        "ROBOTS1994_TIMEOUT": 0.5,
        "TEST_BOUNDS": {f"crawl.{name}": value for name, value in bounds.items()},
    }
    pages = [site.url("/closed", host=host) for host in ("a.test", "b.test")]
    result = crawl(pages, settings=settings, hook=SHRINK)

    assert result.reasons == ["rule", "rule"]
    assert sorted(site.targets()) == ["/policy.txt"] * 2 + ["/robots.txt"] * 2


@pytest.mark.parametrize(
    ("settings", "of_spider", "meta", "seconds"),
    [
        ({"DOWNLOAD_TIMEOUT": 1}, {}, {}, 1),
        ({}, {"download_timeout": 1}, {}, 1),
        ({"DOWNLOAD_TIMEOUT": 1}, {"download_timeout": 0}, {}, 1),
        ({}, {}, {"download_timeout": 0.5}, 0.5),
        ({"ROBOTS1994_TIMEOUT": 1}, {}, {"download_timeout": 30}, 1),
        ({"ROBOTS1994_TIMEOUT": 1, "DOWNLOAD_TIMEOUT": 0}, {}, {}, 1),
    ],
)
def test_shortest_timeout_applies(
    site: Site,
    settings: dict[str, Any],
    of_spider: dict[str, Any],
    meta: dict[str, Any],
    seconds: float,
) -> None:
    """Ours R5."""
    site.answer("/robots.txt", replies.black_hole())
    page = CrawlRequest(site.url("/page"), meta)
    # Scrapy has deprecated the spider attribute `download_timeout`, and warns about it.
    result = crawl(
        [page], settings=settings, spider_args=of_spider, may_warn=bool(of_spider)
    )

    assert result.reasons == ["unreachable"]
    assert re.search(rf"took longer than {seconds}(\.0)? seconds", result.log)
