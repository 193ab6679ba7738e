"""The revisited dialect, by Kollar, Leavitt and Mauldin (1996): K1 to K7, examples."""

from __future__ import annotations

from functools import partial

import pytest

from scrapy_robots1994 import RobotsTxt
from tests.standard.asking import allowed, allowed_however_spelt, disallowing

HEADER = "Lycos_Spider_(Rex)/1.0 libwww/3.1"

EXAMPLE_1 = """\
User-Agent: *
Disallow: /

User-Agent: Lycos
Disallow: /cgi-bin/ /tmp/
"""
EXAMPLE_2 = """\
User-Agent: Copernicus Fred
Disallow:

User-Agent: * Rex
Disallow: /t
"""
EXAMPLE_3 = """\
# This is for every spider!
User-Agent: *
# stay away from this
Disallow: /spiders/not/here/ #and everything in it
Disallow: # a little nothing
Disallow: #This could be habit forming!
# Don't comments make code much more readable!!!
"""


may = partial(allowed_however_spelt, dialect="revisited")


@pytest.mark.parametrize(
    ("path", "robot", "answer"),
    [
        ("/", "other", False),
        ("/x", HEADER, True),
        ("/cgi-bin/x", HEADER, False),
        ("/tmp/x", HEADER, False),
        ("/tmp", HEADER, True),
    ],
)
def test_revisited_example_1(path: str, robot: str, answer: bool) -> None:
    """All is disallowed except for Lycos, which has two paths on one line."""
    assert may(EXAMPLE_1, path, robot) is answer


@pytest.mark.parametrize(
    ("path", "robot", "answer"),
    [
        *((it, "Copernicus", True) for it in ("/", "/tmp/", "/tea-time/")),
        *((it, "fred/2.0", True) for it in ("/", "/top-cat.txt")),
        *((it, "other", False) for it in ("/tmp/", "/tea-time/", "/traverse.this")),
        *((it, HEADER, False) for it in ("/top-cat.txt", "/t")),
        ("/T", "other", True),
        ("/", HEADER, True),
    ],
)
def test_revisited_example_2(path: str, robot: str, answer: bool) -> None:
    """Two names on one line, and `* Rex`, which means every robot, including Rex."""
    assert may(EXAMPLE_2, path, robot) is answer


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/spiders/not/here/really/", False),
        ("/spiders/not/here/yes/even/me.html", False),
        ("/spiders/not/", True),
        ("/spiders/not/her", True),
    ],
)
def test_revisited_example_3(path: str, answer: bool) -> None:
    """One record with many comments and two lines without a path."""
    assert may(EXAMPLE_3, path, "other") is answer


@pytest.mark.parametrize("name", ["Lycos", "rex", "Lycos_Spider_(Rex)", "spider"])
def test_revisited_k4_names_are_parts_of_the_product_token(name: str) -> None:
    """A record applies to Lycos if its name is any part of the product token."""
    assert may(disallowing("/x", name), "/x", HEADER) is False
    assert may(disallowing("/x", name), "/x", "other") is True


@pytest.mark.parametrize("gap", [" ", "\t", " \t  "])
def test_revisited_k1_k2_spaces_and_tabs_separate(gap: str) -> None:
    """A line may have several names or paths with any white space between them."""
    body = f"User-agent: a{gap}rex/1.0{gap}b\nDisallow: /x{gap}/y\n"

    robots = RobotsTxt.parse(body, dialect="revisited")

    assert robots.records[0].names == ("a", "rex", "b")
    assert [rule.value for rule in robots.records[0].rules] == ["/x", "/y"]
    assert robots.verdict("/y/z", "rex").line == 2
    assert str(robots.verdict("/y/z", "rex")) == (
        'disallowed by line 2, "Disallow: /y", of the record for "a" and "rex" and "b"'
        " (line 1)"
    )


def test_1994_and_revisited_differ_on_one_line_of_several() -> None:
    """O11 and D1: in 1994 a value is one name and one path, spaces included."""
    body = "User-agent: a rex\nDisallow: /x /y\n"

    assert allowed(body, "/x", "rex") is True
    assert allowed(body, "/x", "rex", dialect="revisited") is False


def test_revisited_k2_line_without_a_path_is_valid() -> None:
    """A Disallow line without a path is no problem, like an empty value in 1994."""
    robots = RobotsTxt.parse("User-agent: rex\nDisallow:\n", dialect="revisited")

    assert not robots.problems


def test_revisited_k3_blank_line_ends_the_record() -> None:
    """Only comments may be inside a record; a blank line in it is reported."""
    body = "User-agent: rex\n\nDisallow: /x\n"

    assert may(body, "/x", "rex") is True
    assert allowed(body, "/x", "rex", dialect="revisited", reading="cautious") is False
    assert RobotsTxt.parse(body, dialect="revisited").problems


def test_revisited_k5_first_of_several_records_applies() -> None:
    """The text lets the robot choose; we take the first record, as in 1994 (O1)."""
    body = disallowing("/x", "lycos") + "\n" + disallowing("/y", "rex")

    assert may(body, "/x", HEADER) is False
    assert may(body, "/y", HEADER) is True


def test_revisited_k6_case_counts_in_paths_but_not_in_names() -> None:
    """Lines may have any length."""
    long = "/" + "x" * 20_000
    body = f"User-agent: {'a ' * 500}REX\nDisallow: /Y {long}\n"

    assert may(body, "/Y", "rex") is False
    assert may(body, "/y", "rex") is True
    assert may(body, long, "rex") is False


def test_ours_k7_user_agent_lines_in_a_row_share_their_record() -> None:
    """The grammar has one such line per record; files of 1994 keep their meaning."""
    body = "User-agent: a\nUser-agent: rex\nDisallow: /x\n"

    assert may(body, "/x", "a") is False
    assert may(body, "/x", "rex") is False


def test_revisited_version_alone_names_no_robot() -> None:
    """O10 and O12 apply to each word of the value."""
    body = "User-agent: rex\nUser-agent: /1.0 /2.0\nDisallow: /x\n"

    robots = RobotsTxt.parse(body, dialect="revisited")

    assert robots.lines[1].kind.value == "nameless"
    assert robots.records[0].names == ("rex",)
    assert not robots.allowed("/x", "rex")
