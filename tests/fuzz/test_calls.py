"""Work grows as the file does, also on files built to be hostile."""

from __future__ import annotations

from functools import partial

import pytest

from scrapy_robots1994.robotstxt import RobotsTxt
from tests.benchmarks.growth import HOSTILE, OPERATIONS
from tests.support.calls import calls

SMALL = 2**12
"""Bytes of a short file; its rules are as many as an index is made of."""

TIMES = 8
WORST = 2.0
"""So many times more calls a byte may cost in a file 8 times as long. Where work grew
with the square of the length, it would be 8 times."""


@pytest.mark.parametrize("name", HOSTILE)
def test_calls_grow_as_the_file_does(name: str) -> None:
    """No operation costs a byte of a long file much more than one of a short file.

    `python -m tests.benchmarks.growth` measures the time, which no test judges.
    """
    for operation, work in OPERATIONS.items():
        small, large = (
            calls_a_byte(HOSTILE[name](size), operation)
            for size in (SMALL, SMALL * TIMES)
        )
        assert large < WORST * small, f"{operation} ({work}): {small}, {large}"


def calls_a_byte(body: str, operation: str) -> float:
    """Return the calls of an operation by the bytes of *body*, nothing cached."""
    robots = RobotsTxt.parse(body)
    return calls(partial(OPERATIONS[operation], robots)) / len(body)
