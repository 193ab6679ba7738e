"""Mended readings: fields of the dialect, ignored lines, printed delays, hostile rules."""

from __future__ import annotations

import pytest

from scrapy_robots1994 import LineKind, Reason, RobotsTxt
from tests.standard.asking import DIALECTS


@pytest.mark.parametrize("written", ["0.00001", "100000000000000000000", "5", "0.5"])
def test_record_prints_a_delay_as_the_file_has_it(written: str) -> None:
    """X4 takes no exponent, so a printed number must not have one."""
    body = f"User-agent: *\nCrawl-delay: {written}\nDisallow: /\n"

    (record,) = RobotsTxt.parse(body, dialect="extended").records

    assert str(record) == body


def test_default_dialect_needs_no_name() -> None:
    """`RobotsTxt(body)` is the file in the dialect of 1994, read literally."""
    robots = RobotsTxt(b"User-agent: *\nDisallow: /a\n")

    assert (robots.dialect, robots.reading) == ("1994", "literal")
    assert not robots.allowed("/a", "rex")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_line_kind_says_why_a_line_has_no_effect(dialect: str) -> None:
    """Every kind of line has an effect, says nothing or says why it is ignored."""
    body = "Disallow: /\nUser-agent:\nx\ny: z\n\n# c\nUser-agent: *\nCrawl-delay: a\n"

    lines = RobotsTxt.parse(body, dialect=dialect).lines

    idle = (LineKind.BLANK, LineKind.COMMENT, LineKind.USER_AGENT)
    assert all((it.why_ignored is None) is (it.kind in idle) for it in lines)


def hostile_wildcards() -> str:
    """Return a file within the limit whose patterns take minutes to try naively."""
    patterns = (f"/*{'a' * i}b{'a' * j}" for i in range(20, 90) for j in range(20, 90))
    lines = "".join(f"Disallow: {it}\n" for it in patterns)
    return f"User-agent: *\nAllow: /\n{lines}"[:512_000]


def test_ours_o28_question_beyond_the_bound_is_disallowed() -> None:
    """What was not compared to its end is never "allowed", and says so."""
    robots = RobotsTxt.parse(hostile_wildcards(), dialect="rfc9309")

    verdict = robots.verdict("http://h.test/" + "a" * 2_000, "rex")

    assert not verdict.allowed
    assert not robots.allowed("http://h.test/" + "a" * 2_000, "rex")
    assert verdict.reason is Reason.WILDCARDS
    assert "wildcards" in str(verdict)


def test_ours_o28_ordinary_question_to_a_large_file_is_decided() -> None:
    """The bound is far above what the largest files of real sites take."""
    rules = "".join(f"Disallow: /*/d{number}/*?x=\n" for number in range(5_000))
    robots = RobotsTxt.parse(f"User-agent: *\n{rules}", dialect="rfc9309")

    assert not robots.allowed("http://h.test/a/b/d4999/c?x=1", "rex")
    assert robots.verdict("http://h.test/" + "a/b" * 60, "rex").reason is Reason.NO_RULE
