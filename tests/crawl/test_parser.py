"""Robots1994Parser behind Scrapy's parser interface.

Scrapy's own tests of that interface (tests/test_robotstxt_interface.py) check eight
properties of a parser. Five of them apply here, too. Three contradict the standard of
1994, each because of the clause named in its test.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scrapy.settings import Settings

from scrapy_robots1994 import Robots1994Parser, SettingsError

HERE = "https://www.site.test"


def parse(body: bytes) -> Robots1994Parser:
    """Return a parser without a crawler, as Scrapy's interface tests make it."""
    return Robots1994Parser.from_crawler(None, body)


def test_parser_accepts_bytes_text_and_parsed_files() -> None:
    """The constructor takes any of the three."""
    body = b"User-agent: *\nDisallow: /no\n"

    for each in (body, body.decode(), Robots1994Parser(body).robots):
        parser = Robots1994Parser(each)

        assert not parser.allowed(f"{HERE}/no", "rex")
        assert parser.robots.problems == ()


def crawl_with(settings: dict[str, str]) -> Any:
    """Return an object with the settings; a real crawler would need a reactor."""
    return SimpleNamespace(settings=Settings(settings))


def test_only_disallowed_paths_are_not_allowed() -> None:
    """Scrapy's `test_allowed`: unknown fields next to a rule have no effect."""
    robots = parse(b"User-agent: * \nDisallow: /no \nAllow: /yes \nCrawl-delay: 10")

    assert robots.allowed(f"{HERE}/yes", "*")
    assert not robots.allowed(f"{HERE}/no", "*")


def test_disallow_applies_despite_a_later_allow() -> None:
    """Scrapy's `test_order_based_precedence` passes, as Allow is unknown (F6)."""
    robots = parse(b"User-agent: * \nDisallow: / \nAllow: /page")

    assert not robots.allowed(f"{HERE}/page", "*")


@pytest.mark.parametrize("body", [b"", b"GIF89a\xd3\x00\xfe\x00\xa2"])
def test_empty_file_and_garbage_have_no_records(body: bytes) -> None:
    """Scrapy's `test_empty_response` and `test_garbage_response` (E1, O23)."""
    robots = parse(body)

    for robot in ("*", "chrome"):
        for path in ("/", "/index.html", "/no"):
            assert robots.allowed(HERE + path, robot)


def test_1994_d1_contradicts_scrapys_wildcard_test() -> None:
    """`test_allowed_wildcards`: in 1994 `*` and `$` of a path are literal (D1)."""
    robots = parse(b"User-agent: first\nDisallow: /no/*/end$\n")

    assert robots.allowed(f"{HERE}/no/xyz/end", "first")
    assert not robots.allowed(f"{HERE}/no/*/end$", "first")


def test_1994_f6_contradicts_scrapys_crawl_delay_test() -> None:
    """`test_crawl_delay`: an unknown field in 1994, so there is no delay (F6)."""
    robots = parse(b"User-agent: *\nDisallow: /no\nCrawl-delay: 10\n")

    assert robots.crawl_delay("*") is None


def test_url_and_robot_may_be_bytes() -> None:
    """The interface passes text or bytes."""
    robots = parse(b"User-agent: robot\nDisallow: /no\n")

    assert not robots.allowed(f"{HERE}/no".encode(), b"Robot/2.0 (+http://x.test)")


def test_settings_of_the_crawler_apply() -> None:
    """ROBOTS1994_READING applies behind the built-in middleware, too."""
    body = b"User-agent: *\n\nDisallow: /no\n"
    crawler = crawl_with({"ROBOTS1994_READING": "cautious"})

    assert not Robots1994Parser.from_crawler(crawler, body).allowed(f"{HERE}/no", "x")
    assert parse(body).allowed(f"{HERE}/no", "x")


def test_invalid_setting_of_the_crawler_is_an_error() -> None:
    """The built-in makes a parser of b"" at the start, so the crawl does not start."""
    crawler = crawl_with({"ROBOTS1994_READING": "bold"})

    with pytest.raises(SettingsError, match="ROBOTS1994_READING must be"):
        Robots1994Parser.from_crawler(crawler, b"")
