"""The add-on replaces the built-in middleware and respects the user's settings."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import Settings

from scrapy_robots1994 import Addon, Robots1994Middleware
from tests.support.crawl import crawl
from tests.support.site import Site

BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scrapy_robots1994.Robots1994Middleware"
# Scrapy ignores components whose value is None, even if they do not exist.
UNKNOWN: dict[object, int | None] = {"gone": None, "scrapy.gone": None, 5: None}


def changed(**settings: Any) -> Settings:
    found = Settings(settings, priority="project")
    Addon().update_settings(found)
    return found


class Inheriting(Robots1994Middleware):
    pass


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ({}, {BUILT_IN: None, Robots1994Middleware: 100}),
        ({BUILT_IN: 543}, {BUILT_IN: None, Robots1994Middleware: 543}),
        ({RobotsTxtMiddleware: 543}, {BUILT_IN: None, Robots1994Middleware: 543}),
        ({BUILT_IN: 0}, {BUILT_IN: None, Robots1994Middleware: 0}),
        ({OURS: 77}, {BUILT_IN: None, OURS: 77}),
        ({OURS: None, BUILT_IN: 77}, {OURS: None, BUILT_IN: 77}),
        ({Inheriting: 77}, {BUILT_IN: None, Inheriting: 77}),
        (UNKNOWN, UNKNOWN | {BUILT_IN: None, Robots1994Middleware: 100}),
    ],
    ids=[
        *("by default", "by path", "by class", "order 0"),
        *("ours by hand", "ours off", "a subclass of ours", "unknown"),
    ],
)
def test_ours_takes_the_place_of_the_built_in(
    listed: dict[object, int | None], expected: dict[object, int | None]
) -> None:
    settings = changed(DOWNLOADER_MIDDLEWARES=listed)
    assert settings.getdict("DOWNLOADER_MIDDLEWARES") == expected
    settings.set("DOWNLOADER_MIDDLEWARES", {OURS: 78}, priority="spider")

    assert settings.getdict("DOWNLOADER_MIDDLEWARES") == {OURS: 78}


def test_dry_run_adds_neither_obedience_nor_a_spider_middleware() -> None:
    settings = changed(ROBOTS1994_DRY_RUN=True, ROBOTS1994_PAGES=True)

    assert not settings.getbool("ROBOTSTXT_OBEY")
    assert settings.getdict("SPIDER_MIDDLEWARES") == {}


def test_parser_works_with_the_built_in(site: Site) -> None:
    site.robots("User-agent: *\nAllow: /private\nDisallow: /private\n")
    parser = {"ROBOTSTXT_PARSER": "scrapy_robots1994.Robots1994Parser"}
    pages = [site.url("/open"), site.url("/private")]
    result = crawl(
        pages, middleware="builtin", settings=parser | {"CONCURRENT_REQUESTS": 1}
    )

    assert (result.fetched_urls, result.failed_urls) == (pages[:1], pages[1:])
