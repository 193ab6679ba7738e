"""The brake: its clock runs from the first byte, not from the slot's queue."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import StopDownload

from scrapy_robots1994.crawl.concurrency import (
    META_KEY,
    UncountedRequests,
)
from scrapy_robots1994.crawl.download_limits import DownloadLimits, DownloadState


def braked(progress: DownloadState) -> tuple[DownloadLimits, Request]:
    """Return a brake and the robots.txt request that it applies *progress* to."""
    signals = SimpleNamespace(connect=lambda *_: None, disconnect=lambda *_: None)
    downloader = SimpleNamespace(active=set())
    engine = SimpleNamespace(downloader=downloader)
    crawler: Any = SimpleNamespace(signals=signals, engine=engine)
    request = Request("http://a.test/robots.txt", meta={META_KEY: progress})
    uncounted = UncountedRequests.of(crawler)
    return DownloadLimits(crawler, uncounted), request


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
