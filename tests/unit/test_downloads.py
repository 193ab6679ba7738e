"""`DownloadLimits`: a network in which many sites are silent at once."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request

from scrapy_robots1994.crawl import downloads
from scrapy_robots1994.crawl.downloads import (
    MANY_SITES,
    DownloadLimits,
    DownloadState,
)
from scrapy_robots1994.crawl.requests import OWN_REQUEST
from tests.support.crawler import idle_crawler

SITES = [f"www.site{number}.example" for number in range(50)]
# Never closed: these downloads do not end.
UNDER_WAY = ExitStack()


def limits_with(state: DownloadState) -> tuple[DownloadLimits, Request]:
    """Return download limits, and a robots.txt request in *state*."""
    crawler: Any = idle_crawler({})
    downloader = SimpleNamespace(total_concurrency=16)
    crawler.engine = SimpleNamespace(downloader=downloader)
    request = Request("http://a.test/robots.txt", meta={OWN_REQUEST: state})
    return DownloadLimits(crawler), request


def silent(limits: DownloadLimits, since: float, *hosts: str) -> list[DownloadState]:
    """Return the states of downloads from *hosts*, which do not answer."""
    states = [DownloadState(1_000, 30, host, since=since) for host in hosts]
    for state in states:
        request = Request("http://a.test/robots.txt")
        UNDER_WAY.enter_context(limits.watch(request, state))
    return states


def new_limits() -> DownloadLimits:
    """Return limits of a crawl in which nothing has been downloaded."""
    return limits_with(DownloadState(1_000, 30))[0]


def test_network_is_down_if_many_sites_are_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours R7: this applies until a server responds, and only if all waited as long."""
    now = 100.0
    monkeypatch.setattr(downloads, "monotonic", lambda: now)

    few, many = new_limits(), new_limits()
    only, *_ = silent(few, now, *SITES[:MANY_SITES])
    one, *_ = silent(many, now, *SITES[: MANY_SITES + 1])
    now += 30
    assert not few.is_network_down(only)
    assert many.is_network_down(one)
    many.heard()
    assert not many.is_network_down(one)

    late = new_limits()
    (alone,) = silent(late, now, SITES[0])
    now += 29
    silent(late, now, *SITES[1:])
    now += 1
    assert not late.is_network_down(alone)


def test_silent_hosts_of_one_site_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred hosts of one owner do not show that our network is down."""
    now = 100.0
    monkeypatch.setattr(downloads, "monotonic", lambda: now)
    download_limits = new_limits()
    first, *_ = silent(
        download_limits, now, *(f"h{number}.blog.example" for number in range(100))
    )
    now += 30

    assert not download_limits.is_network_down(first)
