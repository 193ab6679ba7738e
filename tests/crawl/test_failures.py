"""Fetches that fail because of the origin (R5) or locally (R7)."""

from __future__ import annotations

import pytest

from tests.support import replies
from tests.support.crawl import (
    CrawlRequest,
    CrawlResult,
    Reactor,
    crawl,
)
from tests.support.failures import BUGS, OF_LIBRARIES, OF_ORIGIN, OURS
from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /private\n"
RETRIED = {"RETRY_ENABLED": True}


def crawl_failing(hosts: dict[str, Exception], reactor: Reactor) -> CrawlResult:
    handler = {"http": "tests.support.failures.FailingHandler"}
    urls = [f"http://{host}.test/{page}" for host in hosts for page in (1, 2)]
    settings = {"DOWNLOAD_HANDLERS": handler, "ROBOTS1994_CRAWL_DELAY": True}
    result = crawl(urls, settings=settings, reactor=reactor, hook="count_active")
    assert result.fetched == []
    assert result.stats["test/active"] == 0
    assert result.failed_urls == sorted(urls)
    return result


def test_ours_r5_failure_of_the_network_makes_the_origin_unreachable(
    reactor: Reactor,
) -> None:
    result = crawl_failing(OF_ORIGIN, reactor)

    assert set(result.reasons) == {"unreachable"}
    assert result.stats["robots1994/outcome/unreachable"] == len(OF_ORIGIN)
    assert "robots1994/local_faults" not in result.stats
    assert "Traceback" not in result.log


def test_ours_r7_every_other_failure_fails_the_pages_with_itself(
    reactor: Reactor,
) -> None:
    """Local failures, and exceptions outside RETRY_EXCEPTIONS, say nothing about the origin."""
    failures = OURS | BUGS | OF_LIBRARIES
    result = crawl_failing(failures, reactor)

    for failed in result.failed:
        error = failures[failed.url.split("/")[2].removesuffix(".test")]
        assert failed.verdict is None
        assert failed.name.endswith(type(error).__qualname__)
        assert failed.message == str(error)
    assert "robots1994/outcome/unreachable" not in result.stats
    assert "robotstxt/forbidden" not in result.stats
    assert result.stats["robots1994/local_faults"] >= len(failures)
    assert "Traceback" not in result.log


def test_bug_in_the_preparation_of_a_file_loses_no_page(
    site: Site, reactor: Reactor
) -> None:
    site.robots("User-agent: *\nDisallow: /no\n")

    urls = [site.url("/a"), site.url("/no")]
    result = crawl(urls, reactor=reactor, hook="break_reading")

    assert result.fetched_urls == [site.url("/a")]
    assert result.failed_urls == [site.url("/no")]
    assert result.reasons == ["rule"]
    assert "Error after fetching the robots.txt of" in result.log
    assert "ZeroDivisionError: bug in the reader" in result.log


def test_ours_r5_half_a_file_is_unreachable_whatever_pages_may_lose(site: Site) -> None:
    """The missing half may disallow the page."""
    site.answer("/robots.txt", replies.truncated(b"User-agent: *\nDisallow:\n", 500))
    site.answer("/page", replies.truncated(b"half a page", 500))
    exempt = CrawlRequest(site.url("/page"), {"dont_obey_robotstxt": True})
    result = crawl(
        [site.url("/page"), exempt], settings={"DOWNLOAD_FAIL_ON_DATALOSS": False}
    )

    assert len(result.fetched) == 1
    assert result.reasons == ["unreachable"]


@pytest.mark.parametrize("hook", ["stop_at_the_first_bytes", "stop_all_but_html"])
def test_ours_r5_stopped_download_is_incomplete(
    site: Site, hook: str, reactor: Reactor
) -> None:
    """The missing part may disallow any page."""
    site.robots("User-agent: *\n" + "Disallow: /x\n" * 20_000 + "Disallow: /closed\n")
    result = crawl([site.url("/open"), site.url("/closed")], hook=hook, reactor=reactor)

    assert site.targets() == ["/robots.txt"]
    assert result.reasons == ["unreachable"] * 2


def test_few_descriptors_lose_no_page(site: Site, reactor: Reactor) -> None:
    """R7: 60 simultaneous fetches would need more file descriptors than the process may open."""
    file = replies.Reply(body=FILE.encode(), delay=1, ending="close")
    site.answer("/robots.txt", file)
    site.answer("*", replies.Reply(body=b"page", ending="close"))
    urls = [site.url("/page", host=f"h{number}.test") for number in range(60)]
    # Of the 72 descriptors, 36 are for fetches, 8 for pages, and 28 for the process, whose threads
    # also open some to resolve names.
    settings = RETRIED | {"TEST_DESCRIPTORS": 72, "CONCURRENT_REQUESTS": 8}
    result = crawl(urls, settings=settings, reactor=reactor, hook="few_descriptors")

    assert result.fetched_urls == sorted(urls)
    assert "robots1994/outcome/unreachable" not in result.stats
