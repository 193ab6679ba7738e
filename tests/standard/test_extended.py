"""The extended dialect: 1994 with Allow, Crawl-delay and Sitemap (X1 to X8)."""

from __future__ import annotations

from functools import partial

import pytest

from scrapy_robots1994 import LineKind, RobotsTxt, Verdict
from tests.standard.asking import allowed, allowed_however_spelt

may = partial(allowed_however_spelt, dialect="extended")


def delay(body: str, robot: str = "rex", **how: str) -> float | None:
    """Return the crawl delay of *robot* in the extended dialect."""
    robots = RobotsTxt.parse(body, dialect="extended", **how)  # type: ignore[arg-type]  # all are strings
    return robots.rules(robot).crawl_delay


def test_extended_x1_the_first_matching_line_decides() -> None:
    """The order of the lines decides, not their length."""
    opened = "User-agent: *\nAllow: /a/b\nDisallow: /a\n"
    shut = "User-agent: *\nDisallow: /a\nAllow: /a/b\n"

    assert may(opened, "/a/b/c") is True
    assert may(opened, "/a/c") is False
    assert may(shut, "/a/b/c") is False


def test_extended_verdict_names_the_allow_line() -> None:
    """The reason why the URL is allowed is that line."""
    robots = RobotsTxt.parse(
        "User-agent: *\nAllow: /a/b\nDisallow: /a\n", dialect="extended"
    )

    verdict = robots.verdict("/a/b/c", "rex")

    assert verdict == Verdict(
        allowed=True,
        reason=verdict.reason,
        line=2,
        rule="/a/b",
    )
    assert verdict.record == robots.records[0]
    assert str(verdict) == (
        'allowed by line 2, "Allow: /a/b", of the record for "*" (line 1)'
    )


def test_1994_f6_allow_is_an_unknown_field() -> None:
    """In the dialect of 1994 an Allow line has no effect."""
    body = "User-agent: *\nAllow: /a/b\nDisallow: /a\n"

    assert allowed(body, "/a/b/c") is False
    assert [line.kind for line in RobotsTxt.parse(body).lines][1] is LineKind.UNKNOWN


def test_extended_x2_allow_ends_the_names_of_its_record() -> None:
    """A User-agent line after an Allow line begins a new record."""
    body = "User-agent: a\nAllow: /\nUser-agent: rex\nDisallow: /\n"

    assert may(body, "/x", "a") is True
    assert may(body, "/x", "rex") is False


def test_extended_x2_allow_without_a_record_is_ignored() -> None:
    """It is an orphan, like a Disallow line without a record (O4)."""
    robots = RobotsTxt.parse("Allow: /x\n", dialect="extended")

    assert robots.lines[0].kind is LineKind.ORPHAN


def test_extended_x3_each_of_several_default_records_decides() -> None:
    """O2: a URL that one of them disallows is disallowed, even if another allows it."""
    body = "User-agent: *\nAllow: /a\n\nUser-agent: *\nDisallow: /a/b\nAllow: /\n"

    assert may(body, "/a/b") is False
    assert may(body, "/a/c") is True


def test_extended_cautious_reading_obeys_a_split_record() -> None:
    """O5: the Allow lines of a record that a blank line split are obeyed, too."""
    body = "User-agent: *\n\nAllow: /a/b\nDisallow: /a\n"

    assert may(body, "/a/c") is True
    assert may(body, "/a/c", reading="cautious") is False
    assert may(body, "/a/b", reading="cautious") is True


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("10", 10.0), ("0.5", 0.5), (".5", 0.5), ("1.", 1.0), ("0", 0.0), ("  7 ", 7.0)],
)
def test_extended_x4_crawl_delay_is_a_decimal_number(
    value: str, seconds: float
) -> None:
    """It is in seconds, with or without a fraction."""
    body = f"User-agent: *\nCrawl-delay: {value}\n"

    assert delay(body) == seconds


@pytest.mark.parametrize(
    "value", ["", "ten", "-1", "10s", "1e3", "0x5", "1,5", "inf", "9" * 400, "\u0665"]
)
def test_extended_x4_invalid_delay_is_ignored_and_reported(value: str) -> None:
    """The parser does not guess a number."""
    body = f"User-agent: *\nCrawl-delay: {value}\n"

    line = RobotsTxt.parse(body, dialect="extended").lines[1]

    assert delay(body) is None
    assert line.kind is LineKind.TIMELESS
    assert line.why_ignored


def test_extended_x5_longest_of_several_delays_applies() -> None:
    """The delays may be in one record or in several default records (O2)."""
    body = "User-agent: *\nCrawl-delay: 2\nCrawl-delay: 5\n"

    assert delay(body) == 5
    assert delay(f"{body}\nUser-agent: *\nCrawl-delay: 9\n") == 9


def test_extended_delay_comes_from_the_record_that_applies() -> None:
    """A robot whose own record has no delay does not obey the default one (A3)."""
    body = "User-agent: *\nCrawl-delay: 5\n\nUser-agent: rex\nDisallow:\n"

    assert delay(body, "other") == 5
    assert delay(body, "rex") is None
    assert RobotsTxt.parse(body).rules("other").crawl_delay is None


def test_extended_x6_delay_between_two_names_does_not_separate_them() -> None:
    """Unknown fields between names do not separate them in 1994 either (F6)."""
    body = "User-agent: a\nCrawl-delay: 5\nUser-agent: rex\nDisallow: /\n"

    assert may(body, "/x", "a") is False
    assert may(body, "/x", "rex") is False
    assert delay(body, "a") == delay(body, "rex") == 5


def test_extended_delay_after_a_blank_line_is_ignored() -> None:
    """O4, O5: only the cautious reading obeys it, if the blank line split its record."""
    split = "User-agent: *\n\nCrawl-delay: 5\n"

    assert delay(split) is None
    assert delay(split, reading="cautious") == 5
    assert delay("User-agent: *\nDisallow:\n\nCrawl-delay: 5\n") is None


def test_extended_x7_sitemaps_may_be_anywhere() -> None:
    """They are listed in order, each once, without comments."""
    body = (
        "Sitemap: http://h/1.xml # one\nUser-agent: *\nSITEMAP : /2.xml\n"
        "Disallow: /x\n\nsitemap:\nSitemap: http://h/1.xml\n"
    )

    robots = RobotsTxt.parse(body, dialect="extended")

    assert robots.sitemaps == ("http://h/1.xml", "/2.xml")
    assert not robots.allowed("/x", "rex")
    assert RobotsTxt.parse(body).sitemaps == ()


def test_extended_x8_wildcards_are_literal() -> None:
    """They have no special meaning, as in 1994."""
    body = "User-agent: *\nDisallow: /*.pdf$\nAllow: /\n"

    assert may(body, "/a.pdf") is True
    assert may(body, "/*.pdf$x") is False
