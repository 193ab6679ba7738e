"""The waiting room: a seat gives back the concurrency it takes, and no more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.keeper import Released
from scrapy_robots1994.plugin.waiting import DeferredWaiter, WaitingRoom

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def crawler(**downloader: Any) -> Any:
    """What the room sees of a crawler."""
    return SimpleNamespace(
        engine=SimpleNamespace(downloader=SimpleNamespace(**downloader))
    )


def limit(of: Crawler | Any) -> int:
    """The limit that the engine goes by at this moment."""
    total: int = of.engine.downloader.total_concurrency
    return total


def test_a_seat_raises_the_limit_by_one_while_it_is_taken() -> None:
    """Two wait, two more may run; nobody waits, and the user's limit holds."""
    crawl = crawler(total_concurrency=16)
    room = WaitingRoom(crawl, 10)

    with room.seat(), room.seat():
        during = limit(crawl)

    assert (during, limit(crawl)) == (18, 16)


def test_past_the_last_seat_who_waits_counts_again() -> None:
    """Back-pressure: the scheduler holds the rest, and memory stays bounded."""
    crawl = crawler(total_concurrency=16)
    room = WaitingRoom(crawl, 1)

    with room.seat(), room.seat():
        during = limit(crawl)
    with room.seat():
        again = limit(crawl)

    assert (during, again, limit(crawl)) == (17, 17, 16)


def test_no_limit_stays_no_limit() -> None:
    """CONCURRENT_REQUESTS = 0 means none in Scrapy; 1 would mean one."""
    crawl = crawler(total_concurrency=0)

    with WaitingRoom(crawl, 10).seat():
        during = limit(crawl)

    assert (during, limit(crawl)) == (0, 0)


def test_a_seat_is_given_back_when_the_wait_breaks() -> None:
    """Also when the waiting coroutine is cancelled."""
    crawl = crawler(total_concurrency=16)
    room = WaitingRoom(crawl, 10)

    with pytest.raises(ZeroDivisionError), room.seat():
        raise ZeroDivisionError

    assert limit(crawl) == 16


def test_a_downloader_of_the_users_own_without_the_limit_is_left_alone() -> None:
    """`DOWNLOADER` may name a class that knows no such limit."""
    crawl = crawler()

    with WaitingRoom(crawl, 10).seat():
        during = vars(crawl.engine.downloader).copy()

    assert during == vars(crawl.engine.downloader) == {}


def test_releasing_a_second_time_changes_nothing() -> None:
    """A waiter released once keeps what it was released with."""
    waiter = DeferredWaiter()
    first, second = Released("first"), Released("second")

    waiter.release(first)
    waiter.release(second)

    with pytest.raises(StopIteration) as ended:
        next(waiter.__await__())
    assert ended.value.value is first
