"""`run_in_thread` and `sleep` on every reactor."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.crawl.threads import run_in_thread, sleep
from tests.support.child import RequestingSpider
from tests.support.crawl import Reactor, crawl, reactors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class WorkingSpider(RequestingSpider):
    """Runs work in a thread that ends only if the event loop is not blocked."""

    name = "working"

    async def start(self) -> AsyncIterator[Any]:
        """Yield the results."""
        interval, loop_has_run = sys.getswitchinterval(), threading.Event()

        def work() -> tuple[bool, bool, float]:
            is_apart = threading.current_thread() is not threading.main_thread()
            return is_apart, loop_has_run.wait(30), sys.getswitchinterval()

        waiting = run_in_thread(work)
        # Set by the event loop, which could not run if the work blocked it.
        from scrapy_robots1994.crawl.threads import call_later  # noqa: PLC0415

        call_later(0.01, loop_has_run.set)
        is_apart, went_on, during = await waiting
        await sleep(0.01)
        yield {"apart": is_apart, "went_on": went_on, "same": during == interval}

        def fail() -> None:
            raise ZeroDivisionError

        try:
            await run_in_thread(fail)
        except ZeroDivisionError:
            yield {"raised": True}


@pytest.mark.parametrize("reactor", reactors())
def test_work_in_a_thread_does_not_block_the_event_loop(reactor: Reactor) -> None:
    """Results and exceptions are passed on; the switch interval is not changed."""
    result = crawl(spider="tests.crawl.test_threads:WorkingSpider", reactor=reactor)

    assert result.items == [
        {"apart": True, "went_on": True, "same": True},
        {"raised": True},
    ]
