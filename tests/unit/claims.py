"""Claims that are true for every file, robot and path. Each claim is a function that raises
`AssertionError` if the claim is false.

Hypothesis checks the claims in the test run.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote

from scrapy_robots1994 import LineKind, RobotsTxt
from tests.oracle.reading import Reading

FIELDS = (LineKind.USER_AGENT, LineKind.DISALLOW, LineKind.ORPHAN, LineKind.NAMELESS)


@dataclass(frozen=True, slots=True)
class Question:
    """A file as bytes, a robot and a target. *place* chooses a line of the file."""

    body: bytes
    robot: str
    target: str
    place: int = 0

    def parsed(self, body: bytes | str | None = None) -> RobotsTxt:
        """Parse *body*, or the file of the question."""
        return RobotsTxt.parse(self.body if body is None else body)

    def allows(self, body: str) -> bool:
        """Return whether the file *body* allows the target for the robot."""
        return self.parsed(body).allowed(self.target, self.robot)


def every_line_is_accounted_for(question: Question) -> None:
    """Check that the lines are numbered from 1, and that no character of the text is
    lost.
    """
    robots = question.parsed()

    assert "".join(line.text + line.ending for line in robots.lines) == robots.text
    numbers = [line.number for line in robots.lines]
    assert numbers == list(range(1, len(numbers) + 1))


def allowed_and_verdict_agree(question: Question) -> None:
    """Check that `allowed()` and `verdict()` agree, and that the line of the verdict is a
    rule.
    """
    robots = question.parsed()
    verdict = robots.verdict(question.target, question.robot)

    assert robots.allowed(question.target, question.robot) is verdict.allowed
    if verdict.line is not None:
        line = robots.lines[verdict.line - 1]
        assert (line.field.lower(), line.value) == ("disallow", verdict.rule)


def oracle_agrees(question: Question) -> None:
    """Check that the package agrees with the oracle, which is an independent parser."""
    naive = Reading(question.body, "1994")

    expected = naive.answer(question.target, question.robot).allowed
    assert question.parsed().allowed(question.target, question.robot) is expected


def line_ends_do_not_matter(question: Question) -> None:
    """Check that NL, CR NL and CR are equivalent line ends (1994 F2, line ends)."""
    robots = question.parsed()
    answer = robots.allowed(question.target, question.robot)

    for ending in ("\n", "\r\n", "\r"):
        body = "".join(it.text + (ending if it.ending else "") for it in robots.lines)
        assert question.allows(body) is answer


def comments_and_unknown_fields_do_not_matter(question: Question) -> None:
    """Check that an added comment or unknown field does not change an answer (1994 F5,
    comments; F6, fields).
    """
    robots = question.parsed()
    answer = robots.allowed(question.target, question.robot)
    lines = [line.text for line in robots.lines]
    at = question.place % (len(lines) + 1)

    for extra in ("# Disallow: /", " \t#", "Allow: /", "Disalow: /", "no colon"):
        assert question.allows("\n".join([*lines[:at], extra, *lines[at:]])) is answer


def case_of_fields_does_not_matter(question: Question) -> None:
    """Check that the case of a field name does not change an answer (1994 F4, field
    names).
    """
    robots = question.parsed()
    answer = robots.allowed(question.target, question.robot)
    lines = [
        it.text.replace(it.field, it.field.swapcase(), 1)
        if it.kind in FIELDS
        else it.text
        for it in robots.lines
    ]

    assert question.allows("\n".join(lines)) is answer


def url_that_begins_with_a_rule_is_disallowed(question: Question) -> None:
    """Check that a URL that begins with the value of a Disallow line is disallowed
    (1994 D1, values of Disallow).
    """
    robots = question.parsed()
    rule = robots.verdict(question.target, question.robot).rule

    if rule and rule.startswith("/"):
        url = rule + question.target.partition("#")[0]
        is_robots_txt = unquote(url) == "/robots.txt"
        assert robots.allowed(url, question.robot) is is_robots_txt


def added_rule_allows_nothing(question: Question) -> None:
    """Check that a disallowed URL stays disallowed if a Disallow line is added to a
    record.
    """
    robots = question.parsed()
    lines = [line.text for line in robots.lines]
    owned = [it.number for it in robots.lines if it.kind is LineKind.DISALLOW]

    if owned and not robots.allowed(question.target, question.robot):
        at = owned[question.place % len(owned)]
        for extra in ("Disallow:", "Disallow: /x", "disallow: x # y"):
            assert not question.allows("\n".join([*lines[:at], extra, *lines[at:]]))


CLAIMS = (
    every_line_is_accounted_for,
    allowed_and_verdict_agree,
    oracle_agrees,
    line_ends_do_not_matter,
    comments_and_unknown_fields_do_not_matter,
    case_of_fields_does_not_matter,
    url_that_begins_with_a_rule_is_disallowed,
    added_rule_allows_nothing,
)
