"""Lint says which lines another dialect reads otherwise, and reads each dialect."""

from __future__ import annotations

import pytest

from scrapy_robots1994.lint.dialects import read_otherwise
from scrapy_robots1994.lint.effects import effects_of
from scrapy_robots1994.lint.machine import as_json
from scrapy_robots1994.lint.report import Report
from scrapy_robots1994.lint.text import print_report
from scrapy_robots1994.robotstxt import RobotsTxt

BODY = (
    "User-agent: rex fido\n# no\nAllow: /a\nCRAWL-delay: 5\nDisallow: /x /y\n\n"
    "Sitemap: /s.xml\nHost: h\nUser-agent: *\nDisallow: /z\nallow: /z/1\n"
)


def told(dialect: str) -> list[str]:
    """What is told of the other dialects, from this one."""
    return [str(it) for it in read_otherwise(RobotsTxt.parse(BODY, dialect=dialect))]


def test_from_1994_all_others_are_told() -> None:
    """With the lines, and the fields as they are first written."""
    revisited, extended, rfc9309 = told("1994")

    assert revisited.endswith("reads lines 1, 5 otherwise (User-agent, Disallow)")
    assert extended == (
        'the dialect "extended" reads lines 3-4, 7, 11 otherwise '
        "(Allow, CRAWL-delay, Sitemap)"
    )
    assert "lines 3-4, 7, 11 otherwise (Allow, " in rfc9309


def test_from_another_dialect_1994_is_told() -> None:
    """What it does not know, and what it reads as one."""
    assert "lines 3-4, 7, 11" in told("extended")[0]
    assert told("revisited")[0].startswith('the dialect "1994" reads lines 1, 5 ')


def test_a_file_that_all_read_alike_says_nothing_of_dialects() -> None:
    """Also of unknown fields, which are unknown everywhere."""
    body = "User-agent: rex\nDisallow: /x\nHost: h\nrubbish\n"

    assert list(read_otherwise(RobotsTxt.parse(body))) == []


def test_text_and_json_tell_it() -> None:
    """Below the file, and under a key of its own."""
    report = Report.of("name", RobotsTxt.parse(BODY))

    lines = list(print_report(report))

    assert any(it.endswith("otherwise (User-agent, Disallow).") for it in lines)
    assert as_json(report)["read_otherwise"]["extended"] == (3, 4, 7, 11)
    assert not any("otherwise" in it for it in print_report(report, only_problems=True))


def test_json_keeps_allow_and_disallow_apart() -> None:
    """A record of the extended dialect has both, and a delay."""
    record = as_json(Report.of("name", RobotsTxt.parse(BODY, dialect="extended")))[
        "records"
    ][0]

    assert record["disallow"] == ["/x /y"]
    assert record["allow"] == ["/a"]
    assert record["crawl_delay"] == 5


@pytest.mark.parametrize(
    ("value", "effect"),
    [
        ("/x /y", "forbids what begins with /x or /y"),
        ("/a /b /c /d", "forbids what begins with /a or /b or /c …"),
        ("/x y", "forbids what begins with /x"),
        ("x y", "matches nothing"),
        ("/x /", "forbids everything"),
        ("", "forbids nothing"),
    ],
)
def test_the_effect_of_a_line_of_several_paths(value: str, effect: str) -> None:
    """In the revisited dialect."""
    body = f"User-agent: *\nDisallow: {value}\n"

    made = list(effects_of(RobotsTxt.parse(body, dialect="revisited")))

    assert made[1] == effect
