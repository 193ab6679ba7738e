"""Fetches of robots.txt in situations that are rare in crawls."""

from __future__ import annotations

import errno
from resource import RLIM_INFINITY
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.settings import Settings
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from scrapy_robots1994.crawl import threads
from scrapy_robots1994.crawl.fetch import (
    _pause_after,
    is_out_of_resources,
    parallel_fetches,
)
from scrapy_robots1994.crawl.requests import (
    RobotName,
    is_requestable,
    robots_request,
)
from scrapy_robots1994.policy.answer import Answer


def test_circle_of_causes_ends() -> None:
    first, second = OSError("a"), OSError(errno.ECONNRESET, "b")
    first.__cause__, second.__cause__ = second, first

    assert not is_out_of_resources(first)


@pytest.mark.parametrize(
    ("url", "is_fine"),
    [
        ("http://a.test/x", True),
        ("https://a_b.test:8443/", True),
        ("http://[::1]:80/", True),
        ("http://\u043f\u0440\u0438\u043c\u0435\u0440.test/", True),
        ("http://%00/", False),
        (f"http://{'x' * 64}.test/", False),
        ("http://a..test/", False),
        ("http://\ufdfa\u200d\u2603.\u0300/", False),
        ("ftp://a.test/", False),
        ("ws://a.test/", False),
        ("", False),
    ],
)
def test_redirect_is_followed_only_to_a_host_that_can_be_sent(
    url: str, *, is_fine: bool
) -> None:
    """Ours R2."""
    assert is_requestable(url) is is_fine


def test_fetches_leave_descriptors_for_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the connections or descriptors are for pages, but one fetch is always allowed."""
    few, many = (Settings({"CONCURRENT_REQUESTS": it}) for it in (16, 10**9))
    pooled = {"http": "scrapy.core.downloader.handlers._httpx.HttpxDownloadHandler"}

    assert 1 <= parallel_fetches(many) <= parallel_fetches(few) <= 800
    few.set("DOWNLOAD_HANDLERS", pooled)
    assert parallel_fetches(few) == 8
    few.set("CONCURRENT_REQUESTS", 1)
    assert parallel_fetches(few) == 1
    few.set("CONCURRENT_REQUESTS", 0)
    for soft, fetches in ((1, 1), (1_000, 500), (9_000, 800), (RLIM_INFINITY, 800)):
        monkeypatch.setattr("resource.getrlimit", lambda _, soft=soft: (soft, soft))
        assert parallel_fetches(many) == parallel_fetches(few) == fetches


@pytest.mark.parametrize(
    ("pause", "asked", "taken"),
    [
        (4.0, None, 4.0),
        (4.0, 0.0, 1.0),
        (4.0, 30.0, 30.0),
        (4.0, 31.0, None),
        (None, 1.0, None),
    ],
)
def test_server_may_ask_for_another_pause(
    pause: float | None, asked: float | None, taken: float | None
) -> None:
    """Ours 3.1: a Retry-After of 0 still leads to a pause, and a long one ends the retries."""
    answer = Answer(urls=("u",), status=503, fetched_at=0.0, retry_after=asked)

    assert _pause_after(answer, pause) == taken


def test_attribute_of_the_spider_names_the_robot_before_the_setting() -> None:
    """Scrapy has deprecated the attribute `user_agent`, but still uses it.

    In `scrapy shell`, the crawler has no spider at first, but knows the spider class.
    """
    spider = SimpleNamespace(user_agent="rex/1.0")
    settings = Settings({"USER_AGENT": "max/1.0"})
    for spiders in ({"spider": spider}, {"spider": None, "spidercls": spider}):
        crawler: Any = SimpleNamespace(settings=settings, **spiders)
        assert RobotName(crawler).usual == "rex/1.0"


@pytest.mark.parametrize(
    ("url", "is_kept"),
    [("http://other.test/r", True), ("https://h.test/r", False)],
)
def test_proxy_of_a_scheme_is_for_that_scheme(url: str, *, is_kept: bool) -> None:
    """Ours R2."""
    meta = {"proxy": "http://p.test", "_auth_proxy": "x", "_scheme_proxy": True}
    headers = {"Proxy-Authorization": "x"}
    page = Request("http://h.test/", headers=headers, meta=meta)
    request = robots_request(url, page, (), None, is_past_cache=False)

    assert [name in request.meta for name in meta] == [is_kept] * 3
    assert ("Proxy-Authorization" in request.headers) is is_kept


@pytest.mark.parametrize(
    ("paused", "returned", "is_returned"),
    [
        # The time limit is 35 s. In the first three rows, the wait in the queue ends one
        # second before or after the limit.
        (34, 60, True),
        (36, 60, True),
        (34, 90, False),
        (0, 34, True),
        (0, 36, False),
        (1_000, 1_030, True),
    ],
)
def test_time_of_a_queue_does_not_count(
    monkeypatch: pytest.MonkeyPatch, paused: int, returned: int, *, is_returned: bool
) -> None:
    clock = Clock()

    def call_later(seconds: float, call: Any) -> Any:
        timer: Any = clock.callLater(seconds, call)
        return SimpleNamespace(cancel=lambda: timer.active() and timer.cancel())

    monkeypatch.setattr(threads, "call_later", call_later)
    monkeypatch.setattr(threads, "maybe_deferred_to_future", lambda it: it)
    work: Deferred[str] = Deferred()
    waits = threads.result_within(work, 35.0, lambda: clock.seconds() < paused)
    ends: list[Any] = []
    Deferred.fromCoroutine(waits).addBoth(ends.append)
    for _ in range(2 * returned):
        clock.advance(0.5)
    if not work.called:
        work.callback("page")

    assert (ends == ["page"]) is is_returned
