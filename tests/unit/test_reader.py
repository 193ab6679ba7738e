"""`lines_of`: a reading in a thread lets the event loop run."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.parser import reader

if TYPE_CHECKING:
    import pytest

LINES = 1_000


def test_reading_in_a_thread_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """It pauses every 64 lines, and a reading in the main thread never does."""
    pauses: list[float] = []
    monkeypatch.setattr(reader._NEVER_SET, "wait", pauses.append)
    robots = RobotsTxt.parse("User-agent: *\n" + "Disallow: /x\n" * (LINES - 1))

    robots.rules("rex")
    in_main_thread = len(pauses)
    thread = Thread(target=robots.rules, args=("fido",))
    thread.start()
    thread.join()

    assert (in_main_thread, len(pauses)) == (0, LINES // 64)
