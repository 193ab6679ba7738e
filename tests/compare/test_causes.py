"""Each cause of the closed list, as a parser of Scrapy's brings it about."""

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
    """A file, what is asked about it, and what is to be found."""

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
    """The one example of a comparison, explained."""

    direction: Direction
    example: Example


def explained(
    other: Parser, capture: Capture, question: Question, dialect: str = "1994"
) -> Found:
    """Return the one example of comparing with *other* by *question*."""
    comparing = Comparer([other], dialect=dialect, reading="literal")
    site = comparing.compare(other.name, Comparison(capture, (question,)))
    ((_, way),) = site.examples
    (example,) = comparing.explain(other.name, site)[other.name, way]
    return Found(way, example)


def found(case: Case, uniform: Verdict | None = None) -> Found:
    """Return the one explanation of a case."""
    capture = Capture("http://a.test", case.body, uniform, 404 if uniform else None)
    question = Question(f"http://a.test{case.target}", case.robot)
    return explained(case.other, capture, question)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.cause.code)
def test_a_cause_is_found_with_the_lines_it_needs(case: Case) -> None:
    """Direction, cause and the one-minimal lines are those that were built in."""
    one = found(case)

    assert one.direction is case.direction
    assert one.example.cause is case.cause
    assert one.example.needed_lines == case.needed_lines


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.cause.code)
def test_removing_any_needed_line_ends_the_disagreement(case: Case) -> None:
    """What is left of the needed lines after any one goes is judged alike by both."""
    example = found(case).example
    lines = case.body.splitlines(keepends=True)

    for gone in example.needed_lines:
        left = b"".join(lines[n - 1] for n in example.needed_lines if n != gone)
        url = example.question.url
        ours = RobotsTxt.parse(left).allowed(url, case.robot)
        assert case.other.parse(left).allowed(url, case.robot) == ours, gone


def test_every_cause_has_a_case() -> None:
    """The closed list is covered, those of other tests apart."""
    covered = {case.cause for case in CASES}

    apart = {
        Cause.STATUS,
        Cause.SHARED_HOST,
        Cause.LONGEST_MATCH,
        Cause.TIMEOUT,
    }
    assert set(Cause) - covered == apart


def test_the_status_is_the_cause_where_the_body_read_as_ours_would_agree() -> None:
    """A page of 404 that holds rules closes the site for a parser alone."""
    case = Case(
        Cause.STATUS, PROTEGO, STRICTER, b"User-agent: *\nDisallow: /\n", "/a", ()
    )

    one = found(case, Verdict(allowed=True, reason=Reason.ABSENT))

    assert (one.direction, one.example.cause) == (STRICTER, Cause.STATUS)
    assert one.example.needed_lines == ()
    assert one.example.verdict == "allowed: the site has no robots.txt"


def test_the_longest_match_parts_two_that_both_obey_allow() -> None:
    """Between the first match and the longest one the order of rules decides."""
    body = b"User-agent: *\nAllow: /a\nDisallow: /a/b\n"
    question = Question("http://a.test/a/b", "me")
    capture = Capture("http://a.test", body)

    example = explained(PROTEGO, capture, question, "extended").example

    assert example.cause is Cause.LONGEST_MATCH
    assert example.needed_lines == (1, 2, 3)


class _Raising:
    """A file at which every question fails."""

    def __init__(self, body: bytes) -> None:
        if b"refused" in body:
            raise LookupError

        self._is_odd = b"odd" in body

    def allowed(self, _url: str, _robot: str) -> Any:
        """Fail, or return what fails."""
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
def test_a_parser_that_raises_is_a_value(body: bytes, name: str) -> None:
    """At the file or at the question: counted, named, and nothing breaks."""
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
def test_the_dialect_we_read_in_is_the_one_that_is_compared(
    dialect: str, body: bytes, other: Parser, cause: Cause
) -> None:
    """Files, variants and verdicts are those of the dialect."""
    question = Question("http://a.test/a/b", "you")

    one = explained(other, Capture("http://a.test", body), question, dialect)

    assert one.example.cause is cause
