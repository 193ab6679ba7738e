"""What mutants of the parser once survived: the limit, words, a quick way taken."""

from __future__ import annotations

from scrapy_robots1994.standard import Reason, RobotsTxt

LAST_LINE_OPEN = b"User-agent: *\nDisallow: /a"


def test_ours_o24_a_file_of_exactly_the_limit_is_whole() -> None:
    """Its last line counts although nothing ends it."""
    robots = RobotsTxt.parse(LAST_LINE_OPEN, limit=len(LAST_LINE_OPEN))

    assert not robots.is_cut
    assert not robots.allowed("/a", "robot")


def test_ours_o24_one_byte_over_the_limit_is_cut() -> None:
    """Then the line that the limit cut is not obeyed."""
    robots = RobotsTxt.parse(LAST_LINE_OPEN, limit=len(LAST_LINE_OPEN) - 1)

    assert robots.is_cut
    assert robots.allowed("/a", "robot")


def test_reasons_keep_their_words() -> None:
    """Stats and reports are keyed by them."""
    assert {reason.value for reason in Reason} >= {
        "rule",
        "split-record",
        "no-rule",
        "no-record",
        "empty",
        "robots.txt-itself",
        "absent",
        "forbidden",
        "unreachable",
        "cancelled",
    }


def test_ours_o18_the_second_url_of_an_origin_is_spelt_canonically_too() -> None:
    """Once an origin is known the quick way is for plain targets alone."""
    body = b"User-agent: *\nDisallow: /a\n"
    ruling = RobotsTxt.parse(body, dialect="extended").ruling("robot")

    assert ruling.allowed_url("http://site.test/b")
    assert not ruling.allowed_url("http://site.test/%61")
    assert not ruling.allowed_url("http://site.test/a#b")
    assert ruling.allowed_url("http://site.test/#/a")
