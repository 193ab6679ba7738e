"""The lines of a file: which fields are compared with the oracle, and pauses while reading."""

from __future__ import annotations

from threading import Thread

import pytest

from scrapy_robots1994 import RobotsTxt
from scrapy_robots1994.parser import reader as module
from scrapy_robots1994.parser.fields import FIELDS
from tests.oracle import words

LINES = 1_000


@pytest.mark.parametrize("dialect", ["1994", "rfc9309"])
def test_reading_in_a_thread_pauses(
    dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread pauses after every 64 lines, and again after every 64 rules.

    The main thread never pauses.
    """
    pauses: list[float] = []
    monkeypatch.setattr(module._NEVER_SET, "wait", pauses.append)
    rules = "".join(f"Disallow: /{number}\n" for number in range(LINES - 1))
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}", dialect=dialect)

    robots.rules("rex")
    in_main_thread = len(pauses)
    thread = Thread(target=robots.rules, args=("fido",))
    thread.start()
    thread.join()

    assert (in_main_thread, len(pauses)) == (0, 2 * (LINES // 64))


def test_oracle_asks_about_every_field_that_a_dialect_obeys() -> None:
    generated = {"User-agent", "Sitemap", *words.RULE_FIELDS, *words.OTHER_FIELDS}

    assert {it.name for it in FIELDS if it.dialects} == generated
