"""Tests that the package agrees with the naive parser about generated files."""

from __future__ import annotations

import re

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.oracle.asking import Tally, differences
from tests.oracle.generator import Generator
from tests.oracle.minimise import minimised
from tests.oracle.reading import DIALECTS

FILES = 110


def check(generator: Generator, files: int, *, threads: bool = False) -> Tally:
    """Check that the package and the naive parser agree about *files* generated files.
    The last generated file is large.
    """
    tally = Tally()
    cases = [generator.small() for _ in range(files - 1)] + [generator.large()]
    found = [
        difference
        for case in cases
        for difference in differences(case, threads=threads, tally=tally)
    ]

    assert not found, f"{len(found)} differences, one of them:\n{minimised(found[0])}"
    return tally


@pytest.mark.parametrize("seed", ["one", "two"])
def test_package_agrees_with_the_naive_parser(seed: str) -> None:
    """In each dialect, the package and the naive parser return equal answers,
    reasons, lines, rules, spellings and crawl delays.
    """
    tally = check(Generator(seed), FILES)

    assert not tally.shortfalls


def test_package_agrees_when_several_threads_ask_one_object() -> None:
    """If several threads ask one object at the same time, all answers are right."""
    check(Generator("threads"), 12, threads=True)


def test_naive_parser_knows_every_dialect() -> None:
    """The naive parser and the package have the same dialects. A new dialect needs its
    clauses in `reading.py`.
    """
    with pytest.raises(ValueError, match="use one of") as raised:
        RobotsTxt.parse("", dialect="?")

    known = str(raised.value).partition("use one of")[2]
    assert tuple(re.findall("'(.*?)'", known)) == (*DIALECTS, "strictest")
