"""Limits of a download: its clock runs from the first byte; whose silence it is."""

from __future__ import annotations

from contextlib import ExitStack
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import StopDownload

from scrapy_robots1994.crawl import downloads
from scrapy_robots1994.crawl.downloads import (
    MANY_SITES,
    DownloadLimits,
    DownloadState,
)
from scrapy_robots1994.crawl.requests import OWN_REQUEST

SITES = [f"www.site{number}.example" for number in range(50)]
# Never closed: these downloads go on.
UNDER_WAY = ExitStack()


def braked(progress: DownloadState) -> tuple[DownloadLimits, Request]:
    """Return a brake and the robots.txt request that it applies *progress* to."""
    signals = SimpleNamespace(connect=lambda *_: None, disconnect=lambda *_: None)
    downloader = SimpleNamespace(active=set())
    engine = SimpleNamespace(downloader=downloader)
    crawler: Any = SimpleNamespace(signals=signals, engine=engine)
    request = Request("http://a.test/robots.txt", meta={OWN_REQUEST: progress})
    return DownloadLimits(crawler), request


def received(progress: DownloadState, data: bytes) -> None:
    """Let *data* of a robots.txt arrive."""
    brake, request = braked(progress)
    brake._bytes_received(data, request)


def test_a_long_wait_in_the_slots_queue_is_no_timeout() -> None:
    """With DOWNLOAD_DELAY a request may wait longer than the server takes."""
    progress = DownloadState(1_000, 30, started=monotonic() - 3_600)

    received(progress, b"User-agent: *\n")

    assert not progress.is_late


def test_a_byte_a_second_is_stopped_when_its_time_is_over() -> None:
    """What began to come must also end."""
    progress = DownloadState(1_000, 30, started=monotonic() - 3_600, received=1)

    with pytest.raises(StopDownload):
        received(progress, b"U")

    assert progress.is_late


def test_file_past_the_limit_is_truncated() -> None:
    """O24: stopped, not failed."""
    progress = DownloadState(10, 30)

    with pytest.raises(StopDownload) as stopped:
        received(progress, b"User-agent: *\n")

    assert stopped.value.fail is False
    assert progress.is_truncated


def test_resent_request_has_the_whole_timeout() -> None:
    """A first response that came too late says nothing of the second."""
    progress = DownloadState(1_000, 30, started=monotonic() - 3_600, received=1)
    brake, request = braked(progress)
    with pytest.raises(StopDownload):
        brake._bytes_received(b"U", request)

    brake._reached(request.replace())
    brake._bytes_received(b"User-agent: *\n", request.replace())

    assert not progress.is_late


def silent(limits: DownloadLimits, since: float, *hosts: str) -> list[DownloadState]:
    """Return the states of downloads from *hosts*, which do not answer."""
    states = [DownloadState(1_000, 30, host, since=since) for host in hosts]
    for state in states:
        request = Request("http://a.test/robots.txt")
        UNDER_WAY.enter_context(limits.watch(request, state))
    return states


def limits() -> DownloadLimits:
    """Return limits of a crawl in which nothing has been downloaded."""
    return braked(DownloadState(1_000, 30))[0]


def test_a_silent_network_is_ours_if_many_sites_are_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ours R7; until a server is heard, and only if as many waited as long."""
    now = 100.0
    monkeypatch.setattr(downloads, "monotonic", lambda: now)

    few, many = limits(), limits()
    only, *_ = silent(few, now, *SITES[:MANY_SITES])
    one, *_ = silent(many, now, *SITES[: MANY_SITES + 1])
    now += 30
    assert not few.is_network_down(only)
    assert many.is_network_down(one)
    many.heard()
    assert not many.is_network_down(one)

    late = limits()
    (alone,) = silent(late, now, SITES[0])
    now += 29
    silent(late, now, *SITES[1:])
    now += 1
    assert not late.is_network_down(alone)


def test_hosts_of_one_site_are_silent_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred hosts of one owner say nothing of our network."""
    now = 100.0
    monkeypatch.setattr(downloads, "monotonic", lambda: now)
    watching = limits()
    first, *_ = silent(
        watching, now, *(f"h{number}.blog.example" for number in range(100))
    )
    now += 30

    assert not watching.is_network_down(first)
