"""What a linter tells: the kinds of problems beyond what the standard reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.checks import KINDS
from scrapy_robots1994.checks.values import likely_field
from scrapy_robots1994.robotstxt import RobotsTxt

if TYPE_CHECKING:
    from scrapy_robots1994.checks.kinds import Check

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
    ("User-agent: abot bbot\nDisallow: /", [("R029", 1, 13)]),
    ("User-agent: a/1, b/2\nDisallow: /", [("R029", 1, 16)]),
    ('User-agent: "*"\nDisallow: /', [("R042", 1, 13)]),
    (STAR + "Disallow: /#!/a", [("R041", 2, 12)]),
    ("User-agent: * Disallow: /", [("R039", 1, 15)]),
    (STAR + "Disallow: /x Disallow: /y", [("R039", 2, 14)]),
    (STAR + "Disallow: /x;Disallow:/y", [("R039", 2, 14)]),
    (STAR + "Disallow: /x\\nDisallow:/y", [("R039", 2, 15)]),
    (STAR + "Disallow: /x:y,z;*", [("R015", 2, 18)]),
    (STAR + "Disallow: /x\u200b", [("R038", 2, 13)]),
    (STAR + "Disallow: /\n\u00a0Disallow: /x", [("R038", 3, 1)]),
    (STAR + "Disallow: /\nDisallow\uff1a/x", [("R038", 3, 9)]),
    (STAR + "Disallow: /\nDis\u0430llow: /x", [("R038", 3, 4)]),
    (STAR + "Disallow: /\n\u0417\u0430\u043f\u0440\u0435\u0442: /x", [("R010", 3, 1)]),
    ("User-agent: *\u00a0\nDisallow: /", [("R038", 1, 14)]),
    (STAR + "Disallow: /x\n\n\nDisallow: y", [("R001", 5, 1), ("R005", 5, 11)]),
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
def test_every_kind_says_how_to_mend_it(kind: Check) -> None:
    """A sentence each, and a title that fits into a table."""
    assert kind.fix.endswith(".")
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
    assert likely_field(field, ("User-agent", "Disallow")) == meant


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


def test_the_cautious_reading_obeys_rules_below_a_blank_line() -> None:
    """They open nothing, but for those above all records, which it does not obey."""
    body = STAR + "Disallow: /a\n\nDisallow: /b\n"

    below = RobotsTxt.parse(body, reading="cautious")
    above = RobotsTxt.parse("Disallow: /c\n\n" + body, reading="cautious")
    only = RobotsTxt.parse("Disallow: /c\n", reading="cautious")

    assert below.weakening_problems("rex") == ()
    assert [(it.code, it.line) for it in above.weakening_problems("rex")] == [
        ("R001", 1)
    ]
    assert [it.code for it in only.weakening_problems("rex")] == ["R001"]


def test_of_very_many_names_only_equal_ones_are_compared() -> None:
    """A million names are told in time that grows with their number."""
    names = "".join(f"User-agent: name{number}\n" for number in range(501))
    more = "\nUser-agent: name7\nUser-agent: name1x\nDisallow: /x"

    problems = RobotsTxt.parse(f"{names}Disallow: /\n{more}").problems

    assert [(it.code, it.line) for it in problems] == [("R024", 504)]


@pytest.mark.parametrize(("count", "codes"), [(499, ["R024"]), (500, [])])
def test_five_hundred_names_are_compared_by_letter(
    count: int, codes: list[str]
) -> None:
    """The last number at which a name inside another one is told, and the next."""
    numbers = range(1_000, 1_000 + count)
    names = "".join(f"User-agent: name{number}\n" for number in numbers)
    longer = "User-agent: name1000x\nDisallow: /x"

    problems = RobotsTxt.parse(f"{names}Disallow: /\n\n{longer}").problems

    assert [it.code for it in problems] == codes


def test_a_dialect_is_not_blamed_for_what_it_knows() -> None:
    """Lists are several values in 1996; Allow is a rule where it is a field."""
    lists = "User-agent: a b\nDisallow: /a /b\n"
    allowing = STAR + "Allow: /a/b\nDisallow: /a\nCrawl-delay: soon\n"

    revisited = RobotsTxt.parse(lists, dialect="revisited")
    extended = RobotsTxt.parse(allowing, dialect="extended")

    assert revisited.problems == revisited.weakening_problems("a") == ()
    assert [(it.code, it.line) for it in extended.problems] == [("R035", 4)]


def test_a_tab_between_values_is_no_control_character() -> None:
    """Revisited K1, K2: it separates them; in 1994 it is part of the one value."""
    body = "User-agent: a\tb\nDisallow: /a\t/b\n"

    assert RobotsTxt.parse(body, dialect="revisited").problems == ()
    assert "R028" in [it.code for it in RobotsTxt.parse(body).problems]


FIXES = [
    ("/*.php$", "1994 cannot express it"),
    ("/*?", "1994 cannot express it"),
    ("/$", "Delete the line."),
    ("/*", "if the whole site is meant: it means the same"),
    ("/a*", "Write `Disallow: /a`: it means the same."),
    ("/a$", "Write `Disallow: /a`, if it may cover all paths"),
    ("/a/*/b", "Write `Disallow: /a/`, if it may cover all paths"),
]


@pytest.mark.parametrize(("value", "fix"), FIXES)
def test_the_fix_of_a_wildcard_closes_no_more_than_it_says(
    value: str, fix: str
) -> None:
    """`/` covers the whole site: it is advised only where that is what is meant."""
    (problem,) = RobotsTxt.parse(f"{STAR}Disallow: {value}").problems

    assert fix in problem.fix


def test_a_wildcard_is_no_problem_where_it_has_a_meaning() -> None:
    """RFC 9309 gives `*` and a final `$` one."""
    body = STAR + "Disallow: /*.php$\n"

    assert RobotsTxt.parse(body, dialect="rfc9309").problems == ()


@pytest.mark.parametrize(
    ("rules", "codes"),
    [
        ("Disallow: /\nAllow: /a\n", ["R036"]),
        ("Allow: /a\nDisallow: /\n", []),
        ("Allow: /\nDisallow: /a\n", ["R037"]),
        ("Allow: a\nDisallow: /\n", ["R005"]),
        ("Disallow: /a\nAllow: /b\nDisallow: /a/c\n", ["R023"]),
        ("Disallow: /a\nAllow: /a\n", ["R036"]),
    ],
)
def test_rules_without_effect_are_named_where_the_first_decides(
    rules: str, codes: list[str]
) -> None:
    """Ours X1: in the extended dialect the order of the lines counts."""
    problems = RobotsTxt.parse(STAR + rules, dialect="extended").problems

    assert [it.code for it in problems] == codes


def test_records_with_the_same_rules_take_nothing_from_each_other() -> None:
    """Whichever is obeyed, the same is disallowed."""
    body = "User-agent: bot\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /a\n"

    assert RobotsTxt.parse(body).problems == ()


def test_a_file_in_utf_16_without_a_mark_has_one_problem() -> None:
    """Not one for each of its lines."""
    body = (STAR + "Disallow: /\n").encode("utf-16-le")

    assert [it.code for it in RobotsTxt.parse(body).problems] == ["R040"]


def test_ours_o23_records_below_html_are_checked() -> None:
    """A comment of HTML above them does not make the file a page."""
    body = "<!-- robots -->\n" + STAR + "Disallow: a\n"

    codes = [it.code for it in RobotsTxt.parse(body).problems]

    assert codes == ["R006", "R025", "R005"]


def test_an_invisible_character_is_named() -> None:
    """Its author cannot see it."""
    (problem,) = RobotsTxt.parse("User-agent: *\u00a0\nDisallow: /").problems

    assert problem.message.startswith("a no-break space (U+00A0) makes this line")


def test_several_blank_lines_are_to_be_deleted() -> None:
    """One is not enough."""
    (problem,) = RobotsTxt.parse("User-agent: a\n\n\nDisallow: /").problems

    assert problem.fix.startswith("Delete the blank lines")
