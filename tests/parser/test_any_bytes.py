"""Any bytes, URLs and robots: nothing raises, and every line is accounted for."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_robots1994.escaping import escape_control_chars
from scrapy_robots1994.origin import Origin, target_of
from scrapy_robots1994.parser import LineKind, Verdict
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser.strategies import nearly_right_texts, readings

ANY_TEXT = st.text(st.characters(exclude_categories=()))
"""Any text, including lone surrogates."""

BODIES = st.one_of(
    st.binary(),
    ANY_TEXT,
    nearly_right_texts,
    nearly_right_texts.map(lambda text: text.encode("utf-16")),
)
URLS = st.one_of(
    ANY_TEXT,
    st.binary(),
    st.builds("http://{}/{}".format, ANY_TEXT, ANY_TEXT),
)
ROBOTS = st.one_of(ANY_TEXT, st.binary(), st.text("a/;() ", max_size=12))


def check_verdict(verdict: Verdict, robots: RobotsTxt) -> None:
    """Check that *verdict* is consistent with the file *robots*."""
    assert verdict.allowed is (verdict.line is None) is (verdict.rule is None)
    if verdict.line is not None and verdict.record is not None:
        line = robots.lines[verdict.line - 1]
        assert (line.number, line.value) == (verdict.line, verdict.rule)
        assert line.kind in (LineKind.DISALLOW, LineKind.ORPHAN)
        # Ours O5: only the cautious reading obeys a rule that a blank line separates
        # from its record.
        is_rule = verdict.line in [rule.line for rule in verdict.record.rules]
        assert is_rule is (line.kind is LineKind.DISALLOW)
    assert escape_control_chars(str(verdict), 10_000) == str(verdict)


@settings(max_examples=500, deadline=None)
@given(BODIES, URLS, ROBOTS, readings)
def test_no_body_url_or_robot_raises(
    body: bytes | str, url: str | bytes, robot: str | bytes, reading: str
) -> None:
    """Every question has a verdict that is consistent with the file."""
    robots = RobotsTxt.parse(body, reading=reading)

    verdict = robots.verdict(url, robot)

    assert robots.allowed(url, robot) is verdict.allowed
    check_verdict(verdict, robots)


@settings(max_examples=500, deadline=None)
@given(BODIES, st.one_of(st.none(), st.integers(0, 60)))
def test_lines_joined_are_the_text(body: bytes | str, limit: int | None) -> None:
    """The lines are numbered from 1 without a gap."""
    robots = RobotsTxt.parse(body, limit=limit)

    assert "".join(line.text + line.ending for line in robots.lines) == robots.text
    numbers = [line.number for line in robots.lines]
    assert numbers == list(range(1, len(numbers) + 1))


@settings(max_examples=500, deadline=None)
@given(BODIES, st.one_of(st.none(), st.integers(0, 60)))
def test_problems_have_a_place_in_the_file(
    body: bytes | str, limit: int | None
) -> None:
    """Each is on a line of the file or the one after it, and its text is printable."""
    robots = RobotsTxt.parse(body, limit=limit)
    widths = [len(line.text) for line in robots.lines]

    for problem in robots.problems:
        width = [*widths, 0, 0][problem.line - 1]
        assert 1 <= problem.line <= len(widths) + 1
        assert 1 <= problem.column <= max(width, 1)
        assert escape_control_chars(str(problem), 10_000) == str(problem)


@given(URLS)
def test_origin_and_target_of_any_url(url: str | bytes) -> None:
    """An origin is the origin of its own robots.txt URL; a target begins with a slash."""
    origin = Origin.of(url)

    assert origin is None or Origin.of(origin.robots_url) == origin
    assert isinstance(url, bytes) or target_of(url).startswith("/")
