"""Lint says which lines another dialect reads otherwise, and reads each dialect."""

from __future__ import annotations

import pytest

from scrapy_robots1994.lint.formats import as_json, as_text
from scrapy_robots1994.lint.report import Report
from scrapy_robots1994.parser.dialects import DIALECTS
from scrapy_robots1994.robotstxt import RobotsTxt

BODY = (
    "User-agent: rex fido\n# no\nAllow: /a\nCRAWL-delay: 5\nDisallow: /x /y\n\n"
    "Sitemap: /s.xml\nHost: h\nUser-agent: *\nDisallow: /z\nallow: /z/1\n"
    "\nDisallow: /q\n"
)


def report_of(body: str, dialect: str = "1994") -> Report:
    """Return the report of a file."""
    return Report("name", RobotsTxt.parse(body, dialect=dialect))


def sentences(dialect: str) -> list[str]:
    """Return what the report in this dialect says of the others."""
    text = " ".join(line.strip() for line in as_text(report_of(BODY, dialect)))
    return [f"the dialect{it}" for it in text.split("the dialect")[1:]]


def test_from_1994_all_others_are_sentences() -> None:
    """With the lines, and the fields as they are first written."""
    found = {it.split('"')[1]: it for it in sentences("1994")}
    revisited, extended = found["revisited"], found["extended"]

    assert found.keys() == DIALECTS.keys() - {"1994"}
    assert "reads lines 1, 5 otherwise (User-agent, Disallow)." in revisited
    assert extended.startswith(
        'the dialect "extended" reads lines 3-4, 7, 11 otherwise '
        "(Allow, CRAWL-delay, Sitemap)"
    )
    assert "lines 3-4, 7, 11, 13 otherwise (Allow, " in found["rfc9309"]


def test_from_another_dialect_1994_is_sentences() -> None:
    """What it does not know, and what it reads as one."""
    assert "lines 3-4, 7, 11" in sentences("extended")[0]
    assert sentences("revisited")[0].startswith('the dialect "1994" reads lines 1, 5 ')


def test_a_file_that_all_read_alike_says_nothing_of_dialects() -> None:
    """Also of unknown fields, which are unknown everywhere."""
    body = "User-agent: rex\nDisallow: /x\nHost: h\nrubbish\n"

    assert report_of(body).read_otherwise == {}


def test_a_rule_below_a_blank_line_is_read_otherwise_where_it_has_a_record() -> None:
    """In both directions."""
    body = "User-agent: *\n\nDisallow: /a\n"
    having = [name for name, it in DIALECTS.items() if not it.has_blank_lines]

    assert [*report_of(body).read_otherwise] == having
    for lines in report_of(body, "rfc9309").read_otherwise.values():
        assert [line.number for line in lines] == [3]


def test_text_and_json_have_it() -> None:
    """Below the file, and under a key of its own."""
    report = report_of(BODY)

    lines = list(as_text(report))

    assert any(it.endswith("otherwise (User-agent, Disallow).") for it in lines)
    assert as_json(report)["read_otherwise"]["extended"] == [3, 4, 7, 11]
    assert not any("otherwise" in it for it in as_text(report, only_problems=True))


def test_json_keeps_allow_and_disallow_apart() -> None:
    """A record of the extended dialect has both, and a delay."""
    record = as_json(report_of(BODY, "extended"))["records"][0]

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

    assert report_of(body, "revisited").effects[1] == effect


RFC9309 = [
    ("Disallow: /*.php$", "forbids what matches /*.php$"),
    ("Disallow: *", "forbids what matches *"),
    ("Disallow: /a", "forbids what begins with /a"),
    ("Disallow: http://h/", "matches nothing"),
    ("Allow: a", "matches nothing"),
    ("Allow:", "allows nothing"),
    ("Allow: /", "allows everything"),
]


@pytest.mark.parametrize(("line", "effect"), RFC9309)
def test_the_effect_of_a_rule_in_rfc9309(line: str, effect: str) -> None:
    """A wildcard has a meaning, and a blank line ends nothing."""
    report = report_of(f"User-agent: *\n\n{line}\n", "rfc9309")

    assert report.effects[1:] == ["", effect]


def test_a_wildcard_is_read_otherwise_where_it_has_a_meaning() -> None:
    """In both directions."""
    body = "User-agent: *\nDisallow: /a\nDisallow: /*.php\nDisallow: /b$\n"

    having = [name for name, it in DIALECTS.items() if it.has_wildcards]

    assert [*report_of(body).read_otherwise] == having
    for lines in report_of(body, "rfc9309").read_otherwise.values():
        assert [line.number for line in lines] == [3, 4]
