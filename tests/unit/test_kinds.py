"""For each kind of problem, there is a file with the problem, and a file without the
problem.
"""

from __future__ import annotations

import re
import runpy

import pytest

from scrapy_robots1994.lint.kinds import KIND_CODED, KINDS, SEVERITIES, Kind
from scrapy_robots1994.robotstxt import MAX_BYTES, RobotsTxt
from tests.standard.lint_forms import FORMS, WHOLE
from tests.support.crawl import ROOT

EXAMPLES = runpy.run_path(str(ROOT / "docs/_ext/robots1994_problems.py"))["EXAMPLES"]


def test_codes_are_numbered_and_each_has_its_forms() -> None:
    """The codes are numbered without gaps, and each code has an example and forms. Only
    R014 (size limit) has no form, because its file would be too long for the table.
    """
    codes = [f"R{number:03}" for number in range(1, len(KINDS) + 1)]

    assert list(KIND_CODED) == [kind.code for kind in KINDS] == codes
    assert list(EXAMPLES) == codes
    assert {*FORMS, *WHOLE, "R014"} == set(codes)


@pytest.mark.parametrize("kind", KINDS, ids=lambda it: it.code)
def test_bad_example_has_the_problem_and_good_one_has_none(kind: Kind) -> None:
    """The bad example has the problem, and the good example does not have the problem. If
    the problem has edits, the edits turn the bad example into the good example.
    """
    assert kind.severity in SEVERITIES
    example = EXAMPLES[kind.code]
    assert re.search(r"[.?`]$", example.why)
    bad = RobotsTxt.parse(example.bad, dialect=example.dialect, limit=MAX_BYTES)
    good = RobotsTxt.parse(example.good, dialect=example.dialect)

    found = [it for it in bad.problems if it.code == kind.code]
    assert found
    assert kind.code not in [it.code for it in good.problems]
    assert [it for it in good.problems if it.severity == "error"] == []
    if found[0].edits:
        texts: list[str] = []
        for line in bad.lines:
            new = found[0].edits.get(line.number)
            texts += [line.text] if new is None else new
        assert "\n".join(texts) + "\n" == example.good
