"""The problems that a file is reported to have, and their places."""

from __future__ import annotations

import pytest

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.kinds import sentence
from scrapy_robots1994.parser.body import Body
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.standard.asking import clauses

PLACES = [
    ("  Disallow: /", [("R011", 1, 1), ("R001", 1, 3)]),
    ("User-agent: a\n \n\nDisallow: /", [("R002", 2, 1)]),
    ("User-agent: a\n\n# x\nDisallow: /\nDisallow: /y", [("R002", 2, 1)]),
    ("# x\nUser-agent: a", [("R003", 2, 1)]),
    (" User-agent: # a", [("R004", 1, 2)]),
    ("User-agent: a\nDisallow:  x", [("R005", 2, 12)]),
    ("\thello", [("R006", 1, 2)]),
    ("User-agent: a\nDisallow:\nUser-agent: b\nDisallow:", [("R007", 3, 1)]),
    (
        "User-agent: *\nDisallow:\n\nUser-agent: b\nUser-agent: *\nDisallow:",
        [("R008", 5, 1)],
    ),
    (
        "User-agent: a\nDisallow:\nDisallow: /\nDisallow:",
        [("R009", 2, 1), ("R009", 4, 1)],
    ),
    (" Fields: /", [("R010", 1, 2)]),
    ("User-agent : a\n Disallow: /", [("R011", 1, 1), ("R011", 2, 1)]),
    ("\ufeff", [("R012", 1, 1)]),
    (b"# x\n# a\xff\xff", [("R013", 2, 4)]),
]


@pytest.mark.parametrize(("body", "places"), PLACES)
def test_problem_has_code_line_and_column(
    body: str | bytes, places: list[tuple[str, int, int]]
) -> None:
    """Each file has exactly these problems."""
    problems = RobotsTxt.parse(body).problems

    assert [(it.code, it.line, it.column) for it in problems] == places


def test_truncated_file_has_a_problem_after_its_last_line() -> None:
    """The truncation is reported once, on the line where the rest would begin."""
    problems = RobotsTxt.parse("#\n# x", limit=3).problems

    assert [(it.code, it.line) for it in problems] == [("R014", 2)]


def test_record_split_by_a_blank_line_is_one_problem() -> None:
    """A record without rules and rules without a robot are not reported in addition."""
    body = "User-agent: a\n\nDisallow: /x\nDisallow: /y\n\nDisallow: /z\n"

    assert clauses(body) == ["O5", "O4"]


def test_missing_blank_line_after_a_split_record_is_reported() -> None:
    """The Disallow lines that were split off count as lines before the next record."""
    body = "User-agent: a\n\nDisallow: /x\nUser-agent: b\nDisallow: /y\n"

    assert clauses(body) == ["O5", "O7"]


@pytest.mark.parametrize(
    ("body", "weakens"),
    [
        ("Disallow: /", True),
        ("User-agent: a\n\nDisallow: /", True),
        ("User-agent: a", True),
        ("User-agent:", True),
        ("User-agent: a\nDisallow: x", True),
        ("User-agent: a\nDisallow: /\nDisalow: /", True),
        ("User-agent: a\nDisallow: /\nDisallow /", True),
        ("User-agent: a, b\nDisallow: /", True),
        ("User-agent: a*\nDisallow: /", True),
        ("User-agent: a\nDisallow: /a /b", True),
        ("hello", False),
        ("Allow: /", False),
    ],
)
def test_problem_says_whether_it_weakens_the_policy(
    body: str, *, weakens: bool
) -> None:
    """It does if it allows what the author meant to disallow."""
    assert [it.weakens_policy for it in RobotsTxt.parse(body).problems] == [weakens]


def test_problem_as_text_is_printable() -> None:
    """Control characters of the file are escaped."""
    problem = RobotsTxt.parse("\x1b[31m: x").problems[0]

    assert str(problem) == (
        r'1:1: info R010 (F6): the field "\x1b[31m" is unknown and ignored'
    )


def test_codes_are_unique_and_in_order() -> None:
    """No two kinds share a code."""
    codes = [kind.code for kind in KINDS]

    assert codes == sorted(set(codes))


MESSAGES = [
    ("User-agent: a\n\n\nDisallow: /", "from line 4 on"),
    ("User-agent: *\nDisallow:\n\nUser-agent: *\nDisallow:", "of line 1;"),
    ("User-agent: a\nDisallow: /\nDisallow: /", "line 2 of the same record"),
    ("User-agent: a\nDisallow: /a/b\nDisallow: /a", 'line 3, "Disallow: /a", already'),
    (
        "User-agent: bot\nDisallow:\n\nUser-agent: mybot\nDisallow: /",
        'named "mybot" obeys the record of line 1, for "bot",',
    ),
    ("User-agent: a\rDisallow: /", "ends 1 line(s)"),
    ("User-agent: a\nUser-agent: b", 'for "a, b" has no'),
    ("Disalow: /", '"Disalow" is unknown and ignored; was "Disallow" meant?'),
    ("User agent: a\nuser agent a", 'was "User-agent:" meant?'),
]


@pytest.mark.parametrize(("body", "text"), MESSAGES)
def test_message_names_what_the_problem_is_about(body: str, text: str) -> None:
    """It names another line, a robot or the field that was probably meant."""
    assert any(text in it.message for it in RobotsTxt.parse(body).problems)


def test_sentence_ends_with_one_mark() -> None:
    """A question ends with a question mark, any other sentence with a full stop."""
    question, statement = RobotsTxt.parse("Disalow: /\nAllow: /").problems

    assert sentence(question).endswith('was "Disallow" meant?')
    assert sentence(statement).endswith("stays disallowed.")


def test_quoted_text_is_cut_to_sixty_characters() -> None:
    """A long line does not make a long message."""
    (problem,) = RobotsTxt.parse("x" * 99).problems

    assert f'"{"x" * 59}…"' in problem.message


def test_orphans_of_a_large_file_do_not_read_it_one_by_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fix for a rule above all records depends on the whole file, but is made once."""
    read = vars(Body)["text"].fget
    sizes: list[int] = []

    def count(body: Body) -> str:
        sizes.append(body.size)
        return str(read(body))

    monkeypatch.setattr(Body, "text", property(count))

    problems = [RobotsTxt.parse("Disallow: /a\n" * n).problems for n in (2, 2_000)]

    assert [len(found) for found in problems] == [2, 2_000]
    assert all(it.fix for found in problems for it in found)
    assert len(sizes) == 2 * sizes.count(sizes[0])
