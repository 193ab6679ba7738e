"""Each kind of problem has correct examples, and its advice solves the problem."""

from __future__ import annotations

import re

import pytest

from scrapy_robots1994.lint.kinds import KINDS, SEVERITIES, Kind
from scrapy_robots1994.robotstxt import MAX_BYTES, RobotsTxt
from tests.support.crawl import ROOT

RECORDED = ROOT / "tests/recorded/lint-kinds.txt"
OPENING = [it for it in KINDS if it.opens]
ADVISING = [it for it in KINDS if "`" in it.advice]


def parse(kind: Kind, body: str) -> RobotsTxt:
    return RobotsTxt.parse(body, dialect=kind.dialect, limit=MAX_BYTES)


def test_bad_examples_are_those_of_the_recorded_session() -> None:
    recorded = re.findall(r"=== file bad/(\w+)\.txt", RECORDED.read_text("utf-8"))

    # R003 is about the size of the file.
    assert recorded == [it.code for it in KINDS if it.code != "R003"]


def test_codes_are_in_order() -> None:
    codes = [it.code for it in KINDS]

    assert codes == sorted(set(codes))
    assert all(re.fullmatch(r"R\d{3}", it) for it in codes)


@pytest.mark.parametrize("kind", KINDS, ids=lambda it: it.code)
def test_bad_example_has_the_problem_at_its_place_and_good_one_has_none(
    kind: Kind,
) -> None:
    before = re.split(r"\r\n|\r|\n", kind.bad.partition("»")[0])
    found = [it for it in parse(kind, kind.example).problems if it.kind is kind]
    rest = parse(kind, kind.good).problems

    assert [(it.line, it.column) for it in found] == [
        (len(before), len(before[-1].removeprefix("\ufeff")) + 1)
    ]
    assert kind not in [it.kind for it in rest]
    assert "error" not in [it.severity for it in rest]
    assert kind.severity in SEVERITIES
    assert re.fullmatch(r"[A-Z].*\.", kind.advice)
    assert not re.search(r"[.!?] ", kind.advice)


@pytest.mark.parametrize("kind", OPENING, ids=lambda it: it.code)
def test_kind_that_opens_a_site_is_closed_by_its_advice(kind: Kind) -> None:
    bad, good = parse(kind, kind.example), parse(kind, kind.good)
    opens = any(it.kind is kind and it.weakens_policy for it in bad.problems)
    asked = [
        (rule.value.replace("*", "x"), name)
        for record in good.records
        for name in record.names
        for rule in record.rules
    ]

    assert not opens or any(
        bad.allowed(path, name) and not good.allowed(path, name) for path, name in asked
    )


@pytest.mark.parametrize("kind", ADVISING, ids=lambda it: it.code)
def test_code_in_the_advice_is_in_the_good_example(kind: Kind) -> None:
    codes = re.findall("`(.*?)`", kind.advice)

    assert any(it in kind.good for it in codes)
