"""Reports in each format: text, JSON, annotations and SARIF."""

from __future__ import annotations

import json

import pytest

from scrapy_robots1994.escaping import is_printable
from scrapy_robots1994.lint.formats import (
    WIDTH,
    as_annotations,
    as_json,
    as_sarif,
    as_text,
    summary_as_text,
)
from scrapy_robots1994.lint.report import Report, Summary, Unread
from scrapy_robots1994.robotstxt import RobotsTxt
from tests.support.corpus import corpus_files

BODY = """\
# hello
User-agent: *
User-agent: rex
Disallow: /tmp
Disallow:
Disallow: a
Disallow: /

User-agent:
Disallow: /
Sitemap: x
"""
EFFECTS = [
    "",
    "begins a record, for every robot not named",
    'and for "rex"',
    "forbids what begins with /tmp",
    "forbids nothing",
    "matches nothing",
    "forbids everything",
    "ends the record",
    "ignored: it names no robot",
    "ignored: no User-agent line in its record",
    "ignored: this dialect has no such field",
]


def report_of(body: str | bytes, name: str = "robots.txt") -> Report:
    """Return the report of a file."""
    return Report(name, RobotsTxt.parse(body))


def test_each_line_has_its_effect() -> None:
    """Effects are in the order of the file."""
    assert list(report_of(BODY).effects) == EFFECTS


def test_text_has_each_line_with_its_problems_below() -> None:
    """A problem has place, severity, code, clause and fix."""
    lines = list(as_text(report_of("User-agent: *\nDisallow: a\n")))

    assert lines == [
        "robots.txt: 2 lines, 1 record, 1 error",
        (
            "     1 User-agent: *                                "
            "begins a record, for every robot not named"
        ),
        "     2 Disallow: a                                  matches nothing",
        (
            '       ^ 2:11 error R005 (O20): the value "a" does not begin with a slash '
            "and matches nothing."
        ),
        "         Write `Disallow: /a`, if the path begins at the root of the site.",
    ]


def test_only_problems_omits_the_lines() -> None:
    """Every problem is still listed."""
    lines = list(as_text(report_of(BODY), only_problems=True))

    assert sum(line.lstrip().startswith("^") for line in lines) == 6
    assert not any("forbids everything" in line for line in lines)


def test_report_on_an_empty_file_says_that_all_is_allowed() -> None:
    """1994 E1: an empty file is like no file."""
    assert "every robot may retrieve everything" in "\n".join(as_text(report_of(b"")))


def test_ignored_codes_are_neither_listed_nor_counted() -> None:
    """They are passed to the report."""
    robots = RobotsTxt.parse("Allow: /\n")

    report = Report("x", robots, frozenset({"R016"}))

    assert (report.problems, report.count("info")) == ([], 0)


def test_every_file_of_the_corpus_has_a_printable_report() -> None:
    """Lines are at most `WIDTH` wide, nothing is unprintable, and JSON can be dumped."""
    summary = Summary()
    for name, body in corpus_files()[::7]:
        report = report_of(body, name)
        summary.add(report)
        for line in as_text(report):
            assert len(line) <= WIDTH
            assert is_printable(line)
        assert json.loads(json.dumps(as_json(report)))["file"] == name
        assert all(map(is_printable, as_annotations(report)))
    table = list(summary_as_text(summary))

    assert table[-1].startswith(f"{len(corpus_files()[::7]):,} files")
    assert max(map(len, table)) <= WIDTH


def test_summary_of_one_file_is_in_the_singular() -> None:
    """It says "1 file", not "1 files"."""
    summary = Summary()
    summary.add(report_of("User-agent: *\nDisallow: /\n"))

    assert list(summary_as_text(summary))[1:] == ["1 file, 1 without a problem"]


@pytest.mark.parametrize("body", ["\x1b[31m: \u202e", "Disallow: \r/\x07", "\x9b"])
def test_unprintable_characters_are_escaped(body: str) -> None:
    """Control characters and direction marks are escaped, in the file name, too."""
    report = report_of(body, "\x1b]0;x\x07.txt")

    shown = [*as_text(report), *as_annotations(report)]

    assert shown
    assert all(map(is_printable, shown))
    assert json.dumps(as_json(report)).isascii()


def test_annotation_is_escaped_for_github() -> None:
    """Commas and colons in properties and percent signs are escaped."""
    report = report_of("User-agent: a%b\nDisallow: x%y\n", "a,b:c.txt")

    assert list(as_annotations(report)) == [
        (
            "::error file=a%2Cb%3Ac.txt,line=2,col=11,title=R005 (O20)::the value "
            '"x%25y" does not begin with a slash and matches nothing. '
            "Write `Disallow: /x%25y`, if the path begins at the root of the site."
        )
    ]


def test_sarif_has_a_rule_for_each_result() -> None:
    """Each result refers to its rule and place; an unread file is a notification."""
    unread = Unread("https://x/robots.txt", "no answer")
    log = as_sarif([report_of(BODY, "a b.txt"), unread], "1.0")
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]

    assert log["version"] == "2.1.0"
    assert len(run["results"]) == 6
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        where = result["locations"][0]["physicalLocation"]
        assert where["artifactLocation"]["uri"] == "a%20b.txt"
    assert run["invocations"][0]["executionSuccessful"] is False


def test_uri_of_a_sarif_place_is_valid() -> None:
    """Characters that a URL must not have are percent-encoded, and no others."""
    unread = Unread("https://x/a b?\u00e9=%20&c#d", "no answer")
    (note,) = as_sarif([unread], "1")["runs"][0]["invocations"][0][
        "toolExecutionNotifications"
    ]

    place = note["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "https://x/a%20b?%C3%A9=%20&c#d"


def test_missing_file_is_not_an_error() -> None:
    """The annotation is a notice, and the SARIF log has succeeded."""
    absent = Unread("https://x/robots.txt", "no file", is_fault=False)

    [notice] = as_annotations(absent)
    assert notice.startswith("::notice ")
    assert as_sarif([absent], "1")["runs"][0]["invocations"][0]["executionSuccessful"]
    assert as_json(absent) == {"file": "https://x/robots.txt", "unread": "no file"}


def test_fields_of_the_extended_dialect_have_their_effects() -> None:
    """Allow and Crawl-delay have an effect there; an invalid delay is ignored."""
    body = "User-agent: a\nAllow: /x\nCrawl-delay: 5\nSitemap: y\nCrawl-delay: z\n"
    report = Report("x", RobotsTxt.parse(body, dialect="extended"))

    assert list(report.effects) == [
        'begins a record, for "a"',
        "allows what begins with /x",
        "asks for a pause of 5 seconds",
        "",
        "ignored: no number of seconds",
    ]


def test_effect_of_a_line_lists_its_first_three_names() -> None:
    """Further names are replaced by an ellipsis."""
    body = "User-agent: Rex Max\nDisallow: /\n\nUser-agent: a b c d\nDisallow: /\n"
    report = Report("x", RobotsTxt.parse(body, dialect="revisited"))

    effects = list(report.effects)
    assert effects[0] == 'begins a record, for "Rex" and "Max"'
    assert effects[3] == 'begins a record, for "a" and "b" and "c" …'


def test_line_with_long_names_or_paths_is_not_wider_than_others() -> None:
    """The revisited dialect has lists of both."""
    names = " ".join(letter * 30 for letter in "abcd")
    paths = " ".join(f"/{letter * 30}" for letter in "abcd")
    body = f"User-agent: {names}\nDisallow: {paths}\n"
    robots = RobotsTxt.parse(body, dialect="revisited")

    assert max(map(len, as_text(Report("x", robots)))) <= WIDTH
