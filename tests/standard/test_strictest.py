"""The dialect `strictest` disallows what 1994 or rfc9309 disallows."""

from __future__ import annotations

import pickle

import pytest

from scrapy_robots1994 import Robots1994Parser, RobotsTxt
from tests.oracle.generator import Generator

FILE = """\
User-agent: *
Disallow: /both
Disallow: /*.pdf
Disallow: /a
Allow: /a/open
Crawl-delay: 2
Sitemap: https://h.test/map.xml

Disallow: /below
"""


@pytest.mark.parametrize(
    ("path", "dialect", "line"),
    [
        ("/both", "1994", 2),
        ("/x.pdf", "rfc9309", 3),
        ("/a/open", "1994", 4),
        ("/below", "rfc9309", 9),
        ("/*.pdf", "1994", 3),
    ],
)
def test_refusal_names_the_dialect_and_the_line(
    path: str, dialect: str, line: int
) -> None:
    """If both dialects disallow the URL, the verdict names the line that decides in 1994."""
    verdict = RobotsTxt.parse(FILE, dialect="strictest").verdict(path, "rex")

    assert not verdict.allowed
    assert (verdict.dialect, verdict.line) == (dialect, line)
    assert str(verdict).startswith(f"disallowed in {dialect} by line {line}, ")
    again = pickle.loads(pickle.dumps(verdict))  # noqa: S301 - our own data
    assert (again, str(again)) == (verdict, str(verdict))
    assert again.for_export().as_dict()["explanation"] == str(verdict)


def test_what_both_allow_is_allowed() -> None:
    verdict = RobotsTxt.parse(FILE, dialect="strictest").verdict("/x", "rex")

    assert str(verdict) == str(RobotsTxt.parse(FILE).verdict("/x", "rex"))
    assert verdict.dialect == "1994"
    assert RobotsTxt.parse("").verdict("/x", "rex").dialect is None


def test_file_is_that_of_1994_with_what_rfc9309_asks_for() -> None:
    robots, plain = RobotsTxt.parse(FILE, dialect="strictest"), RobotsTxt.parse(FILE)

    assert robots.dialect == "strictest"
    assert robots.lines == plain.lines
    assert robots.records == plain.records
    assert robots.problems == plain.problems
    assert robots.sitemaps == ("https://h.test/map.xml",)
    assert robots.rules("rex").crawl_delay == 2
    assert robots != plain
    assert pickle.loads(pickle.dumps(robots)) == robots  # noqa: S301 - our own data
    assert plain.read_as("strictest") == robots
    assert not Robots1994Parser(robots).allowed("/x.pdf", "rex")


@pytest.mark.parametrize("seed", range(20))
def test_either_refusal_counts_in_any_file(seed: int) -> None:
    case = Generator(f"strictest {seed}").small()
    strictest, plain, later = (
        RobotsTxt.parse(case.body, dialect=it)
        for it in ("strictest", "1994", "rfc9309")
    )

    for url, robot in case.questions:
        refusals = [
            it
            for it in (plain.verdict(url, robot), later.verdict(url, robot))
            if not it.allowed
        ]
        verdict = strictest.verdict(url, robot)
        assert strictest.allowed(url, robot) is verdict.allowed is (not refusals)
        for refusal in refusals[:1]:
            assert (verdict.line, verdict.rule) == (refusal.line, refusal.rule)
