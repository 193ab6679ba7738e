"""What opens a site is found by a quick look as by a thorough one."""

from __future__ import annotations

import pytest

from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.robotstxt import RobotsTxt

SPLIT = "User-agent: *\n\nDisallow: /\n"


def openings(body: str, dialect: str = "1994") -> list[str]:
    """Return the codes of what opens a file to anybody."""
    robots = RobotsTxt.parse(body, dialect=dialect)
    return [it.code for it in robots.weakening_problems("rex")]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_openings_are_found_in_every_dialect_and_spelling(
    dialect: str, end: str
) -> None:
    """A record that a blank line splits, however lines end."""
    ends_records = DIALECTS[dialect].has_blank_lines
    expected = ["R002"] if ends_records else []

    assert openings(SPLIT.replace("\n", end), dialect) == expected


def test_ours_o23_a_page_opens_nothing() -> None:
    """It says nothing to robots, so nothing was meant to be closed."""
    assert openings("\n <html>\n<p>User agents are welcome</p>\n") == []


def test_an_allow_line_without_a_record_opens_nothing() -> None:
    """Ours X2, O4: it is reported where it is a rule, and closes what it meant to open."""
    body = "Allow: /\n\nUser-agent: *\nDisallow: /\n"

    assert openings(body) == []
    assert openings(body, "extended") == []
    assert [it.code for it in RobotsTxt.parse(body, dialect="extended").problems] == [
        "R001"
    ]


BODIES = [
    ("Disallow: /", "R001"),
    ("# x\nSitemap: /\nDisallow: /", "R001"),
    ("# x\rDisallow: /", "R001"),
    ("User-agent: a\nDisallow: /\n\n#\nHost: x\nAllow: /\nDisallow: /b", "R001"),
    ("User-agent: *\n\nDisallow: /", "R002"),
    ("User-agent: *\nCrawl-delay: 5\n \t\nSitemap: /\nDisallow: /", "R002"),
    ("User-agent: *", "R003"),
    ("User-agent: *\n# x\nSitemap: /\n\nUser-agent: b\nDisallow: /", "R003"),
    ("User-agent: *\nUser-agent:\nDisallow: /", "R004"),
    ("User-agent: *\nDisallow: a", "R005"),
    ("User-agent: *\nDisallow: *", "R005"),
    ("User-agent: *\nDisallow: /\nDisalow: /", "R020"),
    ("User-agent: *\nDisallow: /\nDisallow /", "R021"),
    ("Disalow: /", "R020"),
    ("Disallow /", "R021"),
    ("<html>\nDisallow: /", "R001"),
    ("User-agent: rex, max\nDisallow: /", "R029"),
    ("User-agent: rex*\nDisallow: /", "R030"),
    ("User-agent: *\nDisallow: /a /b", "R034"),
]


@pytest.mark.parametrize(("body", "code"), BODIES)
def test_problem_that_weakens_the_policy_is_listed(body: str, code: str) -> None:
    """Each kind, by itself, and with lines around it that mean nothing."""
    robots = RobotsTxt.parse(body)
    opening = [it.code for it in robots.problems if it.weakens_policy]

    assert opening == [code]
    assert [it.code for it in robots.weakening_problems("rex, max rex*")] == [code]


@pytest.mark.parametrize("place", [0, 1_500, 2_999])
def test_one_odd_line_of_a_long_file_is_found(place: int) -> None:
    """Wherever it stands; the others are in order."""
    lines = [f"Disallow: /page/of/some/length/{number}" for number in range(3_000)]
    lines.insert(place, "Disalow: /odd")

    assert openings("\n".join(["User-agent: *", *lines])) == ["R020"]


def test_openings_come_in_the_order_of_the_lines() -> None:
    """Of whatever kind they are."""
    body = "User-agent: *\nDisallow: a\nDisalow: /b\nDisallow: c\n\nUser-agent:\n"

    robots = RobotsTxt.parse(body)

    assert [it.line for it in robots.weakening_problems("rex")] == [2, 3, 4, 6]


@pytest.mark.parametrize(
    "name",
    [
        "* Disallow: /",
        "*Disallow: /",
        "*, Disallow: /",
        "* \\\\n Disallow: /",
        "mybot Disallow: /",
        "*\u00a0",
        "\u200b*",
        "\uff0a",
        ": *",
        "*;",
        '"*"',
        "`*`",
        "(*)",
        ".*",
        "**",
        "*,",
        "my*bot",
        "a*, mybot",
    ],
)
def test_a_broken_name_that_meant_the_robot_concerns_it(name: str) -> None:
    """No record speaks to any robot, and the site is open to all of them."""
    robots = RobotsTxt.parse(f"User-agent: {name}\nDisallow: /\n")

    assert robots.allowed("/", "mybot")
    assert len(robots.weakening_problems("mybot")) == 1


@pytest.mark.parametrize(
    "line",
    ["User-agent\uff1a *", "User\u00adagent: *", "User\u2010agent: *", "User-agent; *"],
)
def test_a_broken_field_concerns_every_robot(line: str) -> None:
    """A look-alike is named, and the rules below it are those of no record."""
    robots = RobotsTxt.parse(f"{line}\nDisallow: /\n")

    first, second = robots.weakening_problems("mybot")

    assert robots.allowed("/", "mybot")
    assert first.code in ("R038", "R021")
    assert (second.code, "User-agent: *" in second.fix) == ("R001", False)


def test_a_look_alike_letter_in_a_field_concerns_the_robot_that_was_meant() -> None:
    """A Cyrillic letter names no robot, and the rules below it are those of no record."""
    body = "User-agent: x\n\nUser-ag\u0435nt: mybot\nDisallow: /\n"
    robots = RobotsTxt.parse(body)

    assert robots.allowed("/", "mybot")
    (problem,) = robots.weakening_problems("mybot")
    assert (problem.code, problem.line) == ("R038", 3)
    assert "cyrillic" in problem.message


def test_a_line_of_a_no_break_space_splits_nothing() -> None:
    """It is reported, and closes what it stands in all the same."""
    robots = RobotsTxt.parse("User-agent: *\n\u00a0\nDisallow: /\n")

    assert not robots.allowed("/", "mybot")
    assert robots.weakening_problems("mybot") == ()
    (problem,) = robots.problems
    assert "something else than a blank line" in problem.message


def test_a_broken_name_does_not_concern_a_robot_with_a_record() -> None:
    """It obeys its own, whatever the other one was meant to say."""
    body = "User-agent: *\u00a0\nDisallow: /\n\nUser-agent: mybot\nDisallow:\n"

    assert RobotsTxt.parse(body).weakening_problems("mybot") == ()


def test_no_more_problems_than_the_limit_are_made() -> None:
    """A crawl asks for a few of a file that has thousands."""
    robots = RobotsTxt.parse("User-agent: *\n" + "Disallow: a\n" * 5_000)

    assert len(robots.weakening_problems("mybot", limit=100)) == 100
