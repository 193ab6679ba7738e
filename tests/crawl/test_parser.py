"""Robots1994Parser behind Scrapy's parser interface."""

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
