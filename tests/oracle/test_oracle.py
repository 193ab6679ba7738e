"""For generated files, the package and the naive parser give the same answers."""

from __future__ import annotations

import re

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.oracle.asking import differences, expect
from tests.oracle.generator import Case, Generator, Question
from tests.oracle.reading import DIALECTS, Reading


@pytest.mark.parametrize("seed", ["one", "two", "threads"])
def test_package_agrees_with_the_naive_parser(seed: str) -> None:
    generator = Generator(seed)
    cases = [generator.small() for _ in range(100)]
    is_shared = seed == "threads"
    found = [it for case in cases for it in differences(case, threads=is_shared)]

    assert not found, (
        f"{len(found)} differences, the shortest of them: {min(found, key=str)}"
    )


@pytest.mark.parametrize(
    ("rule", "target"), [("/%E", "/\u4e2d"), ("/a%2", "/a b"), ("/%", "/\x1f")]
)
def test_naive_parser_reads_a_cut_escape_as_the_package_does(
    rule: str, target: str
) -> None:
    question = Question(f"http://h.test{target}", "rex")
    case = Case(f"User-agent: *\nDisallow: {rule}\n", [question])

    assert not list(differences(case))


def test_rules_decide_many_generated_questions() -> None:
    cases = [Generator(seed).small() for seed in range(50)]
    rows = [
        expect(Reading(case.body, dialect), question)
        for case in cases
        for dialect in DIALECTS
        for question in case.questions
    ]

    assert sum(row.line is not None for row in rows) > len(rows) / 4
    assert {it.reason for it in rows} > {"rule", "no-rule", "no-record", "empty"}
    assert {it.allowed for it in rows if it.line} == {True, False}


def test_naive_parser_knows_every_dialect() -> None:
    with pytest.raises(ValueError, match="use one of") as raised:
        RobotsTxt.parse("", dialect="?")

    known = str(raised.value).partition("use one of")[2]
    assert tuple(re.findall("'(.*?)'", known)) == (*DIALECTS, "strictest")
