"""One fetch an origin, however many requests wait, and none of them gets past it.

This is where Scrapy's built-in fails since 2.14: what waits is let through.
"""

from __future__ import annotations

import pytest

from tests.support import replies
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.site import Site

FIFTY = 50
AT_ONCE = {"CONCURRENT_REQUESTS": 100, "CONCURRENT_REQUESTS_PER_DOMAIN": 100}
NOT_ALLOWED = "User-agent: *\nDisallow: /private\n"


def urls(site: Site) -> list[str]:
    """Fifty disallowed URLs of one origin."""
    return [site.url(f"/private/{number}") for number in range(FIFTY)]


@pytest.mark.parametrize("reactor", reactors())
def test_fifty_disallowed_requests_that_wait_are_all_refused(reactor: Reactor) -> None:
    """A slow robots.txt: 50 wait for one request, none is fetched, 50 errbacks."""
    with Site() as site:
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


@pytest.mark.parametrize("reactor", reactors())
def test_fifty_disallowed_requests_on_an_instant_answer(reactor: Reactor) -> None:
    """An instant robots.txt: the same."""
    with Site() as site:
        site.robots(NOT_ALLOWED)
        result = crawl(urls(site), reactor=reactor, settings=AT_ONCE)

        assert site.targets() == ["/robots.txt"]

    assert (len(result.fetched), len(result.failed)) == (0, FIFTY)


@pytest.mark.parametrize("reactor", reactors())
def test_fifty_requests_of_a_failing_robots_txt_are_refused(reactor: Reactor) -> None:
    """Ours R5: a 503 says nothing; one request, nothing is fetched, for now."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(503))
        result = crawl(urls(site), reactor=reactor, settings=AT_ONCE)

        assert site.targets() == ["/robots.txt"]

    assert (len(result.fetched), len(result.failed)) == (0, FIFTY)
    assert {f.verdict["reason"] for f in result.failed if f.verdict} == {"unreachable"}


@pytest.mark.parametrize("reactor", reactors())
def test_fifty_requests_of_a_reset_robots_txt_are_refused(reactor: Reactor) -> None:
    """Ours R5: a reset; one fetch of ours (aiohttp itself asks twice on a reset)."""
    with Site() as site:
        site.answer("/robots.txt", replies.reset())
        result = crawl(urls(site), reactor=reactor, settings=AT_ONCE)

        assert set(site.targets()) == {"/robots.txt"}

    assert (len(result.fetched), len(result.failed)) == (0, FIFTY)
    assert result.stats["robotstxt/request_count"] == 1


@pytest.mark.parametrize("reactor", reactors())
def test_fifty_requests_of_a_cancelled_robots_txt_are_released(
    reactor: Reactor,
) -> None:
    """Ours R6: the fetch is cancelled; every waiter is released with an error."""
    with Site() as site:
        site.robots(NOT_ALLOWED, gate="never")
        result = crawl(
            urls(site),
            reactor=reactor,
            settings=AT_ONCE
            | {"DOWNLOADER_MIDDLEWARES": {"tests.crawl.parts.CancelRobots": 900}},
        )

        assert site.targets() == []

    assert (len(result.fetched), len(result.failed)) == (0, FIFTY)
    assert {failed.name for failed in result.failed} == {
        "scrapy_robots1994.errors.FetchAborted"
    }
    assert result.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("reactor", reactors())
def test_two_hundred_origins_make_two_hundred_robots_requests(reactor: Reactor) -> None:
    """200 origins at once, 10 pages each: one robots.txt an origin, every page."""
    with Site(addresses=200) as site:
        site.robots("User-agent: *\nDisallow: /private\n")
        pages = [
            site.address_url(origin, f"/page/{page}")
            for page in range(10)
            for origin in range(200)
        ]
        result = crawl(pages, reactor=reactor, settings=AT_ONCE)
        asked = [seen.host for seen in site.log("/robots.txt")]

    assert len(asked) == len(set(asked)) == 200
    assert len(result.fetched) == 2_000
    assert result.failed == []
    assert result.stats["robotstxt/request_count"] == 200
