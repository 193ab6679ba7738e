"""Problems that weaken a policy. `tests/recorded/lint-*.txt` show the problems of many files."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import DIALECTS


@pytest.mark.parametrize("dialect", DIALECTS)
def test_weakening_problems_are_those_of_the_records_of_a_robot(dialect: str) -> None:
    """Problems above the first record and in misspelt User-agent lines concern every robot."""
    file = (
        "Disallow: /above\n\nUser-agent: a\nDisallow: x\n\nUser-agent: b\nAllow: x\n"
        "Disallow: y\n\nUser-agnt: c\nDisallow: z\n"
    )
    robots = RobotsTxt.parse(file, dialect=dialect)
    lines = {
        name: [line for it in robots.weakening_problems(name) for line in it.lines]
        for name in "abcd"
    }

    assert lines["a"] == [1, 4, 10]
    assert lines["b"][:2] == [1, 8]
    assert lines["c"] == lines["d"] == [1, 10]
