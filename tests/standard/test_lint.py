"""Problems of files. `tests/recorded/lint-*.txt` show those of many more."""

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


@pytest.mark.parametrize("dialect", DIALECTS)
def test_line_without_a_name_is_a_problem_of_its_record(dialect: str) -> None:
    file = "User-agent: a\nUser-agent:\nDisallow: /\n"
    problems = RobotsTxt.parse(file, dialect=dialect).problems

    assert [(it.code, it.line) for it in problems] == [("R012", 2)]
