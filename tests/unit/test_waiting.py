"""The timer of waiting requests."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import pytest
from scrapy import Request

from scrapy_robots1994 import Origin
from scrapy_robots1994.crawl import waiting as module
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from tests.support.crawler import idle_crawler


def test_no_timer_runs_when_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[Mock] = []

    def call_later(*_: Any) -> Mock:
        timers.append(Mock())
        return timers[-1]

    monkeypatch.setattr(module, "call_later", call_later)
    crawler: Any = idle_crawler()
    crawler.engine = Mock()
    requests = WaitingRequests(crawler, 10, Mock())
    url = "http://h.test/"
    origin = Origin.of(url)
    assert origin is not None
    for number in (1, 2):
        with requests.waiting(Visit(Request(url)), origin):
            assert len(timers) == number
            assert not timers[-1].cancel.called
        assert timers[-1].cancel.called
