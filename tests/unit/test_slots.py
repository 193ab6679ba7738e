"""`PacedSlot` and `SlotPacing`: slots with a crawl delay, and their restoration."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request, signals

from scrapy_robots1994.crawl import scrapy_private
from scrapy_robots1994.crawl.scrapy_private import (
    PacedSlot,
    Pacing,
    pacing_of,
)
from tests.support.crawler import idle_crawler


def test_longest_of_several_pauses_applies() -> None:
    """Origins may share a slot; each of them removes only its own pause."""
    slot = SimpleNamespace(delay=0.0, concurrency=8, jitter=0.5)
    paced = PacedSlot(slot)
    for origin, pause in (("a", 2.0), ("b", 5.0), ("c", 3.0)):
        paced.set_pause(origin, pause)
    assert vars(slot) == {"delay": 5.0, "concurrency": 1, "jitter": 0.0}

    paced.set_pause("b", 0.0)
    assert slot.delay == 3.0
    paced.set_pause("c", 1.0)
    assert vars(slot) == {"delay": 2.0, "concurrency": 1, "jitter": 0.0}


class Scope:
    """The manager of one throttling scope, as in Scrapy's pull request 6931."""

    def __init__(self, delay: float) -> None:
        self.delay, self.concurrency, self._jitter = delay, 8, 0.5

    def get_base_delay(self) -> float:
        """Return the delay without backoff."""
        return self.delay

    def set_base_delay(self, delay: float, *, only_increase: bool = True) -> None:
        """Set that delay."""
        self.delay = max(self.delay, delay) if only_increase else delay

    def get_concurrency(self) -> int:
        """Return how many requests may be sent at once."""
        return self.concurrency

    def set_concurrency(self, concurrency: int) -> None:
        """Set the number of requests at once."""
        self.concurrency = concurrency


def pacing_by(throttler: Any) -> Pacing:
    """Return how pauses are kept in a Scrapy with *throttler*."""
    crawler: Any = idle_crawler({})
    crawler.throttler = throttler
    return pacing_of(crawler, lambda request: (request.url, 0.0), 10)


def test_scopes_of_a_throttler_are_paced_and_restored() -> None:
    """Two origins share a scope: the longer pause applies, and no configured one is shortened."""
    scopes = {"a.test": Scope(0.0), "api": Scope(3.0)}
    pacing = pacing_by(
        SimpleNamespace(
            get_applied_scopes=lambda request: request.meta["throttler_scopes"],
            get_scope_manager=scopes.__getitem__,
        )
    )
    one = Request("http://a.test/", meta={"throttler_scopes": ["a.test"]})
    both = Request("http://b.test/", meta={"throttler_scopes": ["a.test", "api"]})

    # Both had their turn in their scopes before the delays became known.
    assert pacing.pace(one, "a", 1.0)
    assert pacing.pace(both, "b", 2.0)

    states = [(it.delay, it.concurrency, it._jitter) for it in scopes.values()]
    assert states == [(2.0, 1, 0.0), (3.0, 1, 0.0)]

    # The first scope still has the pause of the other origin.
    assert pacing.pace(both, "b", 0.0)
    assert not pacing.pace(one, "a", 0.0)

    states = [(it.delay, it.concurrency, it._jitter) for it in scopes.values()]
    assert states == [(0.0, 8, 0.5), (3.0, 8, 0.5)]

    # A throttler drops the managers of idle scopes, and makes new ones.
    pacing.pace(one, "a", 1.0)
    scopes["a.test"] = Scope(0.0)
    pacing.pace(one, "a", 1.0)
    assert scopes["a.test"].delay == 1.0


def test_throttler_with_other_names_applies_no_delay_and_fails_no_page() -> None:
    """A pull request changes until it is merged."""
    pacing = pacing_by(SimpleNamespace())

    assert not pacing.pace(Request("http://a.test/"), "a", 1.0)
    assert not pacing.is_possible()


def test_throttler_that_loses_its_scopes_fails_no_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Scrapy would log an exception of the handler for each answer."""
    crawler: Any = idle_crawler({})
    crawler.throttler = SimpleNamespace(
        get_applied_scopes=lambda _: ["a.test"], get_scope_manager=lambda _: Scope(0.0)
    )
    pacing = pacing_of(crawler, lambda request: (request.url, 0.0), 10)
    page = Request("http://a.test/")
    assert pacing.pace(page, "a", 1.0)

    del crawler.throttler.get_applied_scopes
    crawler.signals.send_catch_log(signals.response_downloaded, request=page)

    assert [it.levelname for it in caplog.records] == ["WARNING"]


def test_request_that_had_its_turn_with_the_pause_is_not_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what came by its scope before goes back to the scheduler."""
    scope, now = Scope(0.0), 100.0
    pacing = pacing_by(
        SimpleNamespace(
            get_applied_scopes=lambda _: ["a.test"], get_scope_manager=lambda _: scope
        )
    )
    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr(scrapy_private, "time", clock)
    page = Request("http://a.test/")

    assert pacing.pace(page, "a", 5.0)
    now = 104.0
    assert pacing.pace(page, "a", 5.0)
    now = 105.0
    assert not pacing.pace(page, "a", 5.0)
