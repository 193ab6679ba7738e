"""One download slot that is held: never faster than asked, and given back as it was."""

from __future__ import annotations

import math
from inspect import signature
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.core.downloader import Slot

from scrapy_robots1994.crawl.concurrency import EngineState, UncountedRequests
from scrapy_robots1994.crawl.features.crawl_delay import SlotDelays
from scrapy_robots1994.crawl.slots import HeldSlot, _jitter
from tests.support.crawler import idle_crawler


def slot(delay: float = 0.0, concurrency: int = 8, jitter: float = 0.5) -> Any:
    """A slot as this Scrapy makes them."""
    if "jitter" in signature(Slot).parameters:
        return Slot(concurrency, delay, jitter)
    return Slot(concurrency, delay, bool(jitter))  # before 2.18


def state(held: HeldSlot) -> tuple[float, int, float]:
    """Delay, concurrency and jitter."""
    return held.slot.delay, held.slot.concurrency, _jitter(held.slot)


def test_a_pause_holds_and_goes() -> None:
    """One request at a time, apart by no less than asked; then all is as it was."""
    held = HeldSlot(slot())
    held.ask("a", 2.0)
    assert state(held) == (2.0, 1, 0.0)

    held.ask("a", None)

    assert state(held) == (0.0, 8, 0.5)


def test_the_longest_of_several_pauses() -> None:
    """Origins may share a slot; each takes back only its own."""
    held = HeldSlot(slot())
    for asker, pause in (("a", 2.0), ("b", 5.0), ("c", 3.0)):
        held.ask(asker, pause)
    assert held.floor == 5.0

    held.ask("b", None)
    assert state(held) == (3.0, 1, 0.0)
    held.ask("c", 1.0)
    assert state(held) == (2.0, 1, 0.0)


@pytest.mark.parametrize(
    ("delay", "jitter", "pause", "kept"),
    [
        (4.0, 0.5, 2.0, (4.0, 1, 0.5)),
        (4.0, 0.5, 2.1, (4.0, 1, 0.0)),
        (4.0, 0.5, 5.0, (5.0, 1, 0.0)),
        (4.0, 0.0, 3.0, (4.0, 1, 0.0)),
    ],
)
def test_the_users_own_delay_is_never_made_shorter(
    delay: float, jitter: float, pause: float, kept: tuple[float, int, float]
) -> None:
    """And it is drawn anew each time only where no draw is too short."""
    held = HeldSlot(slot(delay, jitter=jitter))

    held.ask("a", pause)

    assert state(held) == kept


def test_what_lowers_the_delay_meanwhile_is_undone_what_raises_it_stays() -> None:
    """AutoThrottle sets the delay of a slot after each answer."""
    held = HeldSlot(slot())
    held.ask("a", 2.0)

    held.slot.delay = 0.5
    held.keep()
    assert held.slot.delay == 2.0

    held.slot.delay = 7.0
    held.keep()
    held.ask("a", 3.0)
    assert held.slot.delay == 7.0
    held.ask("a", None)
    assert state(held) == (7.0, 8, 0.5)


def test_the_pause_counts_from_the_answer_of_a_slot_in_use() -> None:
    """A slot that sent nothing yet has nothing to wait for."""
    held = HeldSlot(slot())
    held.ask("a", 2.0)

    held.begin_pause()
    assert held.slot.lastseen == 0

    held.slot.lastseen = 1.0
    held.begin_pause()
    assert held.slot.lastseen > 1.0


def test_slots_that_the_downloader_forgot_are_forgotten() -> None:
    """A broad crawl meets any number of them; those in use stay."""
    crawler: Any = idle_crawler({})
    slots = {"in-use": slot()}
    crawler.engine = SimpleNamespace(downloader=SimpleNamespace(slots=slots))
    uncounted = UncountedRequests(crawler, EngineState(crawler))
    delays = SlotDelays(crawler, math.inf, uncounted)

    delays._hold("in-use", slots["in-use"])
    for number in range(1_000):
        delays._hold(f"gone-{number}", slot())

    assert len(delays._held) < 200
    assert "in-use" in delays._held
