"""The naive parser gives the answers in the examples of clauses and decisions."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.oracle import asking
from tests.oracle.generator import Case, Generator, Question
from tests.oracle.names import record_names, robot_names
from tests.oracle.reading import FEATURES, Reading

MJ12 = "Mozilla/5.0 (compatible; MJ12bot/v1.4; http://mj12.test)"


def test_names_of_a_header_are_found_in_records_and_robots() -> None:
    """O9 is about the robot's header, O10 about the value of a record."""
    assert record_names(MJ12, "1994") == ["mj12bot"]
    assert record_names("Foo/1.0", "1994") == ["foo"]
    assert "my company bot" in robot_names("My Company Bot/1.0 (+http://x.test)")
    assert robot_names(MJ12)[0] == "mj12bot"


def test_same_seed_makes_same_cases() -> None:
    """A reported seed reproduces the differences."""
    assert Generator(7).small() == Generator(7).small()
    assert Generator(7).large() != Generator(8).large()


def test_wrong_answer_is_found_and_minimised(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong answer of the package about one path is reported."""
    right = asking.ask

    def wrong(robots: RobotsTxt, question: Question) -> asking.Row:
        row = right(robots, question)
        is_wrong = b"/secret" in bytes(question.url)  # type: ignore[arg-type]  # all are bytes
        return row._replace(allowed=True, line=None) if is_wrong else row

    monkeypatch.setattr(asking, "ask", wrong)
    body = b"# one\nUser-agent: *\nDisallow: /other\nDisallow: /secret\n\n# two\n"
    question = Question(b"http://h.test/secret/page", "foo")
    found = list(asking.differences(Case(body, [question]), ("1994",)))
    smallest = asking.minimised(found[0])
    assert smallest.body == b"User-agent: *\nDisallow: /secret\n"
    assert smallest.question.url == b"http://h.test/secret"
    assert "expected  Row(allowed=False" in str(smallest)


def test_run_in_which_nothing_decides_is_too_short() -> None:
    """Files without rules prove nothing, however many questions are asked."""
    tally = asking.Tally()
    case = Case(b"User-agent: *\nDisallow:\n", [Question("/a", "foo")])

    assert list(asking.differences(case, tally=tally)) == []
    assert len(tally.shortfalls) == len(FEATURES) + 1


@pytest.mark.parametrize(
    ("value", "seconds"), [("5", 5.0), (".5", 0.5), ("x", None), ("1e3", None)]
)
def test_reading_has_the_longest_delay_of_the_record(
    value: str, seconds: float | None
) -> None:
    """X4, X5: other values are ignored; the cautious reading obeys split ones too."""
    body = f"User-agent: *\nCrawl-delay: 0\n\nCrawl-delay: {value}\n".encode()

    assert Reading(body, "extended").crawl_delay("foo") == 0
    assert Reading(body, "extended", "cautious").crawl_delay("foo") == (seconds or 0)
    assert Reading(body, "rfc9309").crawl_delay("foo") == (seconds or 0)
    assert Reading(body).crawl_delay("foo") is None
