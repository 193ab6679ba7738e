"""Claims that hold of every file, robot and path; each raises AssertionError if not.

Hypothesis tries them in the test run, the fuzz target for as long as one likes.
"""

from __future__ import annotations

from dataclasses import dataclass

from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.parser import LineKind
from scrapy_robots1994.parser.user_agent import robot_names
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser import oracle
from tests.parser.records_read import obeyed_records

FIELDS = (LineKind.USER_AGENT, LineKind.DISALLOW, LineKind.ORPHAN, LineKind.NAMELESS)


@dataclass(frozen=True, slots=True)
class Question:
    """A file as bytes, and who asks it for what; *place* chooses one of its lines."""

    body: bytes
    robot: str
    target: str
    reading: str = "literal"
    place: int = 0

    def parsed(self, body: bytes | str | None = None) -> RobotsTxt:
        """The file, or another *body* read the same way."""
        return RobotsTxt.parse(
            self.body if body is None else body, reading=self.reading
        )

    def allows(self, body: str) -> bool:
        """What another *body* says to the same question."""
        return self.parsed(body).allowed(self.target, self.robot)


def every_line_is_accounted_for(asked: Question) -> None:
    """The lines are numbered, each has its kind, and joined they are the text."""
    robots = asked.parsed()

    assert "".join(line.text + line.ending for line in robots.lines) == robots.text
    numbers = [line.number for line in robots.lines]
    assert numbers == list(range(1, len(numbers) + 1))


def what_is_told_is_printable(asked: Question) -> None:
    """Verdicts and problems have their place and hold nothing raw."""
    robots = asked.parsed()
    verdict = robots.verdict(asked.target, asked.robot)

    assert is_printable(str(verdict))
    for problem in (*robots.problems, *robots.weakening_problems(asked.robot)):
        assert is_printable(str(problem))
        assert 1 <= problem.line <= len(robots.lines) + 1
    assert set(robots.weakening_problems(asked.robot)) <= set(robots.problems)


def both_paths_agree(asked: Question) -> None:
    """The quick answer is that of the verdict, and the line named is a rule."""
    robots = asked.parsed()
    verdict = robots.verdict(asked.target, asked.robot)

    assert robots.allowed(asked.target, asked.robot) is verdict.allowed
    if verdict.line is not None:
        line = robots.lines[verdict.line - 1]
        assert (line.field.lower(), line.value) == ("disallow", verdict.rule)


def the_plain_reading_agrees(asked: Question) -> None:
    """The second reading of the clauses gives the same answer."""
    robots = asked.parsed()
    names = list(robot_names(asked.robot))
    cautious = asked.reading == "cautious"

    expected = oracle.allowed(robots.text, asked.target, names, cautious=cautious)
    assert robots.allowed(asked.target, asked.robot) is expected


def line_ends_do_not_matter(asked: Question) -> None:
    """1994 F2: NL, CR NL and CR are one."""
    robots = asked.parsed()
    answer = robots.allowed(asked.target, asked.robot)

    for ending in ("\n", "\r\n", "\r"):
        body = "".join(it.text + (ending if it.ending else "") for it in robots.lines)
        assert asked.allows(body) is answer


def comments_and_unknown_fields_do_not_matter(asked: Question) -> None:
    """1994 F5, F6: a line that counts for nothing, anywhere, changes nothing."""
    robots = asked.parsed()
    answer = robots.allowed(asked.target, asked.robot)
    lines = [line.text for line in robots.lines]
    at = asked.place % (len(lines) + 1)

    for extra in ("# Disallow: /", " \t#", "Allow: /", "Disalow: /", "no colon"):
        assert asked.allows("\n".join([*lines[:at], extra, *lines[at:]])) is answer


def the_case_of_fields_does_not_matter(asked: Question) -> None:
    """1994 F4: field names compare without case."""
    robots = asked.parsed()
    answer = robots.allowed(asked.target, asked.robot)
    lines = [
        it.text.replace(it.field, it.field.swapcase(), 1)
        if it.kind in FIELDS
        else it.text
        for it in robots.lines
    ]

    assert asked.allows("\n".join(lines)) is answer


def what_begins_with_a_rule_is_disallowed(asked: Question) -> None:
    """1994 D1: a longer URL under a disallowed prefix is disallowed."""
    robots = asked.parsed()
    obeyed = obeyed_records(robots, asked.robot)
    rules = [rule.value for record in obeyed for rule in record.rules]
    rules = [rule for rule in rules if rule.startswith("/")]

    if rules:
        url = rules[asked.place % len(rules)] + asked.target.partition("#")[0]
        is_the_file = oracle.decoded(url) == oracle.decoded("/robots.txt")
        assert robots.allowed(url, asked.robot) is is_the_file


def a_further_rule_opens_nothing(asked: Question) -> None:
    """An added Disallow line never allows more."""
    robots = asked.parsed()
    lines = [line.text for line in robots.lines]
    owned = [it.number for it in robots.lines if it.kind is LineKind.DISALLOW]

    if owned and not robots.allowed(asked.target, asked.robot):
        at = owned[asked.place % len(owned)]
        for extra in ("Disallow:", "Disallow: /x", "disallow: x # y"):
            assert not asked.allows("\n".join([*lines[:at], extra, *lines[at:]]))


CLAIMS = (
    every_line_is_accounted_for,
    what_is_told_is_printable,
    both_paths_agree,
    the_plain_reading_agrees,
    line_ends_do_not_matter,
    comments_and_unknown_fields_do_not_matter,
    the_case_of_fields_does_not_matter,
    what_begins_with_a_rule_is_disallowed,
    a_further_rule_opens_nothing,
)
