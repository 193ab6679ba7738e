"""Files with many rules or records are read as small ones are."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from scrapy_robots1994 import Origin, RobotsTxt
from tests.standard.asking import DIALECTS


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_thousands_of_records_for_every_robot_are_obeyed(dialect: str) -> None:
    """Ours O2, X3: each of them decides."""
    records = (
        f"User-agent: *\nAllow: /{number}/x\nDisallow: /{number}/\n\n"
        for number in range(5_000)
    )
    rules = RobotsTxt.parse("".join(records), dialect=dialect).rules("rex")

    assert rules.allowed("/4999/x") is (dialect != "1994")
    assert not rules.allowed("/4999/y")
    assert rules.verdict("/0/y").line == 3
    assert rules.verdict("/4999/y").line == 19_999


@pytest.mark.parametrize("dialect", DIALECTS)
def test_very_long_values_are_not_cached(dialect: str) -> None:
    """Names of hosts and of robots are cached, but not if a hostile file makes them huge."""
    size = 200_000
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(6):
            url = f"http://{number}{'a' * size}.test/x"
            robots = RobotsTxt.parse(
                f"User-agent: {number}{'a' * size}\nUser-agent: *\n"
                f"Disallow: {url}\n{number}{'a' * size}: x\n",
                dialect=dialect,
            )
            assert robots.verdict("http://h.test/x", "rex/1.0").allowed
            assert robots.problems
            assert Origin.of(url)
        del robots, url
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken < 2 * size
