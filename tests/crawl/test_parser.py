"""Robots1994Parser behind Scrapy's parser interface, by hand and in the built-in.

Scrapy's own tests of that interface (tests/test_robotstxt_interface.py) check eight
properties of a parser. Five of them hold here too, in our words below. Three are
contradicted by the text of 1994, each for the clause named at its test.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.robotstxt import RobotParser
from scrapy.settings import Settings

from scrapy_robots1994 import Robots1994Parser, SettingsError

HERE = "https://www.site.test"


def parse(body: bytes) -> Robots1994Parser:
    """The parser as Scrapy's interface tests make it: without a crawler."""
    return Robots1994Parser.from_crawler(None, body)


def test_a_parser_is_made_of_a_body() -> None:
    """Bytes or text, as well as a file that is parsed already."""
    body = b"User-agent: *\nDisallow: /no\n"

    for each in (body, body.decode(), Robots1994Parser(body).robots):
        parser = Robots1994Parser(each)

        assert not parser.allowed(f"{HERE}/no", "rex")
        assert parser.robots.problems == ()


def crawl_with(settings: dict[str, str]) -> Any:
    """A crawler as the parser sees it; a real one would want a reactor."""
    return SimpleNamespace(settings=Settings(settings))


def test_it_is_a_robot_parser_of_scrapy() -> None:
    """Whatever takes a RobotParser takes ours."""
    assert isinstance(parse(b""), RobotParser)


def test_a_disallowed_path_is_not_allowed_and_any_other_is() -> None:
    """Scrapy's `test_allowed`: unknown fields next to a rule have no effect."""
    robots = parse(b"User-agent: * \nDisallow: /no \nAllow: /yes \nCrawl-delay: 10")

    assert robots.allowed(f"{HERE}/yes", "*")
    assert not robots.allowed(f"{HERE}/no", "*")


def test_disallow_applies_despite_a_later_allow() -> None:
    """Scrapy's `test_order_based_precedence` holds, as Allow is unknown (F6)."""
    robots = parse(b"User-agent: * \nDisallow: / \nAllow: /page")

    assert not robots.allowed(f"{HERE}/page", "*")


@pytest.mark.parametrize("body", [b"", b"GIF89a\xd3\x00\xfe\x00\xa2"])
def test_an_empty_file_and_garbage_hold_no_record(body: bytes) -> None:
    """Scrapy's `test_empty_response` and `test_garbage_response` (E1, O23)."""
    robots = parse(body)

    for robot in ("*", "chrome"):
        for path in ("/", "/index.html", "/no"):
            assert robots.allowed(HERE + path, robot)


def test_urls_and_robots_of_any_script() -> None:
    """Scrapy's `test_unicode_url_and_useragent`: O17, O18, names without case."""
    robots = parse(
        "User-agent: *\nDisallow: /sivu/J%C3%A4%C3%A4:\nDisallow: /sivu/Yö:\n\n"
        "User-agent: RöbÖt\nDisallow: /x".encode()
    )

    assert not robots.allowed(f"{HERE}/sivu/Jää:", "*")
    assert not robots.allowed(f"{HERE}/sivu/J%C3%A4%C3%A4:", "*")
    assert not robots.allowed(f"{HERE}/sivu/Y%C3%B6:", "*")
    assert robots.allowed(f"{HERE}/sivu/Jää:", "RöbÖt")
    assert not robots.allowed(f"{HERE}/x", "RÖBÖT")


def test_a_file_without_crawl_delay_has_none() -> None:
    """Scrapy's `test_crawl_delay_unset`."""
    assert parse(b"User-agent: *\nDisallow: /no\n").crawl_delay("*") is None


def test_1994_d1_contradicts_scrapys_wildcard_test() -> None:
    """`test_allowed_wildcards`: in 1994 `*` and `$` of a path are letters (D1)."""
    robots = parse(b"User-agent: first\nDisallow: /no/*/end$\n")

    assert robots.allowed(f"{HERE}/no/xyz/end", "first")
    assert not robots.allowed(f"{HERE}/no/*/end$", "first")


def test_1994_f6_contradicts_scrapys_longest_match_test() -> None:
    """`test_length_based_precedence`: no Allow in 1994, so none can win (F6)."""
    robots = parse(b"User-agent: * \nDisallow: / \nAllow: /page")

    assert not robots.allowed(f"{HERE}/page", "*")


def test_1994_f6_contradicts_scrapys_crawl_delay_test() -> None:
    """`test_crawl_delay`: an unknown field in 1994, so there is no delay (F6)."""
    robots = parse(b"User-agent: *\nDisallow: /no\nCrawl-delay: 10\n")

    assert robots.crawl_delay("*") is None


def test_bytes_are_taken_for_url_and_robot() -> None:
    """The interface passes text or bytes."""
    robots = parse(b"User-agent: robot\nDisallow: /no\n")

    assert not robots.allowed(f"{HERE}/no".encode(), b"Robot/2.0 (+http://x.test)")


def test_with_a_crawler_it_reads_by_the_crawls_settings() -> None:
    """READING and MAX_BYTES hold behind the built-in middleware too."""
    body = b"User-agent: *\n\nDisallow: /no\n"
    crawler = crawl_with({"ROBOTS1994_READING": "cautious"})

    assert not Robots1994Parser.from_crawler(crawler, body).allowed(f"{HERE}/no", "x")
    assert parse(body).allowed(f"{HERE}/no", "x")


def test_with_a_crawler_a_wrong_setting_is_refused() -> None:
    """The built-in makes a parser of b"" at start, so the crawl does not start."""
    crawler = crawl_with({"ROBOTS1994_READING": "bold"})

    with pytest.raises(SettingsError, match="ROBOTS1994_READING must be"):
        Robots1994Parser.from_crawler(crawler, b"")
