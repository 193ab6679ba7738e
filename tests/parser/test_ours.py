"""The `Ours` list, O1 to O15: where the text is silent on lines, names and records."""

from __future__ import annotations

import pytest

from scrapy_robots1994.parser import LineKind, Reason
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.parser.asking import allowed, clauses, closed, kinds

SPLIT = "User-agent: rex\n\nDisallow: /x\n"


def test_ours_o01_the_first_record_that_matches() -> None:
    """Of several records that name the robot the first in the file counts."""
    body = f"{closed('/a', 're')}\n{closed('/b', 'rex')}"

    assert not allowed(body, "/a")
    assert allowed(body, "/b")


def test_ours_o02_all_default_records_are_obeyed_together() -> None:
    """Several `*` records are obeyed together, and reported."""
    body = f"{closed('/a')}\n{closed('/b')}"

    assert not allowed(body, "/a")
    assert not allowed(body, "/b")
    assert clauses(body) == ["A3"]


def test_ours_o03_a_record_without_disallow_matches() -> None:
    """It forbids nothing, and keeps its robot from the default; it is reported."""
    body = f"User-agent: rex\n\n{closed('/')}"

    assert allowed(body, "/")
    assert not allowed(body, "/", "other")
    assert clauses(body) == ["O3"]


def test_ours_o04_disallow_without_a_record_is_ignored() -> None:
    """A Disallow line with no User-agent line before it counts for nobody."""
    body = f"Disallow: /x\n\n{closed('/y')}\nDisallow: /z"

    assert allowed(body, "/x")
    assert allowed(body, "/z")
    assert kinds(body)[0] is LineKind.ORPHAN
    assert clauses(body) == ["O4", "O4"]


def test_ours_o05_a_blank_line_inside_ends_the_record() -> None:
    """Read literally, Disallow lines after a blank line are nobody's; it is told."""
    robots = RobotsTxt.parse(SPLIT)

    assert allowed(SPLIT, "/x")
    assert [(it.clause, it.line, it.weakens_policy) for it in robots.problems] == [
        ("O5", 2, True)
    ]


def test_ours_o05_cautiously_the_blank_line_is_no_boundary() -> None:
    """The cautious reading forbids what the parted record forbids, and says so."""
    verdict = RobotsTxt.parse(SPLIT, reading="cautious").verdict("/x", "rex")

    assert (verdict.reason, verdict.line) == (Reason.SPLIT_RECORD, 3)
    assert "which a blank line parts" in str(verdict)


def test_ours_o05_cautiously_later_rules_belong_to_the_names_above() -> None:
    """Also after other Disallow lines, and after several blank lines."""
    body = "User-agent: rex\nDisallow: /x\n\nDisallow: /y\n\n\nDisallow: /z\n"

    assert [allowed(body, path) for path in ("/x", "/y", "/z")] == [False, True, True]
    for path in ("/x", "/y", "/z"):
        assert not allowed(body, path, reading="cautious")
    verdicts = RobotsTxt.parse(body, reading="cautious")
    assert verdicts.verdict("/x", "rex").reason is Reason.RULE
    assert verdicts.verdict("/y", "rex").reason is Reason.SPLIT_RECORD


def test_ours_o05_cautiously_a_user_agent_line_still_starts_a_record() -> None:
    """After a blank line, whatever precedes that; unknown fields own nothing."""
    body = "User-agent: *\nAllow: /\n\nUser-agent: max\nDisallow: /\n"

    for dialect in ("1994", "revisited", "extended"):
        assert allowed(body, "/", dialect=dialect, reading="cautious")
        assert not allowed(body, "/", "max", dialect=dialect, reading="cautious")


def test_ours_o05_cautiously_what_is_literally_forbidden_stays_so() -> None:
    """A robot obeys both readings where they choose different records."""
    body = f"User-agent: *\n\nDisallow: /x\n\n{closed('/y')}"

    assert not allowed(body, "/x", reading="cautious")
    assert not allowed(body, "/y", reading="cautious")


@pytest.mark.parametrize("blank", [" ", "\t", " \t ", "  \r"])
def test_ours_o06_a_line_of_spaces_is_blank(blank: str) -> None:
    """Spaces and tabs alone make a blank line."""
    body = f"User-agent: rex\n{blank}\nDisallow: /x"

    assert kinds(body)[1] is LineKind.BLANK
    assert allowed(body, "/x")


def test_ours_o07_user_agent_after_disallow_starts_a_record() -> None:
    """No blank line is needed, and that there is none is reported."""
    body = closed("/a", "rex") + closed("/b", "other")

    assert allowed(body, "/b")
    assert clauses(body) == ["O7"]


def test_ours_o08_the_value_is_inside_the_name() -> None:
    """A robot whose name is only part of the value is not meant."""
    assert allowed(closed("/", "rexbot"), "/", "rex")
    assert not allowed(closed("/", "rex"), "/", "rexbot")


def test_ours_o09_the_header_holds_the_names() -> None:
    """Product tokens and the name after `compatible;` are meant, a comment is not."""
    header = "Mozilla/5.0 (compatible; Rex/1.0; on Linux)"

    assert not allowed(closed("/", "rex"), "/", header)
    assert not allowed(closed("/", "mozilla"), "/", header)
    assert allowed(closed("/", "linux"), "/", header)


@pytest.mark.parametrize("value", ["Rex/1.0", "rex/", "REX /2 beta"])
def test_ours_o10_a_version_in_the_value_is_stripped(value: str) -> None:
    """The version of a record's value is not compared."""
    assert not allowed(closed("/", value), "/", "rex/3.0")


@pytest.mark.parametrize("value", ["rex, max", "max rex"])
def test_ours_o11_one_name_a_line(value: str) -> None:
    """Spaces and commas do not part a value into names."""
    assert allowed(closed("/", value), "/", "rex")
    assert not allowed(closed("/", value), "/", value)


@pytest.mark.parametrize("value", ["", " ", "# rex", "/1.0", " /"])
def test_ours_o12_user_agent_line_without_a_name_is_ignored(value: str) -> None:
    """It neither starts a record nor ends one, and is reported."""
    body = f"User-agent: rex\nDisallow: /a\nUser-agent: {value}\nDisallow: /b"

    assert kinds(body)[2] is LineKind.NAMELESS
    assert not allowed(body, "/b")
    assert clauses(body) == ["O12"]


def test_ours_o13_a_comment_needs_no_space_before_it() -> None:
    """`#` inside a value starts a comment."""
    assert not allowed(closed("/a#b"), "/a")


@pytest.mark.parametrize("line", ["Disallow /x", "hello", ": /x", "Disallow # : /x"])
def test_ours_o14_a_line_without_the_form_is_ignored(line: str) -> None:
    """No colon, or no field before it: not guessed at, reported, no boundary."""
    body = f"User-agent: rex\n{line}\nDisallow: /y"

    assert kinds(body)[1] is LineKind.MALFORMED
    assert allowed(body, "/x")
    assert not allowed(body, "/y")
    assert clauses(body) == ["O14"]


def test_ours_o15_space_before_the_colon_and_the_line() -> None:
    """It is accepted, and reported."""
    body = "  User-agent : rex\n\tDisallow\t: /x"

    assert not allowed(body, "/x")
    assert clauses(body) == ["O15", "O15"]


def test_case_counts_behind_an_encoded_question_mark_of_an_authority() -> None:
    """Ours O18, O19: decoded it ends the host; only the host compares without case."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: http://h.test?a\n")

    assert not robots.allowed("HTTP://H.test%3fa", "rex")
    assert robots.allowed("http://h.test%3FA", "rex")
