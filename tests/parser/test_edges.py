"""What mutants of the parser once survived: the limit, words, a quick way taken."""

from __future__ import annotations

from string import printable, whitespace

import pytest

from scrapy_robots1994.parser import Reason
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.parser.records import Rule
from scrapy_robots1994.robotstxt import RobotsTxt

LAST_LINE_OPEN = b"User-agent: *\nDisallow: /a"


def test_ours_o24_a_file_of_exactly_the_limit_is_whole() -> None:
    """Its last line counts although nothing ends it."""
    robots = RobotsTxt.parse(LAST_LINE_OPEN, limit=len(LAST_LINE_OPEN))

    assert not robots.is_truncated
    assert not robots.allowed("/a", "robot")


def test_ours_o24_one_byte_over_the_limit_is_cut() -> None:
    """Then the line that the limit cut is not obeyed."""
    robots = RobotsTxt.parse(LAST_LINE_OPEN, limit=len(LAST_LINE_OPEN) - 1)

    assert robots.is_truncated
    assert robots.allowed("/a", "robot")


def test_texts_of_reasons_are_stable() -> None:
    """Stats and reports are keyed by them."""
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


def test_ours_o18_the_second_url_of_an_origin_is_spelt_canonically_too() -> None:
    """Once an origin is known the quick way is for plain targets alone."""
    body = b"User-agent: *\nDisallow: /a\n"
    ruling = RobotsTxt.parse(body, dialect="extended").rules("robot")

    assert ruling.allowed_url("http://site.test/b")
    assert not ruling.allowed_url("http://site.test/%61")
    assert not ruling.allowed_url("http://site.test/a#b")
    assert ruling.allowed_url("http://site.test/#/a")


def test_ours_o6_only_spaces_tabs_and_the_end_of_a_line_go_with_it() -> None:
    """Any letter that can be seen, and ends a path or a name, is of it."""
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
def test_no_url_is_so_odd_that_it_begins_as_one_before_it(
    dialect: str, url: str, more: str
) -> None:
    """The first URL a ruling is asked for is read with care, and closed is closed."""
    closed = RobotsTxt.parse(f"User-agent: *\nDisallow: /\n{more}", dialect=dialect)
    opened = RobotsTxt.parse("User-agent: *\nDisallow:\n", dialect=dialect)

    for _ in range(2):
        assert not closed.allowed(url, "robot")
        assert opened.allowed(url, "robot")


@pytest.mark.parametrize("limit", [0, -1])
def test_ours_o24_of_no_bytes_nothing_is_left(limit: int) -> None:
    """Not even an empty line."""
    robots = RobotsTxt.parse(b"\n" + LAST_LINE_OPEN, limit=limit)

    assert robots.body == b""
    assert robots.is_truncated


def test_a_url_of_half_a_character_is_answered() -> None:
    """It can be sent to nobody; asking about it raises nothing."""
    robots = RobotsTxt.parse("User-agent: *\nDisallow: /a%62\n")

    assert robots.allowed("/\ud800", "robot")
    assert not robots.allowed("/ab\ud800", "robot")


def test_ours_x4_a_delay_of_nothing_is_a_delay() -> None:
    """What the file says is kept as it says it."""
    robots = RobotsTxt.parse("User-agent: *\nCrawl-delay: 0\n", dialect="extended")

    assert robots.records[0].delays[0].seconds == 0
    assert robots.rules("robot").crawl_delay == 0


def test_trailing_characters_that_are_not_spaces_stay() -> None:
    """Of a name, and of a rule that is printed."""
    ends = [chr(code) for code in range(33, 127) if chr(code) not in "#/"]

    for end in ends:
        body = f"User-agent: x{end}\nDisallow: /x{end}\n"
        (record,) = RobotsTxt.parse(body).records

        assert record.names == (f"x{end}",)
        assert str(record) == body


def test_a_rule_forbids_unless_it_says_otherwise() -> None:
    """Allow is what must be said."""
    assert str(Rule("/a", 1)) == "Disallow: /a"
