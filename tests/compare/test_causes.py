"""Each cause of a disagreement, produced with a parser of Scrapy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_robots1994.compare.comparer import Comparer, Comparison
from scrapy_robots1994.compare.diagnosis import Cause
from scrapy_robots1994.compare.parsers import Capture, Direction, Parser, Question
from scrapy_robots1994.parser import Reason, Verdict
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.support.peers import PROTEGO, PYTHON, RERP

if TYPE_CHECKING:
    from scrapy_robots1994.compare.impact import Example

STRICTER, LAXER, RAISED = Direction.STRICTER, Direction.LAXER, Direction.RAISED


@dataclass(frozen=True, slots=True)
class Case:
    """A file, a question about it, and the expected explanation."""

    cause: Cause
    other: Parser
    direction: Direction
    body: bytes
    target: str
    needed_lines: tuple[int, ...]
    robot: str = "me"


CASES = (
    Case(
        Cause.ALLOW,
        PROTEGO,
        LAXER,
        b"User-agent: *\nDisallow: /\nDisallow: /z\nAllow: /a\n",
        "/a",
        (1, 2, 4),
    ),
    Case(
        Cause.ALLOW,
        PYTHON,
        LAXER,
        b"User-agent: *\nDisallow:\nDisallow: /a\n",
        "/a",
        (1, 2, 3),
    ),
    Case(
        Cause.WILDCARD,
        PROTEGO,
        STRICTER,
        b"# all of them\nUser-agent: *\nDisallow: /*.php$\n",
        "/x.php",
        (2, 3),
    ),
    Case(
        Cause.SPLIT_RECORD,
        PROTEGO,
        STRICTER,
        b"User-agent: *\n\nDisallow: /a\n",
        "/a",
        (1, 2, 3),
    ),
    Case(
        Cause.MERGED_RECORDS,
        PROTEGO,
        STRICTER,
        b"User-agent: me\nDisallow: /a\nUser-agent: me\nDisallow: /b\n",
        "/b",
        (1, 2, 3, 4),
    ),
    Case(
        Cause.MERGED_RECORDS,
        PYTHON,
        LAXER,
        b"User-agent: me\nCrawl-delay: 5\nUser-agent: you\nDisallow: /\n",
        "/b",
        (1, 2, 3, 4),
    ),
    Case(
        Cause.AGENT,
        PROTEGO,
        LAXER,
        b"User-agent: bot\nDisallow: /\n",
        "/a",
        (1, 2),
        "mybot",
    ),
    Case(
        Cause.SEVERAL_DEFAULTS,
        PYTHON,
        LAXER,
        b"User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n",
        "/b",
        (1, 2, 4, 5),
    ),
    Case(
        Cause.PERCENT,
        PYTHON,
        STRICTER,
        b"User-agent: *\nDisallow: /a%2Fb\n",
        "/a/b",
        (1, 2),
    ),
    Case(
        Cause.ENCODING,
        PYTHON,
        LAXER,
        b"User-agent: *\nDisallow: /a\n# caf\xe9\n",
        "/a",
        (1, 2, 3),
    ),
    Case(
        Cause.ITSELF,
        RERP,
        STRICTER,
        b"User-agent: *\nDisallow: /\n",
        "/robots.txt",
        (1, 2),
    ),
    Case(
        Cause.OTHER,
        PROTEGO,
        STRICTER,
        b"User-agent: *\nDisalow: /a\n",
        "/a",
        (1, 2),
    ),
)


@dataclass(frozen=True, slots=True)
class Found:
    """The explanation of the only example of a comparison."""

    direction: Direction
    example: Example


def explained(
    other: Parser, capture: Capture, question: Question, dialect: str = "1994"
) -> Found:
    """Return the explanation of the only disagreement with *other* on *question*."""
    comparing = Comparer([other], dialect=dialect, reading="literal")
    site = comparing.compare(other.name, Comparison(capture, (question,)))
    ((_, way),) = site.examples
    (example,) = comparing.explain(other.name, site)[other.name, way]
    return Found(way, example)


def found(case: Case, uniform: Verdict | None = None) -> Found:
    """Return the explanation of a case."""
    capture = Capture("http://a.test", case.body, uniform, 404 if uniform else None)
    question = Question(f"http://a.test{case.target}", case.robot)
    return explained(case.other, capture, question)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.cause.code)
def test_cause_is_found_with_its_needed_lines(case: Case) -> None:
    """Direction, cause and one-minimal lines are those of the case."""
    one = found(case)

    assert one.direction is case.direction
    assert one.example.cause is case.cause
    assert one.example.needed_lines == case.needed_lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.cause.code)
def test_removing_any_needed_line_ends_the_disagreement(case: Case) -> None:
    """Both parsers agree on the needed lines without any one of them."""
    example = found(case).example
    lines = case.body.splitlines(keepends=True)

    for gone in example.needed_lines:
        left = b"".join(lines[n - 1] for n in example.needed_lines if n != gone)
        url = example.question.url
        ours = RobotsTxt.parse(left).allowed(url, case.robot)
        assert case.other.parse(left).allowed(url, case.robot) == ours, gone


def test_every_cause_has_a_case() -> None:
    """Causes without a case are tested elsewhere."""
    covered = {case.cause for case in CASES}

    apart = {
        Cause.STATUS,
        Cause.SHARED_HOST,
        Cause.LONGEST_MATCH,
        Cause.TIMEOUT,
    }
    assert set(Cause) - covered == apart


def test_status_is_the_cause_if_only_the_other_parser_reads_the_body() -> None:
    """The rules in the body of a 404 apply only for a parser that ignores the status."""
    case = Case(
        Cause.STATUS, PROTEGO, STRICTER, b"User-agent: *\nDisallow: /\n", "/a", ()
    )

    one = found(case, Verdict(allowed=True, reason=Reason.ABSENT))

    assert (one.direction, one.example.cause) == (STRICTER, Cause.STATUS)
    assert one.example.needed_lines == ()
    assert one.example.verdict == "allowed: the site has no robots.txt"


def test_longest_match_is_a_cause_between_two_parsers_that_obey_allow() -> None:
    """One takes the first match, the other one the longest."""
    body = b"User-agent: *\nAllow: /a\nDisallow: /a/b\n"
    question = Question("http://a.test/a/b", "me")
    capture = Capture("http://a.test", body)

    example = explained(PROTEGO, capture, question, "extended").example

    assert example.cause is Cause.LONGEST_MATCH
    assert example.needed_lines == (1, 2, 3)


class _Raising:
    """A parser that raises for every question."""

    def __init__(self, body: bytes) -> None:
        if b"refused" in body:
            raise LookupError

        self._is_odd = b"odd" in body

    def allowed(self, _url: str, _robot: str) -> Any:
        """Raise, or return an object that raises when it is used."""
        if self._is_odd:
            return self
        raise ZeroDivisionError

    def __bool__(self) -> bool:
        raise FloatingPointError


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (b"x", "ZeroDivisionError"),
        (b"refused", "LookupError"),
        (b"odd", "FloatingPointError"),
    ],
)
def test_parser_that_raises_is_counted_and_named(body: bytes, name: str) -> None:
    """It may raise when it parses the file or when it answers the question."""
    capture = Capture("http://a.test", body)
    raising = Parser("Raising", _Raising)

    one = explained(raising, capture, Question("http://a.test/", "me"))

    assert one.direction is RAISED
    assert one.example.theirs == f"raises {name}"
    assert one.example.cause is Cause.OTHER


@pytest.mark.parametrize(
    ("dialect", "body", "other", "cause"),
    [
        (
            "extended",
            b"User-agent: *\nAllow: /a\nDisallow: /a/b\n",
            PROTEGO,
            Cause.LONGEST_MATCH,
        ),
        ("revisited", b"User-agent: me you\nDisallow: /a\n", PROTEGO, Cause.AGENT),
    ],
)
def test_comparison_uses_the_given_dialect(
    dialect: str, body: bytes, other: Parser, cause: Cause
) -> None:
    """The cause is that of a disagreement with this dialect."""
    question = Question("http://a.test/a/b", "you")

    one = explained(other, Capture("http://a.test", body), question, dialect)

    assert one.example.cause is cause
