"""Each kind of problem: the files that have it, its place and its effect."""

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
def test_problem_has_its_place(body: str, places: list[tuple[str, int, int]]) -> None:
    """Each file has exactly these problems, at these lines and columns."""
    problems = RobotsTxt.parse(body).problems

    assert sorted((it.code, it.line, it.column) for it in problems) == sorted(places)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_kind_has_a_fix_and_a_short_title(kind: Check) -> None:
    """The fix is a sentence, and the title fits into a table."""
    assert kind.fix.endswith(".")
    assert len(kind.title) <= 40


def test_codes_have_no_gap() -> None:
    """They are numbered from R001."""
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
def test_misspelt_field_is_distinguished_from_another_field(
    field: str, meant: str | None
) -> None:
    """A field with one mistake is misspelt; any other is a different field."""
    assert likely_field(field, ("User-agent", "Disallow")) == meant


EXTENSIONS = "Cache-delay Clean-param Comment Content-signal Content-usage Host"
EXTENSIONS += " Index-page NoFollow Noindex Request-rate Robot-version Visit-time"


@pytest.mark.parametrize("field", EXTENSIONS.split())
def test_field_of_a_known_extension_is_not_reported_as_unknown(field: str) -> None:
    """It is reported as an extension, not as a misspelling."""
    problems = RobotsTxt.parse(f"{STAR}Disallow: /\n{field}: x").problems

    assert [it.code for it in problems] == ["R019"]


def test_misspelt_field_is_not_obeyed() -> None:
    """A misspelt Disallow line disallows nothing."""
    robots = RobotsTxt.parse(STAR + "Disalow: /")

    assert robots.allowed("/", "rex")


def test_weakening_problems_are_those_of_the_given_robot() -> None:
    """A problem in the record of another robot is not listed."""
    robots = RobotsTxt.parse(
        "User-agent: a\n\nDisallow: /a\n\nUser-agent: b\nDisallow: b\n"
    )

    assert [it.code for it in robots.weakening_problems("a")] == ["R002"]
    assert [it.code for it in robots.weakening_problems("b")] == ["R005"]
    assert robots.weakening_problems("c") == ()


def test_rule_above_all_records_weakens_the_policy_for_every_robot() -> None:
    """The robot that it was meant for is unknown."""
    robots = RobotsTxt.parse("Disallow: /\n\nUser-agent: b\nDisallow:\n")

    assert [it.code for it in robots.weakening_problems("c")] == ["R001"]


def test_split_record_does_not_weaken_the_policy_in_the_cautious_reading() -> None:
    """The problem is still reported."""
    robots = RobotsTxt.parse(STAR + "\nDisallow: /", reading="cautious")

    assert robots.weakening_problems("rex") == ()
    assert [it.code for it in robots.problems] == ["R002"]


def test_cautious_reading_obeys_rules_below_a_blank_line() -> None:
    """Only rules above all records weaken the policy, because they are not obeyed."""
    body = STAR + "Disallow: /a\n\nDisallow: /b\n"

    below = RobotsTxt.parse(body, reading="cautious")
    above = RobotsTxt.parse("Disallow: /c\n\n" + body, reading="cautious")
    only = RobotsTxt.parse("Disallow: /c\n", reading="cautious")

    assert below.weakening_problems("rex") == ()
    assert [(it.code, it.line) for it in above.weakening_problems("rex")] == [
        ("R001", 1)
    ]
    assert [it.code for it in only.weakening_problems("rex")] == ["R001"]


def test_only_equal_names_are_compared_if_there_are_very_many() -> None:
    """The time grows linearly with the number of names."""
    names = "".join(f"User-agent: name{number}\n" for number in range(501))
    more = "\nUser-agent: name7\nUser-agent: name1x\nDisallow: /x"

    problems = RobotsTxt.parse(f"{names}Disallow: /\n{more}").problems

    assert [(it.code, it.line) for it in problems] == [("R024", 504)]


@pytest.mark.parametrize(("count", "codes"), [(499, ["R024"]), (500, [])])
def test_fewer_than_five_hundred_names_are_compared_by_substring(
    count: int, codes: list[str]
) -> None:
    """With 499 names a name within another one is reported; with 500 it is not."""
    numbers = range(1_000, 1_000 + count)
    names = "".join(f"User-agent: name{number}\n" for number in numbers)
    longer = "User-agent: name1000x\nDisallow: /x"

    problems = RobotsTxt.parse(f"{names}Disallow: /\n\n{longer}").problems

    assert [it.code for it in problems] == codes


def test_features_of_a_dialect_are_no_problems_in_it() -> None:
    """The revisited dialect has lists; the extended one has Allow."""
    lists = "User-agent: a b\nDisallow: /a /b\n"
    allowing = STAR + "Allow: /a/b\nDisallow: /a\nCrawl-delay: soon\n"

    revisited = RobotsTxt.parse(lists, dialect="revisited")
    extended = RobotsTxt.parse(allowing, dialect="extended")

    assert revisited.problems == revisited.weakening_problems("a") == ()
    assert [(it.code, it.line) for it in extended.problems] == [("R035", 4)]


def test_tab_between_values_is_no_problem_in_the_revisited_dialect() -> None:
    """Revisited K1, K2: a tab separates values; in 1994 it is part of the value."""
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
def test_fix_of_a_wildcard_says_what_else_it_disallows(value: str, fix: str) -> None:
    """`/` covers the whole site, so it is suggested only if that is meant."""
    (problem,) = RobotsTxt.parse(f"{STAR}Disallow: {value}").problems

    assert fix in problem.fix


def test_wildcards_are_no_problem_in_rfc9309() -> None:
    """There `*` and a final `$` have a special meaning."""
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
def test_rules_without_effect_are_reported_in_the_extended_dialect(
    rules: str, codes: list[str]
) -> None:
    """Ours X1: the first rule that matches decides."""
    problems = RobotsTxt.parse(STAR + rules, dialect="extended").problems

    assert [it.code for it in problems] == codes


def test_overlapping_names_with_the_same_rules_are_no_problem() -> None:
    """Either record disallows the same."""
    body = "User-agent: bot\nDisallow: /a\n\nUser-agent: mybot\nDisallow: /a\n"

    assert RobotsTxt.parse(body).problems == ()


def test_utf_16_without_a_byte_order_mark_is_one_problem() -> None:
    """Its lines are not reported one by one."""
    body = (STAR + "Disallow: /\n").encode("utf-16-le")

    assert [it.code for it in RobotsTxt.parse(body).problems] == ["R040"]


def test_ours_o23_records_below_html_are_checked() -> None:
    """An HTML comment above them does not make the file a page."""
    body = "<!-- robots -->\n" + STAR + "Disallow: a\n"

    codes = [it.code for it in RobotsTxt.parse(body).problems]

    assert codes == ["R006", "R025", "R005"]


def test_message_names_an_invisible_character() -> None:
    """The author of the file cannot see it."""
    (problem,) = RobotsTxt.parse("User-agent: *\u00a0\nDisallow: /").problems

    assert problem.message.startswith("a no-break space (U+00A0) makes this line")


def test_fix_of_several_blank_lines_is_in_the_plural() -> None:
    """Deleting one of them would not be enough."""
    (problem,) = RobotsTxt.parse("User-agent: a\n\n\nDisallow: /").problems

    assert problem.fix.startswith("Delete the blank lines")
