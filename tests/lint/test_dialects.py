"""Reports in each dialect, and the lines that other dialects read otherwise."""

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
    """Return the sentences of a report in *dialect* about the other dialects."""
    text = " ".join(line.strip() for line in as_text(report_of(BODY, dialect)))
    return [f"the dialect{it}" for it in text.split("the dialect")[1:]]


def test_report_in_1994_has_a_sentence_about_each_other_dialect() -> None:
    """It lists the lines and the fields in the spelling of the file."""
    found = {it.split('"')[1]: it for it in sentences("1994")}
    revisited, extended = found["revisited"], found["extended"]

    assert found.keys() == DIALECTS.keys() - {"1994"}
    assert "reads lines 1, 5 otherwise (User-agent, Disallow)." in revisited
    assert extended.startswith(
        'the dialect "extended" reads lines 3-4, 7, 11 otherwise '
        "(Allow, CRAWL-delay, Sitemap)"
    )
    assert "lines 3-4, 7, 11, 13 otherwise (Allow, " in found["rfc9309"]


def test_report_in_another_dialect_has_a_sentence_about_1994() -> None:
    """It lists lines with unknown fields and lines with lists."""
    assert "lines 3-4, 7, 11" in sentences("extended")[0]
    assert sentences("revisited")[0].startswith('the dialect "1994" reads lines 1, 5 ')


def test_file_that_all_dialects_read_alike_has_no_such_lines() -> None:
    """A field that is unknown in every dialect makes no difference."""
    body = "User-agent: rex\nDisallow: /x\nHost: h\nrubbish\n"

    assert report_of(body).read_otherwise == {}


def test_rule_below_a_blank_line_is_read_otherwise_in_rfc9309() -> None:
    """The report in RFC 9309 lists it for the other dialects, too."""
    body = "User-agent: *\n\nDisallow: /a\n"
    having = [name for name, it in DIALECTS.items() if not it.has_blank_lines]

    assert [*report_of(body).read_otherwise] == having
    for lines in report_of(body, "rfc9309").read_otherwise.values():
        assert [line.number for line in lines] == [3]


def test_text_and_json_have_the_lines_read_otherwise() -> None:
    """JSON has them under a key of their own; `only_problems` omits them."""
    report = report_of(BODY)

    lines = list(as_text(report))

    assert any(it.endswith("otherwise (User-agent, Disallow).") for it in lines)
    assert as_json(report)["read_otherwise"]["extended"] == [3, 4, 7, 11]
    assert not any("otherwise" in it for it in as_text(report, only_problems=True))


def test_json_has_separate_keys_for_allow_and_disallow() -> None:
    """A record of the extended dialect has both, and a crawl delay."""
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
def test_effect_of_a_line_with_several_paths(value: str, effect: str) -> None:
    """Only the revisited dialect has such lines."""
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
def test_effect_of_a_rule_in_rfc9309(line: str, effect: str) -> None:
    """Wildcards have a meaning, and a blank line does not end the group."""
    report = report_of(f"User-agent: *\n\n{line}\n", "rfc9309")

    assert report.effects[1:] == ["", effect]


def test_wildcard_is_read_otherwise_in_dialects_with_wildcards() -> None:
    """The report in RFC 9309 lists it for the other dialects, too."""
    body = "User-agent: *\nDisallow: /a\nDisallow: /*.php\nDisallow: /b$\n"

    having = [name for name, it in DIALECTS.items() if it.has_wildcards]

    assert [*report_of(body).read_otherwise] == having
    for lines in report_of(body, "rfc9309").read_otherwise.values():
        assert [line.number for line in lines] == [3, 4]
