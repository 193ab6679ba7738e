"""`memory_bytes` is close to the memory that a file takes."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from scrapy_robots1994 import Origin, RobotsTxt
from tests.standard.asking import DIALECTS

FILES = 6
"""The number of files measured together, so that one-time costs hardly count."""

SHARE = (0.7, 1.5)
"""The bounds of the estimate divided by the measured size."""

ROBOTS = "Mozilla/5.0 (compatible; rex/1.0)"


def body(kind: str, number: int) -> bytes:
    """Return a file of this kind; each *number* makes a different one."""
    field = {"allow": "Allow", "patterns": "Disallow"}
    count = {"small": 5, "medium": 60, "large": 1_000, "allow": 200, "patterns": 200}
    lines = [f"User-agent: *\n# file {number}\n"]
    for rule in range(count[kind]):
        name = field.get(kind, "Disallow") if rule % 3 else "Disallow"
        path = f"/{number}/{rule * 7_919 % 9_973}/page"
        wildcard = "/*x" if kind == "patterns" and rule % 2 else ""
        lines.append(f"{name}: {path}{wildcard}\n")
    return "".join(lines).encode()


def measured(kind: str, dialect: str) -> tuple[int, int]:
    """Return the estimated and the measured bytes of several files of a kind."""
    bodies = [body(kind, number) for number in range(FILES + 1)]
    # Create what all files share before measuring.
    RobotsTxt.parse(bodies.pop(), dialect=dialect).rules(ROBOTS).verdict("/x/1")
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        files = [
            RobotsTxt.parse(bytes(bytearray(it)), dialect=dialect) for it in bodies
        ]
        for number, file in enumerate(files):
            rules = file.rules(ROBOTS)
            assert not rules.verdict(f"https://h.test/{number}/0/page").allowed
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    return sum(file.memory_bytes for file in files), taken


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("kind", ["small", "medium", "large", "allow", "patterns"])
def test_estimate_of_memory_is_close_to_measured(kind: str, dialect: str) -> None:
    """The estimate bounds the memory store, so it must hold for every kind of file."""
    estimated, taken = measured(kind, dialect)

    assert SHARE[0] < estimated / taken < SHARE[1], f"{estimated:,} of {taken:,}"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_very_long_values_are_not_cached(dialect: str) -> None:
    """Names of hosts and of robots are cached, but not if a hostile file makes them huge."""
    size = 200_000
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(FILES):
            url = f"http://{number}{'a' * size}.test/x"
            robots = RobotsTxt.parse(
                f"User-agent: {number}{'a' * size}\nUser-agent: *\n"
                f"Disallow: {url}\n{number}{'a' * size}: x\n",
                dialect=dialect,
            )
            assert robots.verdict("http://h.test/x", ROBOTS).allowed
            assert robots.problems
            assert Origin.of(url)
        del robots, url
        gc.collect()
        taken = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert taken < 2 * size
