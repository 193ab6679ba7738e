"""The brake: its clock runs from the first byte, not from the slot's queue."""

from __future__ import annotations

from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import StopDownload

from scrapy_robots1994.plugin.brake import Brake, Progress
from scrapy_robots1994.plugin.waiting import META_KEY


def received(progress: Progress, data: bytes) -> None:
    """Let *data* of a robots.txt arrive."""
    signals = SimpleNamespace(connect=lambda *_: None, disconnect=lambda *_: None)
    crawler: Any = SimpleNamespace(signals=signals)
    room: Any = None
    request = Request("http://a.test/robots.txt", meta={META_KEY: progress})
    Brake(crawler, room)._bytes_received(data, request)


def test_a_long_wait_in_the_slots_queue_is_no_timeout() -> None:
    """With DOWNLOAD_DELAY a request may wait longer than the server takes."""
    progress = Progress(1_000, 30, started=monotonic() - 3_600)

    received(progress, b"User-agent: *\n")

    assert not progress.is_late


def test_a_byte_a_second_is_stopped_when_its_time_is_over() -> None:
    """What began to come must also end."""
    progress = Progress(1_000, 30, started=monotonic() - 3_600, received=1)

    with pytest.raises(StopDownload):
        received(progress, b"U")

    assert progress.is_late


def test_past_the_limit_what_arrived_is_kept() -> None:
    """O24: stopped, not failed."""
    progress = Progress(10, 30)

    with pytest.raises(StopDownload) as stopped:
        received(progress, b"User-agent: *\n")

    assert stopped.value.fail is False
    assert progress.is_cut
