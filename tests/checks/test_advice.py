"""Advice on real files, read as their webmasters would: it may not do harm."""

from __future__ import annotations

import pytest

from scrapy_robots1994.robotstxt import RobotsTxt

STAR = "User-agent: *\n"


def fixes(text: str, code: str, dialect: str = "1994") -> list[str]:
    """The advice of all problems of this kind, in order."""
    problems = RobotsTxt.parse(text, dialect=dialect).problems
    return [problem.fix for problem in problems if problem.code == code]


@pytest.mark.parametrize(
    ("value", "fix"),
    [
        # freshdesk.com
        ("*/demo-thank-you", "1994 cannot express a wildcard. Name the directories"),
        # www.nbcdfw.com
        ("*", "Write `Disallow: /`, if the whole site is meant."),
        # www.typingmaster.com
        ("error_redir.asp", "Write `Disallow: /error_redir.asp`, if the path begins"),
        # www.ml.com
        ("ml.com/dwealth", "Write `Disallow: /dwealth`, if it begins with the host of"),
        # www.westjet.com: nor is the whole site meant
        ("xnet.westjet.com/", "Write `Disallow: /xnet.westjet.com/`, if the path"),
    ],
)
def test_a_value_without_a_slash_gets_advice_of_its_own(value: str, fix: str) -> None:
    """The path to write, or why there is none."""
    (advice,) = fixes(f"{STAR}Disallow: {value}\n", "R005")

    assert advice.startswith(fix)


def test_a_pattern_may_begin_with_a_wildcard_in_rfc9309() -> None:
    """www.af.mil: there it matches, so nothing is wrong with it."""
    text = f"{STAR}Disallow: *captcha*\n"

    assert not RobotsTxt.parse(text, dialect="rfc9309").allowed("/x/captcha1", "rex")
    assert RobotsTxt.parse(text, dialect="rfc9309").problems == ()


def test_rules_of_a_file_that_names_no_robot_need_a_user_agent_line() -> None:
    """warwick.ac.uk: there is no User-agent line to put them below."""
    text = "# Disallow the CMS\nDisallow: /training/ \n\nDisallow: /sitebuilder2/ \n"

    for fix in fixes(text, "R001"):
        assert fix.startswith(
            "No line of the file names a robot. Write `User-agent: *`"
        )


def test_rules_behind_a_blank_line_may_join_their_record() -> None:
    """www.healthgrades.com: that blank line is what to delete."""
    text = f"# x\n{STAR}Disallow: /guide?\n\n# b2b\nDisallow: /ipac/\n"

    (fix,) = fixes(text, "R001")

    assert fix.startswith("Delete the blank lines above it")
    assert fix.endswith("the record of line 2.")


def test_rules_below_a_misspelt_user_agent_do_not_join_the_record_above() -> None:
    """Without the blank line they would close the site to the robot above."""
    text = "User-agent: x\n\nUser-agnt: y\nDisallow: /\n"

    for above, code in (("", "R002"), ("Disallow: /a\n", "R001")):
        (fix,) = fixes(text.replace("\n", f"\n{above}", 1), code)
        line = 3 + bool(above)
        expected = (
            f"Correct the name of the field in line {line}: it is likely User-agent."
        )
        assert fix == expected


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_a_record_with_a_delay_alone_weakens_nothing(dialect: str) -> None:
    """www.planetware.com: its author wanted pauses, and to close nothing."""
    text = "User-agent: msnbot\nCrawl-delay: 2\nUser-agent: Slurp\nCrawl-delay: 4\n"
    robots = RobotsTxt.parse(text, dialect=dialect)

    assert robots.weakening_problems("msnbot") == ()
    assert not any(problem.weakens_policy for problem in robots.problems)
    meant = RobotsTxt.parse("User-agent: msnbot\n", dialect=dialect)
    assert [it.code for it in meant.weakening_problems("msnbot")] == ["R003"]


def test_html_above_records_is_to_be_deleted_not_the_file() -> None:
    """To answer 404 instead would open what the records close."""
    with_records = f"<!-- robots.txt of us -->\n{STAR}Disallow: /a\n"
    page = "<!DOCTYPE html>\n<p>Not found</p>\n"

    assert fixes(with_records, "R025")[0].startswith("Delete the lines of HTML")
    assert "404" in fixes(page, "R025")[0]


LISTS = [
    ("/b a", [("R005", 14, "Write `Disallow: /b /a`, if the path begins")]),
    ("* /b", [("R005", 11, "Write `Disallow: / /b`, if the whole site")]),
    ("/a* /b", [("R015", 13, "Write `Disallow: /a /b`: it means the same.")]),
    ("/b /a$", [("R015", 16, "Write `Disallow: /b /a`, if it may cover")]),
    ("/b /$", [("R015", 15, "revisited cannot express the home page")]),
    ("/b http://h/", [("R033", 14, "Write the path alone")]),
    ("/a /a/b", [("R023", 1, "Delete `/a/b` from this line, and keep")]),
    ("/a /a", [("R022", 1, "Delete `/a` from this line, and keep")]),
]


@pytest.mark.parametrize(("value", "expected"), LISTS)
def test_each_path_of_a_list_gets_advice_that_keeps_the_others(
    value: str, expected: list[tuple[str, int, str]]
) -> None:
    """Revisited K2: what to do about one path opens no other one."""
    body = f"{STAR}Disallow: {value}\n"
    problems = RobotsTxt.parse(body, dialect="revisited").problems

    assert [(it.code, it.column) for it in problems] == [it[:2] for it in expected]
    for problem, (_, _, fix) in zip(problems, expected, strict=True):
        assert problem.fix.startswith(fix)
        assert "elete the line" not in problem.fix


def test_rules_that_a_blank_line_parts_are_told_once_a_line() -> None:
    """At the field, as those above all records; a line may have several."""
    body = f"{STAR}Disallow: /x\n\n  Disallow: /a /b\n"
    problems = RobotsTxt.parse(body, dialect="revisited").problems

    assert [(it.code, it.line, it.column) for it in problems] == [
        ("R011", 4, 1),
        ("R001", 4, 3),
    ]


def test_a_url_as_a_value_matches_nothing_in_rfc9309() -> None:
    """RFC 9309 2.2: a path begins with a slash; the site is open, and that is reported."""
    body = f"{STAR}Disallow: https://h.test/a\n"
    robots = RobotsTxt.parse(body, dialect="rfc9309")

    assert robots.allowed("https://h.test/a", "rex")
    (problem,) = robots.weakening_problems("rex")
    assert (problem.code, problem.fix[:20]) == ("R005", "Write the path alone")


@pytest.mark.parametrize(
    ("dialect", "whose"),
    [("1994", "every robot whose name contains it"), ("rfc9309", "that name")],
)
def test_a_name_without_its_wildcard_is_for_whom_the_advice_says(
    dialect: str, whose: str
) -> None:
    """RFC 9309 compares names whole."""
    (fix,) = fixes("User-agent: rex*\nDisallow: /\n", "R030", dialect)
    robots = RobotsTxt.parse("User-agent: rex\nDisallow: /\n", dialect=dialect)

    assert fix.endswith(f"{whose}.")
    assert robots.allowed("/", "rexbot") is (dialect == "rfc9309")


def test_a_shorter_rule_hides_none_where_a_merged_group_allows() -> None:
    """RFC 9309 2.2.1: without the longer rule, the Allow would decide."""
    body = "User-agent: rex\nDisallow: /a/b\nDisallow: /\nUser-agent: rex\nAllow: /a\n"

    assert not RobotsTxt.parse(body, dialect="rfc9309").allowed("/a/b", "rex")
    assert fixes(body, "R023", "rfc9309") == []
    assert len(fixes(body.replace("rex\nAllow", "max\nAllow"), "R023", "rfc9309")) == 1


def test_one_record_for_everybody_closes_what_two_closed() -> None:
    """In the extended dialect an Allow above the moved lines would open it."""
    first, second = "Allow: /a\nDisallow: /b\n", "Disallow: /a/x\n"
    (fix,) = fixes(f"{STAR}{first}\n{STAR}{second}", "R008", "extended")

    assert fix.endswith("above the others.")
    merged = RobotsTxt.parse(f"{STAR}{second}{first}", dialect="extended")
    assert not merged.allowed("/a/x", "rex")


@pytest.mark.parametrize(("dialect", "count"), [("1994", 1), ("rfc9309", 0)])
def test_an_encoded_reserved_character_covers_a_plain_one_in_1994_alone(
    dialect: str, count: int
) -> None:
    """Ours O18 decodes both; RFC 9309 2.2.2 leaves reserved ones as they are."""
    body = f"{STAR}Disallow: /%21/\nDisallow: /!/a\n"
    first = RobotsTxt.parse(f"{STAR}Disallow: /%21/\n", dialect=dialect)

    assert len(fixes(body, "R023", dialect)) == count
    assert first.allowed("/!/a", "rex") is (count == 0)


@pytest.mark.parametrize("dialect", ["1994", "extended"])
def test_of_two_records_for_one_name_neither_has_the_longer_name(dialect: str) -> None:
    """whatis.techtarget.com: the second one may be above only as part of the first."""
    text = "User-agent: bingbot\nDisallow: /a\n\nUser-agent: BingBot\nDisallow: /b\n"

    assert fixes(text, "R024", dialect) == ["Make one record of the two."]


@pytest.mark.parametrize("dialect", ["1994", "extended", "rfc9309"])
def test_a_name_with_a_comment_is_not_to_be_joined_with_the_record_for_all(
    dialect: str,
) -> None:
    """www.ajc.com: one record of the two would close the site to every robot."""
    agent = "User-agent: MauiBot (crawler.feedback+wc@gmail.com)\n"
    robots = RobotsTxt.parse(
        f"{STAR}Disallow: /a\n\n{agent}Disallow: /\n", dialect=dialect
    )

    (problem,) = robots.problems

    assert (problem.code, problem.fix[:20]) == ("R042", "Write the name alone")
    assert robots.weakening_problems("MauiBot/1.0") == (problem,)
    assert robots.weakening_problems("rex") == ()


@pytest.mark.parametrize(
    ("field", "more"), [("Allow", ": /"), ("Crawl-delay", ": 5\nSitemap: x")]
)
def test_names_that_only_an_ignored_field_parts_share_their_rules(
    field: str, more: str
) -> None:
    """www.parts-express.com: its Allow lines are meant to keep Googlebot welcome."""
    body = f"User-agent: Googlebot\n{field}{more}\nUser-agent: Yandex\nDisallow: /\n"
    robots = RobotsTxt.parse(body)
    line = robots.records[0].agents[1].line

    assert not robots.allowed("/", "Googlebot")
    (problem,) = [it for it in robots.problems if it.code == "R007"]
    assert problem.message == (
        f"User-agent after {field}, without a blank line, shares its rules with line 1"
    )
    assert (problem.line, problem.fix) == (line, "Put a blank line before it.")
    mended = body.replace("User-agent: Yandex", "\nUser-agent: Yandex")
    assert RobotsTxt.parse(mended).allowed("/", "Googlebot")


@pytest.mark.parametrize(
    ("body", "dialect", "codes"),
    [
        # The slip is told as such.
        ("User-agent: a\nDisalow: /\nUser-agent: b\nDisallow: /", "1994", ["R020"]),
        (
            "User-agent: a\n\u00a0Disallow: /\nUser-agent: b\nDisallow: /",
            "1994",
            ["R038"],
        ),
        # There is nothing to share.
        ("User-agent: a\nHost: x\nUser-agent: b\nDisallow:", "1994", ["R019"]),
        # There it begins a record.
        ("User-agent: a\nAllow: /\nUser-agent: b\nDisallow: /", "extended", ["R007"]),
        # A blank line would not part them.
        ("User-agent: a\nHost: x\nUser-agent: b\nDisallow: /", "rfc9309", ["R019"]),
    ],
)
def test_what_parts_names_is_told_once(
    body: str, dialect: str, codes: list[str]
) -> None:
    """And where nothing can be mended, not at all."""
    problems = RobotsTxt.parse(body, dialect=dialect).problems

    assert [it.code for it in problems] == codes
    assert not any("shares" in it.message for it in problems)


@pytest.mark.parametrize(
    ("dialect", "name", "fix"),
    [
        ("1994", "*", ["Make one record of the two."]),
        ("extended", "*", ["Make one record of the two."]),
        ("rfc9309", "Rex", []),
    ],
)
def test_an_empty_record_that_is_obeyed_with_another_one_opens_nothing(
    dialect: str, name: str, fix: list[str]
) -> None:
    """www.elsevier.com: a second record for every robot holds its sitemap alone."""
    text = (
        f"User-agent: {name}\nDisallow: /a\n\nUser-agent: {name.lower()}\nSitemap: x\n"
    )
    robots = RobotsTxt.parse(text, dialect=dialect)

    assert not robots.allowed("/a", "rex")
    assert robots.weakening_problems("rex") == ()
    assert fixes(text, "R003", dialect) == []
    assert fixes(text, "R008", dialect) == fix
