"""One fetch per origin, however many requests wait; all of them obey its result.

Scrapy's built-in fails here since 2.14: waiting requests are sent.
"""

from __future__ import annotations

import pytest

from tests.support.crawl import COMPONENTS, Reactor, crawl
from tests.support.site import Site

FIFTY = 50
AT_ONCE = {"CONCURRENT_REQUESTS": 100, "CONCURRENT_REQUESTS_PER_DOMAIN": 100}
NOT_ALLOWED = "User-agent: *\nDisallow: /private\n"


def urls(site: Site) -> list[str]:
    """Return fifty disallowed URLs of one origin."""
    return [site.url(f"/private/{number}") for number in range(FIFTY)]


def test_fifty_disallowed_requests_that_wait_are_all_refused(
    site: Site, reactor: Reactor
) -> None:
    """With a slow robots.txt, 50 requests wait for one fetch, and 50 errbacks are called."""
    site.robots(NOT_ALLOWED, gate="slow")
    site.open_when("slow", "/robots.txt")
    result = crawl(urls(site), reactor=reactor, settings=AT_ONCE)

    assert site.targets() == ["/robots.txt"]

    assert result.fetched == []
    assert result.failed_urls == sorted(urls(site))
    assert {failed.name for failed in result.failed} == {
        "scrapy_robots1994.crawl.exceptions.ForbiddenByRobots"
    }
    assert {failed.verdict["line"] for failed in result.failed if failed.verdict} == {2}
    assert result.stats["robotstxt/forbidden"] == FIFTY
    assert result.stats["robotstxt/request_count"] == 1


def test_fifty_requests_are_aborted_after_a_cancelled_fetch(
    site: Site, reactor: Reactor
) -> None:
    """Ours R6: every waiting request fails with `FetchAborted`."""
    site.robots(NOT_ALLOWED, gate="never")
    result = crawl(
        urls(site),
        reactor=reactor,
        settings=AT_ONCE
        | {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.CancelRobots": 900}},
    )

    assert site.targets() == []

    assert (len(result.fetched), len(result.failed)) == (0, FIFTY)
    assert {failed.name for failed in result.failed} == {
        "scrapy_robots1994.errors.FetchAborted"
    }
    assert result.stats["finish_reason"] == "finished"


@pytest.mark.long
def test_two_hundred_origins_make_two_hundred_robots_requests(reactor: Reactor) -> None:
    """With 200 origins and 3 pages of each, one robots.txt per origin is fetched."""
    with Site(addresses=200) as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        pages = [
            site.address_url(origin, f"/page/{page}")
            for page in range(3)
            for origin in range(200)
        ]
        result = crawl(pages, reactor=reactor, settings=AT_ONCE)
        hosts = [seen.host for seen in site.log("/robots.txt")]

    assert len(hosts) == len(set(hosts)) == 200
    assert len(result.fetched) == 600
    assert result.failed == []
    assert result.stats["robotstxt/request_count"] == 200
