"""The dialect `extended`: 1994 with Allow, Crawl-delay and Sitemap."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_robots1994 import LineKind, Reason, RobotsTxt, Verdict
from tests.standard.table import Row, check, rows

CLAUSES = rows(
    r"""
X1 the first matching line decides | {U}*\nAllow: /a/b{D}/a               | +/a/b/c -/a/c
X1 the order of lines, not length  | {U}*{D}/a\nAllow: /a/b               | -/a/b/c
X2 Allow without a record          | Allow: /x\n\n{U}*{D}/                 | -/x
X2 Allow ends the names            | {U}a\nAllow: /\n{U}rex{D}/           | +a/x -/x
X3 each default record decides     | {U}*\nAllow: /a\n\n{U}*{D}/a/b\nAllow: / | -/a/b +/a/c
X3 the longest name decides        | {U}re{D}/a\n\n{U}rex{D}/b               | +/a -/b
X3 default records of equal paths  | {U}*{D}/a\nAllow: /b\n\n{U}*\nAllow: /a{D}/b | -/a -/b
O5 split record                    | {U}*\n\nAllow: /a/b{D}/a             | +/a/c
X6 delay between two names         | {U}a\nCrawl-delay: 5\n{U}rex{D}/     | -a/x -/x
X8 wildcards are literal           | {U}*{D}/*.pdf$\nAllow: /             | +/a.pdf -/*.pdf$x
""",
    ("extended",),
)


@pytest.mark.parametrize("row", CLAUSES, ids=str)
def test_extended_clause_decides(row: Row) -> None:
    check(row)


def delay(body: str, dialect: str = "extended") -> Any:
    return RobotsTxt.parse(body, dialect=dialect).rules("rex").crawl_delay


def test_extended_verdict_names_the_allow_line() -> None:
    body = "User-agent: *\nAllow: /a/b\nDisallow: /a\n"
    verdict = RobotsTxt.parse(body, dialect="extended").verdict("/a/b/c", "rex")

    assert verdict == Verdict(allowed=True, reason=Reason.RULE, line=2, rule="/a/b")
    assert str(verdict) == (
        'allowed by line 2, "Allow: /a/b", of the record for "*" (line 1)'
    )


STAR = "User-agent: *\n"
SPLIT = f"{STAR}\nCrawl-delay: 5\n"
DELAYS = [
    *(
        (f"{STAR}Crawl-delay: {value}\n", seconds)  # X4: a delay is a decimal number.
        for value, seconds in {"10": 10, "0.5": 0.5, ".5": 0.5, "1.": 1, "0": 0}.items()
    ),
    (f"{STAR}Crawl-delay:   7 \n", 7),
    # X5: the longest delay applies, even if it is in another default record (O2).
    (f"{STAR}Crawl-delay: 2\nCrawl-delay: 5\n", 5),
    (f"{STAR}Crawl-delay: 2\n\n{STAR}Crawl-delay: 9\n\n{STAR}Crawl-delay: 3\n", 9),
    # A3: a robot that has its own record does not obey the delay of the default record.
    (f"{STAR}Crawl-delay: 5\n\nUser-agent: max\nDisallow:\n", 5),
    (f"{STAR}Crawl-delay: 5\n\nUser-agent: rex\nDisallow:\n", None),
    # X6: a delay between two User-agent lines does not separate them.
    ("User-agent: a\nCrawl-delay: 5\nUser-agent: rex\nDisallow: /\n", 5),
    ("User-agent: rex\nCrawl-delay: 5\nUser-agent: a\nDisallow: /\n", 5),
    # O4, O5: a delay below a blank line is ignored.
    (SPLIT, None),
    (f"{STAR}Disallow:\n\nCrawl-delay: 5\n", None),
]


@pytest.mark.parametrize(("body", "seconds"), DELAYS)
def test_extended_crawl_delay_of_a_robot(body: str, seconds: float | None) -> None:
    """`1994` ignores delays. `rfc9309` obeys even the delay of a split record (O5)."""
    assert delay(body) == seconds
    assert delay(body, dialect="1994") is None
    assert delay(SPLIT, dialect="rfc9309") == 5


@pytest.mark.parametrize(
    "value", ["", "ten", "-1", "10s", "1e3", "0x5", "1,5", "inf", "9" * 400, "\u0665"]
)
def test_extended_x4_invalid_delay_is_ignored_and_reported(value: str) -> None:
    body = f"User-agent: *\nCrawl-delay: {value}\n"

    line = RobotsTxt.parse(body, dialect="extended").lines[1]

    assert delay(body) is None
    assert line.kind is LineKind.TIMELESS
    assert line.why_ignored


def test_extended_x7_sitemaps_may_be_anywhere() -> None:
    body = (
        "Sitemap: http://h/1.xml # one\nUser-agent: *\nSITEMAP : /2.xml\n"
        "Disallow: /x\n\nsitemap:\nSitemap: http://h/1.xml\n"
    )

    for dialect in ("extended", "rfc9309"):
        robots = RobotsTxt.parse(body, dialect=dialect)
        assert robots.sitemaps == ("http://h/1.xml", "/2.xml")
        assert not robots.allowed("/x", "rex")
    assert RobotsTxt.parse(body).sitemaps == ()
