"""Any bytes, URLs and robots give consistent results."""

from __future__ import annotations

from unicodedata import category

from hypothesis import example, given, settings
from hypothesis import strategies as st

from scrapy_robots1994 import LineKind, Origin, RobotsTxt, Verdict
from tests.oracle.generator import Generator
from tests.standard.asking import DIALECTS

ANY_TEXT = st.text(st.characters(exclude_categories=()))

BODIES = st.one_of(
    st.binary(), ANY_TEXT, st.integers().map(lambda seed: Generator(seed).small().body)
)
URLS = st.one_of(
    ANY_TEXT, st.binary(), st.builds("http://{}/{}".format, ANY_TEXT, ANY_TEXT)
)
ROBOTS = st.one_of(ANY_TEXT, st.binary(), st.text("a/;() ", max_size=12))
WAYS = st.tuples(
    st.one_of(st.none(), st.integers(0, 60)),
    st.sampled_from(DIALECTS),
)
RULES = (LineKind.DISALLOW, LineKind.ALLOW)


def is_printable(text: str) -> bool:
    """Whether *text* contains no control character, line end or lone surrogate."""
    return not {"Cc", "Zl", "Zp", "Cs"} & set(map(category, text))


def check_verdict(verdict: Verdict, robots: RobotsTxt) -> None:
    assert (verdict.line is None) is (verdict.rule is None)
    assert verdict.allowed or verdict.line is not None
    assert is_printable(str(verdict))
    if verdict.line is not None and verdict.record is not None:
        line = robots.lines[verdict.line - 1]
        rules = [rule.line for rule in verdict.record.rules]
        assert str(verdict.rule) in line.value
        assert line.kind in RULES
        assert verdict.line in rules


@settings(max_examples=500, deadline=None)
@given(BODIES, URLS, ROBOTS, WAYS)
@example("Crawl-delay:", "", "", (None, "extended"))
def test_any_body_url_and_robot_has_an_answer(
    body: bytes | str,
    url: str | bytes,
    robot: str | bytes,
    way: tuple[int | None, str],
) -> None:
    limit, dialect = way
    robots = RobotsTxt.parse(body, limit=limit, dialect=dialect)

    verdict = robots.verdict(url, robot)

    assert robots.allowed(url, robot) is verdict.allowed
    check_verdict(verdict, robots)
    assert "".join(line.text + line.ending for line in robots.lines) == robots.text
    assert [line.number for line in robots.lines] == [
        number for number, _ in enumerate(robots.lines, 1)
    ]
    widths = [len(line.text) for line in robots.lines]
    for problem in robots.problems:
        width = [*widths, 0, 0][problem.line - 1]
        assert 1 <= problem.line <= len(widths) + 1
        assert 1 <= problem.column <= max(width, 1)
        assert is_printable(f"{problem} {problem.fix}")
    assert {it.kind for it in robots.weakening_problems(robot)} <= {
        it.kind for it in robots.problems
    }


@given(URLS)
def test_origin_of_any_url_is_that_of_its_robots_url(url: str | bytes) -> None:
    origin = Origin.of(url)

    assert origin is None or Origin.of(origin.robots_url) == origin
