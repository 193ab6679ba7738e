"""A crawl that is ended while requests wait for a robots.txt ends cleanly."""

from __future__ import annotations

import os
import re
import signal
import time
from typing import Any

import pytest

from tests.faults.test_table import unclean
from tests.support.crawl import (
    Crawl,
    CrawlResult,
    Reactor,
    crawl,
    reactors,
    start_crawl,
)
from tests.support.site import Site

TEN = 10
SHORT = {"ROBOTS1994_TIMEOUT": 2}
SCRAPYS_OWN = re.compile(r".*Task was destroyed but.*\ntask: .* coro=<Scraper\..*\n")
"""What Scrapy 2.16 leaves at a forced end without a reactor, also with robots off."""


def wait_for(running: Crawl, text: str) -> None:
    """Return once the crawl has logged *text*."""
    while text not in (running.folder / "log.txt").read_text("utf-8", "replace"):
        time.sleep(0.01)


def interrupted(reactor: Reactor, *, times: int) -> CrawlResult:
    """Press Ctrl-C so many times while ten requests wait for a silent robots.txt."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /closed\n", gate="never")
        urls = [site.url(f"/open/{number}") for number in range(TEN)]
        running = start_crawl(urls, reactor=reactor, settings=SHORT)
        site.wait("/robots.txt")
        os.kill(running.pid, signal.SIGINT)
        if times > 1:
            wait_for(running, "shutting down gracefully")
            os.kill(running.pid, signal.SIGINT)
        result = running.result()
        assert site.targets() == ["/robots.txt"]
    return result


@pytest.mark.parametrize("reactor", reactors())
def test_ctrl_c_releases_those_who_wait(reactor: Reactor) -> None:
    """Once: nothing is fetched, every request returns to the scheduler (R6)."""
    result = interrupted(reactor, times=1)

    assert result.stats["finish_reason"] == "shutdown"
    assert result.fetched == []
    assert result.failed == []
    assert unclean(result.log) == []


@pytest.mark.parametrize("reactor", reactors())
def test_ctrl_c_twice_ends_at_once(reactor: Reactor) -> None:
    """Twice: the process ends by itself, without an unhandled error."""
    result = interrupted(reactor, times=2)

    assert result.returncode == 0
    assert result.fetched == []
    assert unclean(SCRAPYS_OWN.sub("", result.log)) == []


@pytest.mark.parametrize(
    "limit",
    [{"CLOSESPIDER_PAGECOUNT": 1}, {"CLOSESPIDER_TIMEOUT": 1}],
    ids=["pages", "timeout"],
)
def test_limit_that_closes_the_spider_ends_every_wait(
    limit: dict[str, Any],
) -> None:
    """While ten requests wait for a silent origin the limit of the crawl is reached."""
    with Site(ports=2) as site:
        silent = f"127.0.0.1:{site.port}"
        site.robots("User-agent: *\nDisallow:\n", at=silent, gate="never")
        urls = [site.url(f"/open/{number}") for number in range(TEN)]
        result = crawl([*urls, site.url("/page", port=1)], settings=SHORT | limit)
        assert not [seen for seen in site.log() if seen.target.startswith("/open")]

    assert result.stats["finish_reason"].startswith("closespider_")
    assert result.failed == []
    assert unclean(result.log) == []
