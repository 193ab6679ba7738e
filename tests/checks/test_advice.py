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
