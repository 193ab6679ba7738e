"""Whose fault it is that a robots.txt could not be downloaded (R5, R7)."""

from __future__ import annotations

from tests.support.crawl import CrawlResult, Reactor, crawl
from tests.support.failures import BUGS, OF_ORIGIN, OURS

HANDLER = {"DOWNLOAD_HANDLERS": {"http": "tests.support.failures.FailingHandler"}}


def crawl_failing(hosts: dict[str, Exception], reactor: Reactor) -> CrawlResult:
    """Request two pages of each host; no page is fetched, and each has an end."""
    urls = [f"http://{host}.test/{page}" for host in hosts for page in (1, 2)]
    result = crawl(urls, settings=HANDLER, reactor=reactor)
    assert result.fetched == []
    assert result.failed_urls == sorted(urls)
    return result


def test_ours_r5_failure_of_the_network_makes_the_origin_unreachable(
    reactor: Reactor,
) -> None:
    """Its pages are refused, and a group of such failures is no bug of ours."""
    result = crawl_failing(OF_ORIGIN, reactor)

    assert {it.verdict and it.verdict["reason"] for it in result.failed} == {
        "unreachable"
    }
    assert result.stats["robots1994/outcome/unreachable"] == len(OF_ORIGIN)
    assert "robots1994/local_faults" not in result.stats
    assert "Traceback" not in result.log


def test_ours_r7_failure_of_this_machine_fails_the_pages_with_itself(
    reactor: Reactor,
) -> None:
    """It is found behind other exceptions, and is neither a refusal nor a bug."""
    result = crawl_failing(OURS, reactor)

    for failed in result.failed:
        error = OURS[failed.url.split("/")[2].removesuffix(".test")]
        assert failed.verdict is None
        assert failed.name.endswith(type(error).__qualname__)
        assert failed.message == str(error)
    assert "robots1994/outcome/unreachable" not in result.stats
    assert "robotstxt/forbidden" not in result.stats
    assert result.stats["robots1994/local_faults"] >= len(OURS)
    assert "Traceback" not in result.log


def test_ours_r7_bug_fails_the_pages_with_itself_and_is_logged(
    reactor: Reactor,
) -> None:
    """Each class of exception is one traceback, however many pages fail."""
    result = crawl_failing(BUGS, reactor)

    assert {(it.name, it.verdict) for it in result.failed} == {
        (f"builtins.{type(error).__name__}", None) for error in BUGS.values()
    }
    assert result.log.count("Traceback") == len(BUGS)
    assert "robots1994/outcome/unreachable" not in result.stats
