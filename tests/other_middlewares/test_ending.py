"""A crawl ends cleanly although requests are waiting for a robots.txt."""

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

REQUEST_COUNT = 10
SHORT_TIMEOUT = {"ROBOTS1994_TIMEOUT": 2}
SCRAPY_TASK_MESSAGES = re.compile(
    r".*Task was destroyed but.*\ntask: .* coro=<Scraper\..*\n"
)
"""Logged by Scrapy 2.16 at a forced end without a reactor, even with ROBOTSTXT_OBEY off."""


def wait_for(running: Crawl, text: str) -> None:
    """Return once the crawl has logged *text*."""
    while text not in (running.folder / "log.txt").read_text("utf-8", "replace"):
        time.sleep(0.01)


def interrupted(reactor: Reactor, *, times: int) -> CrawlResult:
    """Press Ctrl-C once or twice while ten requests wait for a robots.txt."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /closed\n", gate="never")
        urls = [site.url(f"/open/{number}") for number in range(REQUEST_COUNT)]
        running = start_crawl(urls, reactor=reactor, settings=SHORT_TIMEOUT)
        site.wait("/robots.txt")
        os.kill(running.pid, signal.SIGINT)
        if times > 1:
            wait_for(running, "shutting down gracefully")
            os.kill(running.pid, signal.SIGINT)
        result = running.result()
        assert site.targets() == ["/robots.txt"]
    return result


@pytest.mark.parametrize("reactor", reactors())
def test_ctrl_c_returns_waiting_requests_to_the_scheduler(reactor: Reactor) -> None:
    """R6: no page is fetched, and no request fails."""
    result = interrupted(reactor, times=1)

    assert result.stats["finish_reason"] == "shutdown"
    assert result.fetched == []
    assert result.failed == []
    assert unclean(result.log) == []


@pytest.mark.parametrize("reactor", reactors())
def test_second_ctrl_c_ends_the_process(reactor: Reactor) -> None:
    """Without an unhandled error."""
    result = interrupted(reactor, times=2)

    assert result.returncode == 0
    assert result.fetched == []
    assert unclean(SCRAPY_TASK_MESSAGES.sub("", result.log)) == []


@pytest.mark.parametrize(
    "limit",
    [{"CLOSESPIDER_PAGECOUNT": 1}, {"CLOSESPIDER_TIMEOUT": 1}],
    ids=["pages", "timeout"],
)
def test_limit_that_closes_the_spider_ends_every_wait(
    limit: dict[str, Any],
) -> None:
    """Ten requests wait for an unresponsive origin when the crawl reaches its limit."""
    with Site(ports=2) as site:
        silent = f"127.0.0.1:{site.port}"
        site.robots("User-agent: *\nDisallow:\n", at=silent, gate="never")
        urls = [site.url(f"/open/{number}") for number in range(REQUEST_COUNT)]
        result = crawl(
            [*urls, site.url("/page", port=1)], settings=SHORT_TIMEOUT | limit
        )
        assert not [seen for seen in site.log() if seen.target.startswith("/open")]

    assert result.stats["finish_reason"].startswith("closespider_")
    assert result.failed == []
    assert unclean(result.log) == []
