"""The timer of waiting requests, how many requests of one origin wait without taking a slot, and
which requests do not wait; and stored answers that are known.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from scrapy import Request

from scrapy_robots1994 import Origin
from scrapy_robots1994.crawl import waiting as module
from scrapy_robots1994.crawl.middleware import Robots1994Middleware
from scrapy_robots1994.crawl.waiting import Visit, WaitingRequests
from scrapy_robots1994.policy.answer import Answer
from scrapy_robots1994.policy.policy import policy_from
from scrapy_robots1994.robotstxt import MAX_BYTES, Reader
from tests.support.crawl import DAY
from tests.support.crawler import idle_crawler
from tests.unit.samples import FRESHNESS

URL = "http://h.test/"


def waiting_requests(maximum: int = 1_000) -> WaitingRequests:
    crawler: Any = idle_crawler()
    crawler.engine = Mock()
    crawler.engine.downloader.total_concurrency = 16
    return WaitingRequests(crawler, maximum, Mock())


def origin() -> Origin:
    found = Origin.of(URL)
    assert found is not None
    return found


def test_no_timer_runs_when_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[Mock] = []

    def call_later(*_: Any) -> Mock:
        timers.append(Mock())
        return timers[-1]

    monkeypatch.setattr(module, "call_later", call_later)
    requests = waiting_requests()
    for number in (1, 2):
        with requests.waiting(Visit(Request(URL)), origin()):
            assert len(timers) == number
            assert not timers[-1].cancel.called
        assert timers[-1].cancel.called
    with requests.fetching():
        assert len(timers) == 3
    requests._look()
    assert len(timers) == 3


def test_few_waiting_requests_of_an_origin_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "call_later", Mock())
    requests = waiting_requests()
    visits = [Visit(Request(URL)) for _ in range(module.MAX_OF_ORIGIN + 1)]
    with ExitStack() as stack:
        for visit in visits:
            stack.enter_context(requests.waiting(visit, origin()))

        raised = [it.is_raised for it in visits]
        assert raised == [True] * module.MAX_OF_ORIGIN + [False]
        # Without `schedule`, the engine takes the next request only at its heartbeat, every 5 s.
        engine: Any = requests._crawler.engine
        assert engine._slot.nextcall.schedule.call_count == module.MAX_OF_ORIGIN
    assert not any(it.is_raised for it in visits)


def test_limit_is_raised_up_to_the_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "call_later", Mock())
    requests = waiting_requests(1)
    engine: Any = requests._crawler.engine

    with requests.fetching():
        assert engine.downloader.total_concurrency == 17
    first, second = (requests.waiting(Visit(Request(URL)), origin()) for _ in range(2))
    with first, second, requests.fetching():
        assert engine.downloader.total_concurrency == 17
    assert engine.downloader.total_concurrency == 16


def test_requests_whose_small_policy_is_in_memory_await_nothing() -> None:
    crawler = idle_crawler({"ROBOTSTXT_OBEY": True})
    middleware = Robots1994Middleware.from_crawler(crawler)
    answer = Answer(urls=(URL,), status=200, body=b"", fetched_at=time.time())
    middleware._resolver.memory[origin()] = policy_from(
        origin(), answer, Reader("1994", MAX_BYTES), FRESHNESS
    )

    for _ in range(2):
        with pytest.raises(StopIteration):
            middleware.process_request(Request(URL)).send(None)


def test_stored_answer_that_is_in_memory_is_not_observed_again() -> None:
    """Ours R5: a stale policy in memory may still decide, but has been observed before."""
    crawler = idle_crawler({"ROBOTSTXT_OBEY": True})
    resolver = Robots1994Middleware.from_crawler(crawler)._resolver
    observer = Mock()
    resolver._observers = (observer,)
    at = time.time() - 2 * DAY
    answer = Answer(urls=(origin().robots_url,), status=200, fetched_at=at)
    last = policy_from(origin(), answer, Reader("1994", MAX_BYTES), FRESHNESS)
    store: Any = Mock(get=AsyncMock(return_value=answer), lease=AsyncMock())

    with pytest.raises(StopIteration):
        resolver._from_store(store, origin(), last).send(None)
    assert not observer.fetched.called
    with pytest.raises(StopIteration):
        resolver._from_store(store, origin(), None).send(None)
    assert observer.fetched.called
