"""Cases that mutation testing of the parser found untested."""

from __future__ import annotations

from string import printable, whitespace

import pytest

from scrapy_robots1994.parser import Reason
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.records import Rule
from scrapy_robots1994.robotstxt import RobotsTxt

LAST_LINE_OPEN = b"User-agent: *\nDisallow: /a"


def test_ours_o24_file_as_long_as_the_limit_is_not_truncated() -> None:
    """Its last line is obeyed although it has no line end."""
    robots = RobotsTxt.parse(LAST_LINE_OPEN, limit=len(LAST_LINE_OPEN))

    assert not robots.is_truncated
    assert not robots.allowed("/a", "robot")


def test_ours_o24_file_one_byte_over_the_limit_is_truncated() -> None:
    """The line that the limit cuts is not obeyed."""
    robots = RobotsTxt.parse(LAST_LINE_OPEN, limit=len(LAST_LINE_OPEN) - 1)

    assert robots.is_truncated
    assert robots.allowed("/a", "robot")


def test_values_of_reasons_are_stable() -> None:
    """They are keys of stats and reports."""
    assert {reason.value for reason in Reason} == {
        "rule",
        "split-record",
        "no-rule",
        "no-record",
        "empty",
        "robots.txt-itself",
        "absent",
        "forbidden",
        "unreachable",
    }


def test_ours_o18_second_url_of_an_origin_is_normalised_too() -> None:
    """Once the origin is known, only plain targets skip the normalisation."""
    body = b"User-agent: *\nDisallow: /a\n"
    rules = RobotsTxt.parse(body, dialect="extended").rules("robot")

    assert rules.allowed_url("http://site.test/b")
    assert not rules.allowed_url("http://site.test/%61")
    assert not rules.allowed_url("http://site.test/a#b")
    assert rules.allowed_url("http://site.test/#/a")


def test_ours_o6_visible_character_at_the_end_belongs_to_the_value() -> None:
    """Only spaces, tabs and the line end are removed from names and paths."""
    for letter in set(printable) - set(whitespace) - set("#%/"):
        robots = RobotsTxt.parse(f"User-agent: a{letter}\nDisallow: /b{letter}\n")

        assert not robots.allowed(f"/b{letter}", f"a{letter}")
        assert robots.allowed("/b", f"a{letter}"), letter
        assert robots.allowed(f"/b{letter}", "a"), letter


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "url", ["\u0101x", "\u0101", "%", "", "x", "\u0101/robots.txt"]
)
@pytest.mark.parametrize("more", ["", "Disallow: /%61\n"])
def test_unusual_url_as_the_first_question_gets_the_right_answer(
    dialect: str, url: str, more: str
) -> None:
    """The first and the second answer are the same, and correct."""
    closed = RobotsTxt.parse(f"User-agent: *\nDisallow: /\n{more}", dialect=dialect)
    opened = RobotsTxt.parse("User-agent: *\nDisallow:\n", dialect=dialect)

    for _ in range(2):
        assert not closed.allowed(url, "robot")
        assert opened.allowed(url, "robot")


@pytest.mark.parametrize("limit", [0, -1])
def test_ours_o24_limit_of_zero_or_less_leaves_an_empty_body(limit: int) -> None:
    """Not even an empty first line stays."""
    robots = RobotsTxt.parse(b"\n" + LAST_LINE_OPEN, limit=limit)

    assert robots.body == b""
    assert robots.is_truncated


def test_url_with_a_lone_surrogate_does_not_raise() -> None:
    """No client can send it, but `allowed()` answers."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /a%62\n")

    assert robots.allowed("/\ud800", "robot")
    assert not robots.allowed("/ab\ud800", "robot")


def test_ours_x4_delay_of_zero_is_a_delay() -> None:
    """It is 0, not None."""
    robots = RobotsTxt.parse("User-agent: *\nCrawl-delay: 0\n", dialect="extended")

    assert robots.records[0].delays[0].seconds == 0
    assert robots.rules("robot").crawl_delay == 0


def test_printed_record_has_the_last_characters_of_its_values() -> None:
    """This holds for names and for rules."""
    ends = [chr(code) for code in range(33, 127) if chr(code) not in "#/"]

    for end in ends:
        body = f"User-agent: x{end}\nDisallow: /x{end}\n"
        (record,) = RobotsTxt.parse(body).records

        assert record.names == (f"x{end}",)
        assert str(record) == body


def test_rule_disallows_by_default() -> None:
    """Allow must be passed explicitly."""
    assert str(Rule("/a", 1)) == "Disallow: /a"
