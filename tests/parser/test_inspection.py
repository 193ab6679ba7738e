"""What a linter tells: the kinds of problems beyond what the standard reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.spelling import likely_field
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.checks.problem import Kind

STAR = "User-agent: *\n"

PLACES = [
    (STAR + "Disallow: /*.php", [("R015", 2, 12)]),
    (STAR + "Disallow: /x.php$", [("R015", 2, 17)]),
    (STAR + "Disallow: /cash$/x", []),
    (STAR + "Disallow: /\nAllow: /a", [("R016", 3, 1)]),
    (STAR + "Disallow: /\nCRAWL-delay: 5", [("R017", 3, 1)]),
    (STAR + "Disallow: /\nSitemap : https://x/y", [("R018", 3, 1)]),
    (STAR + "Disallow: /\nClean-param: s", [("R019", 3, 1)]),
    (STAR + "Disallow: /\n Disalow: /a", [("R020", 3, 2)]),
    (STAR + "Disallow: /\nDisallow /a", [("R021", 3, 1)]),
    (STAR + "Disallow: /\nUser agent rex", [("R021", 3, 1)]),
    (STAR + "Disallow: /\nDisallow=/a", [("R021", 3, 1)]),
    (STAR + "Disallow: /\nDisallow", [("R006", 3, 1)]),
    (STAR + "Disallow: /a\nDisallow: /%61", [("R022", 3, 1)]),
    (STAR + "Disallow: /a/b\nDisallow: /a", [("R023", 2, 1)]),
    (STAR + "Disallow: /a\nDisallow: /b\nDisallow:", [("R009", 4, 1)]),
    (
        "User-agent: bot\nDisallow: /\n\nUser-agent: GoogleBot\nDisallow: /a",
        [("R024", 4, 1)],
    ),
    ("User-agent: a\nUser-agent: A\nDisallow: /", []),
    ("\n <!DOCTYPE html>\n<p>a: b</p>\nno colon", [("R025", 2, 2)]),
    (STAR + "Allow: /", [("R016", 2, 1), ("R026", 1, 1)]),
    (STAR + "Disallow: /\rDisallow: ", [("R009", 3, 1), ("R027", 2, 11)]),
    ("#\r#", [("R027", 1, 1)]),
    ("\r#", [("R027", 1, 1)]),
    (STAR + "Disallow: /a\u200bb", [("R028", 2, 11)]),
    ("User-agent: a, b\nDisallow: /", [("R029", 1, 14)]),
    ("User-agent: a*\nDisallow: /", [("R030", 1, 14)]),
    ("User-agent: a/1.0\nDisallow: /", [("R031", 1, 14)]),
    (STAR + "Disallow: /a#b", [("R032", 2, 13)]),
    (STAR + "Disallow: /a # b", []),
    (STAR + "Disallow: /a #b", []),
    (STAR + "Disallow: /a# b", [("R032", 2, 13)]),
    (STAR + "Disallow: http://x/a", [("R033", 2, 11)]),
    (STAR + "Disallow: /a  /b", [("R034", 2, 13)]),
]


@pytest.mark.parametrize(("body", "places"), PLACES)
def test_a_problem_has_its_place(body: str, places: list[tuple[str, int, int]]) -> None:
    """Code, line and column say what is wrong where; nothing else is told."""
    problems = RobotsTxt.parse(body).problems

    assert sorted((it.code, it.line, it.column) for it in problems) == sorted(places)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_kind_says_how_to_mend_it(kind: Kind) -> None:
    """A sentence each, and a title that fits into a table."""
    assert kind.mend.endswith(".")
    assert len(kind.title) <= 40


def test_codes_have_no_gap() -> None:
    """From R001 on, so that the next one is known."""
    assert [kind.code for kind in KINDS] == [
        f"R{number:03}" for number in range(1, len(KINDS) + 1)
    ]


@pytest.mark.parametrize(
    ("field", "meant"),
    [
        ("Disalow", "Disallow"),
        ("dissallow", "Disallow"),
        ("Diasllow", "Disallow"),
        ("Disallows", "Disallow"),
        ("Disalliw", "Disallow"),
        ("Usir-agent", "User-agent"),
        ("Dillow", None),
        ("Useragent", "User-agent"),
        ("User agent", "User-agent"),
        ("USER_AGNET", "User-agent"),
        ("Allow", None),
        ("Sitemap", None),
        ("Host", None),
        ("", None),
        ("<p>User-agent", None),
        ("Disallow" * 9, None),
        ("Disallow" + 16 * "-", "Disallow"),
        ("Disallow" + 17 * "-", None),
    ],
)
def test_a_slip_is_told_from_another_word(field: str, meant: str | None) -> None:
    """One slip apart is misspelt, anything else is another field."""
    assert likely_field(field) == meant


EXTENSIONS = "Cache-delay Clean-param Comment Content-signal Content-usage Host"
EXTENSIONS += " Index-page NoFollow Noindex Request-rate Robot-version Visit-time"


@pytest.mark.parametrize("field", EXTENSIONS.split())
def test_fields_that_are_in_use_are_told_from_unknown_ones(field: str) -> None:
    """Somebody invented them on purpose: neither a slip nor a riddle."""
    problems = RobotsTxt.parse(f"{STAR}Disallow: /\n{field}: x").problems

    assert [it.code for it in problems] == ["R019"]


def test_a_misspelt_field_is_never_obeyed() -> None:
    """It is named, and that is all."""
    robots = RobotsTxt.parse(STAR + "Disalow: /")

    assert robots.allowed("/", "rex")


def test_openings_concern_the_robot_that_asks() -> None:
    """What is wrong in a record for somebody else opens nothing to us."""
    robots = RobotsTxt.parse(
        "User-agent: a\n\nDisallow: /a\n\nUser-agent: b\nDisallow: b\n"
    )

    assert [it.code for it in robots.weakening_problems("a")] == ["R002"]
    assert [it.code for it in robots.weakening_problems("b")] == ["R005"]
    assert robots.weakening_problems("c") == ()


def test_a_line_above_all_records_concerns_everybody() -> None:
    """It was meant for somebody, and nobody knows whom."""
    robots = RobotsTxt.parse("Disallow: /\n\nUser-agent: b\nDisallow:\n")

    assert [it.code for it in robots.weakening_problems("c")] == ["R001"]


def test_the_cautious_reading_lets_a_blank_line_open_nothing() -> None:
    """It obeys what the blank line parted."""
    robots = RobotsTxt.parse(STAR + "\nDisallow: /", reading="cautious")

    assert robots.weakening_problems("rex") == ()
    assert [it.code for it in robots.problems] == ["R002"]


def test_of_very_many_names_only_equal_ones_are_compared() -> None:
    """A million names are told in time that grows with their number."""
    names = "".join(f"User-agent: name{number}\n" for number in range(501))
    more = "\nUser-agent: name7\nUser-agent: name1x\nDisallow: /"

    problems = RobotsTxt.parse(f"{names}Disallow: /\n{more}").problems

    assert [(it.code, it.line) for it in problems] == [("R024", 504)]


@pytest.mark.parametrize(("count", "codes"), [(499, ["R024"]), (500, [])])
def test_five_hundred_names_are_compared_by_letter(
    count: int, codes: list[str]
) -> None:
    """The last number at which a name inside another one is told, and the next."""
    numbers = range(1_000, 1_000 + count)
    names = "".join(f"User-agent: name{number}\n" for number in numbers)
    longer = "User-agent: name1000x\nDisallow: /"

    problems = RobotsTxt.parse(f"{names}Disallow: /\n\n{longer}").problems

    assert [it.code for it in problems] == codes


def test_a_dialect_is_not_blamed_for_what_it_knows() -> None:
    """Lists are several values in 1996; Allow is a rule where it is a field."""
    lists = "User-agent: a b\nDisallow: /a /b\n"
    allowing = STAR + "Allow: /a\nDisallow: /a/b\nDisallow: /\nCrawl-delay: soon\n"

    revisited = RobotsTxt.parse(lists, dialect="revisited")
    extended = RobotsTxt.parse(allowing, dialect="extended")

    assert revisited.problems == revisited.weakening_problems("a") == ()
    assert [(it.code, it.line) for it in extended.problems] == [("R035", 5)]
