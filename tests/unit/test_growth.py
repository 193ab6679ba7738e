"""The work for a file grows only linearly with its size, even if the file is hostile."""

from __future__ import annotations

from functools import partial

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.support.calls import calls
from tests.support.left_out import long_after
from tests.unit.growth import HOSTILE, OPERATIONS, cost

SMALL = 2**12
"""The size of the small files, in bytes."""

WORST = 2.0
"""From small to large files, the number of calls per byte may grow by this factor. With quadratic
work, the factor would be 8.
"""

WORST_TIME = 6.0
"""The CPU time per byte may grow by this factor."""

ROWS = [(name, "1994") for name in HOSTILE] + [
    (name, dialect)
    for name in (
        "rules and exceptions",
        "a record of all lines",
        "all lines",
        "agents below a slip",
    )
    for dialect in ("revisited", "extended", "rfc9309")
]


@pytest.mark.parametrize("name", long_after(8, HOSTILE))
def test_calls_grow_linearly_with_the_file(name: str) -> None:
    for operation, work in OPERATIONS.items():
        small, large = (
            calls_per_byte(HOSTILE[name](size), operation)
            for size in (SMALL, SMALL * 8)
        )
        assert large < WORST * small, f"{operation} ({work}): {small}, {large}"


def calls_per_byte(body: str, operation: str) -> float:
    robots = RobotsTxt.parse(body)
    return calls(partial(OPERATIONS[operation], robots)) / len(body)


@pytest.mark.parametrize(("name", "dialect"), ROWS)
def test_time_grows_linearly_with_the_file(name: str, dialect: str) -> None:
    """A regular expression that scans a line repeatedly takes more time, but not more calls."""
    for operation in ("weakening", "problems"):
        small, large = (
            cost(HOSTILE[name](size), operation, dialect=dialect)
            for size in (SMALL, SMALL * 8)
        )
        assert large < WORST_TIME * small, f"{operation}: {small}, {large}"
