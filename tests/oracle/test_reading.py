"""The comparison with the oracle can be repeated, finds differences, and counts features."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.oracle import asking
from tests.oracle.generator import Case, Generator, Question
from tests.oracle.minimise import minimised
from tests.oracle.reading import FEATURES


def test_same_seed_makes_same_cases() -> None:
    """Equal seeds make equal cases, so that the differences of a run can be reproduced."""
    assert Generator(7).small() == Generator(7).small()
    assert Generator(7).large() != Generator(8).large()


def test_wrong_answer_is_found_and_minimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the package gives a wrong answer about one path, the answer is reported with a
    minimal file.
    """
    right = asking.ask

    def wrong(robots: RobotsTxt, question: Question) -> asking.Row:
        row = right(robots, question)
        is_wrong = b"/secret" in bytes(question.url)  # type: ignore[arg-type]  # all are bytes
        return row._replace(allowed=True, line=None) if is_wrong else row

    monkeypatch.setattr(asking, "ask", wrong)
    body = b"# one\nUser-agent: *\nDisallow: /other\nDisallow: /secret\n\n# two\n"
    question = Question(b"http://h.test/secret/page", "foo")
    found = list(asking.differences(Case(body, [question]), ("1994",)))
    smallest = minimised(found[0])
    assert smallest.body == b"User-agent: *\nDisallow: /secret\n"
    assert smallest.question.url == b"http://h.test/secret"
    assert "expected  Row(allowed=False" in str(smallest)


def test_run_in_which_nothing_decides_is_too_short() -> None:
    """If no rule decides a question, the run reports rules and each feature as shortfalls."""
    tally = asking.Tally()
    case = Case(b"User-agent: *\nDisallow:\n", [Question("/a", "foo")])

    assert list(asking.differences(case, tally=tally)) == []
    assert len(tally.shortfalls) == len(FEATURES) + 1
