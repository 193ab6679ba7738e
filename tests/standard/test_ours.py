"""The `Ours` list, O1 to O15: lines, names and records where the 1994 text is silent."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import LineKind, Reason, RobotsTxt
from tests.standard.asking import (
    PREFIX_DIALECTS,
    READINGS,
    allowed,
    clauses,
    disallowing,
    kinds,
)

SPLIT = "User-agent: rex\n\nDisallow: /x\n"


def test_ours_o01_first_record_that_names_the_robot_applies() -> None:
    """Later records that also name it are ignored."""
    body = f"{disallowing('/a', 're')}\n{disallowing('/b', 'rex')}"

    assert not allowed(body, "/a")
    assert allowed(body, "/b")


def test_ours_o02_all_default_records_are_obeyed_together() -> None:
    """The rules of several `*` records apply, and the second record is reported."""
    body = f"{disallowing('/a')}\n{disallowing('/b')}"

    assert not allowed(body, "/a")
    assert not allowed(body, "/b")
    assert clauses(body) == ["A3"]


def test_ours_o03_record_without_disallow_applies() -> None:
    """It disallows nothing and replaces the default record; it is reported."""
    body = f"User-agent: rex\n\n{disallowing('/')}"

    assert allowed(body, "/")
    assert not allowed(body, "/", "other")
    assert clauses(body) == ["O3"]


def test_ours_o04_disallow_without_a_record_is_ignored() -> None:
    """A Disallow line with no User-agent line before it applies to no robot."""
    body = f"Disallow: /x\n\n{disallowing('/y')}\nDisallow: /z"

    assert allowed(body, "/x")
    assert allowed(body, "/z")
    assert kinds(body)[0] is LineKind.ORPHAN
    assert clauses(body) == ["O4", "O4"]


def test_ours_o05_blank_line_ends_the_record() -> None:
    """Read literally, Disallow lines after it are ignored; it is reported."""
    robots = RobotsTxt.parse(SPLIT)

    assert allowed(SPLIT, "/x")
    assert [(it.clause, it.line, it.weakens_policy) for it in robots.problems] == [
        ("O5", 2, True)
    ]


def test_ours_o05_cautious_reading_assigns_rules_to_the_names_above() -> None:
    """This holds after other Disallow lines and after several blank lines, too."""
    body = "User-agent: rex\nDisallow: /x\n\nDisallow: /y\n\n\nDisallow: /z\n"

    assert [allowed(body, path) for path in ("/x", "/y", "/z")] == [False, True, True]
    for path in ("/x", "/y", "/z"):
        assert not allowed(body, path, reading="cautious")
    verdicts = RobotsTxt.parse(body, reading="cautious")
    assert verdicts.verdict("/x", "rex").reason is Reason.RULE
    assert verdicts.verdict("/y", "rex").reason is Reason.SPLIT_RECORD


def test_ours_o05_cautious_reading_starts_a_record_at_user_agent() -> None:
    """It does so after a blank line, even if only unknown fields precede that."""
    body = "User-agent: *\nAllow: /\n\nUser-agent: max\nDisallow: /\n"

    for dialect in ("1994", "revisited", "extended"):
        assert allowed(body, "/", dialect=dialect, reading="cautious")
        assert not allowed(body, "/", "max", dialect=dialect, reading="cautious")


def test_ours_o05_cautious_reading_also_obeys_the_literal_one() -> None:
    """Where the two choose different records, both records are obeyed."""
    body = f"User-agent: *\n\nDisallow: /x\n\n{disallowing('/y')}"

    assert not allowed(body, "/x", reading="cautious")
    assert not allowed(body, "/y", reading="cautious")


BOTH_REFUSE = [
    ("User-agent: *\nDisallow: /ab\n\nDisallow: /a\n", "/abc", 2),
    ("User-agent: *\nDisallow: /a\n\nDisallow: /a\n", "/a", 2),
    ("User-agent: *\n\nDisallow: /a\n\nUser-agent: *\nDisallow: /ab\n", "/abc", 6),
    ("User-agent: *\nDisallow: /ab\n\nDisallow: /x\n", "/x/../abc", 2),
    ("User-agent: *\nDisallow: /x\n\nDisallow: /ab\n", "/x/../abc", 2),
    ("User-agent: *\n\nDisallow: /abc\nDisallow: /ab\n", "/abc", 4),
]


@pytest.mark.parametrize("dialect", PREFIX_DIALECTS)
@pytest.mark.parametrize(("body", "url", "line"), BOTH_REFUSE)
def test_ours_o05_where_both_readings_refuse_the_literal_one_gives_the_reason(
    body: str, url: str, line: int, dialect: str
) -> None:
    """The cautious reading has a line and a reason of its own only where it adds one."""
    literal, cautious = (
        RobotsTxt.parse(body, dialect=dialect, reading=reading).verdict(url, "rex")
        for reading in READINGS
    )

    if literal.allowed:
        # Of rules that only the cautious reading obeys, the dialect chooses as ever.
        line -= dialect == "extended"
        assert cautious.reason is Reason.SPLIT_RECORD
    else:
        assert cautious == literal
        assert cautious.reason is Reason.RULE
    assert cautious.line == line


@pytest.mark.parametrize("blank", [" ", "\t", " \t ", "  \r"])
def test_ours_o06_line_of_spaces_is_blank(blank: str) -> None:
    """A line of spaces and tabs ends a record like an empty one."""
    body = f"User-agent: rex\n{blank}\nDisallow: /x"

    assert kinds(body)[1] is LineKind.BLANK
    assert allowed(body, "/x")


def test_ours_o07_user_agent_after_disallow_starts_a_record() -> None:
    """No blank line is needed; the missing one is reported."""
    body = disallowing("/a", "rex") + disallowing("/b", "other")

    assert allowed(body, "/b")
    assert clauses(body) == ["O7"]


def test_ours_o08_value_must_be_part_of_the_name() -> None:
    """A record does not apply to a robot whose name is only part of its value."""
    assert allowed(disallowing("/", "rexbot"), "/", "rex")
    assert not allowed(disallowing("/", "rex"), "/", "rexbot")


@pytest.mark.parametrize("value", ["Rex/1.0", "rex/", "REX /2 beta"])
def test_ours_o10_version_in_the_value_is_ignored(value: str) -> None:
    """Only the part of the value before the slash is compared."""
    assert not allowed(disallowing("/", value), "/", "rex/3.0")


@pytest.mark.parametrize("value", ["rex, max", "max rex"])
def test_ours_o11_a_line_has_one_name(value: str) -> None:
    """Spaces and commas do not split a value into names."""
    assert allowed(disallowing("/", value), "/", "rex")
    assert not allowed(disallowing("/", value), "/", value)


@pytest.mark.parametrize("value", ["", " ", "# rex", "/1.0", " /"])
def test_ours_o12_user_agent_line_without_a_name_is_ignored(value: str) -> None:
    """It neither starts nor ends a record, and is reported."""
    body = f"User-agent: rex\nDisallow: /a\nUser-agent: {value}\nDisallow: /b"

    assert kinds(body)[2] is LineKind.NAMELESS
    assert not allowed(body, "/b")
    assert clauses(body) == ["O12"]


def test_ours_o13_comment_needs_no_space_before_it() -> None:
    """A `#` inside a value starts a comment."""
    assert not allowed(disallowing("/a#b"), "/a")


@pytest.mark.parametrize("line", ["Disallow /x", "hello", ": /x", "Disallow # : /x"])
def test_ours_o14_malformed_line_is_ignored(line: str) -> None:
    """A line without a colon or a field is reported and does not end the record."""
    body = f"User-agent: rex\n{line}\nDisallow: /y"

    assert kinds(body)[1] is LineKind.MALFORMED
    assert allowed(body, "/x")
    assert not allowed(body, "/y")
    assert clauses(body) == ["O14"]


def test_ours_o15_space_before_field_and_colon_is_accepted() -> None:
    """It is reported."""
    body = "  User-agent : rex\n\tDisallow\t: /x"

    assert not allowed(body, "/x")
    assert clauses(body) == ["O15", "O15"]
