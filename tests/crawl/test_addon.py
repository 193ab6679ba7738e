"""The add-on replaces the built-in middleware, and respects the user's settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import Settings

from scrapy_robots1994 import Addon, Robots1994Middleware
from tests.support.crawl import BY_HAND, crawl
from tests.support.project import CLOSED, Project
from tests.support.site import Site

BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scrapy_robots1994.Robots1994Middleware"
# Scrapy accepts unknown names with the value None.
UNKNOWN: dict[object, int | None] = {"gone": None, "scrapy.gone": None, 5: None}


def changed(**settings: Any) -> Settings:
    found = Settings(settings, priority="project")
    Addon().update_settings(found)
    return found


class OwnMiddleware(RobotsTxtMiddleware):
    pass


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


def test_subclass_of_the_built_in_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """If the subclass is enabled too, each robots.txt is fetched twice."""
    settings = changed(DOWNLOADER_MIDDLEWARES={OwnMiddleware: 100})

    listed = settings.getdict("DOWNLOADER_MIDDLEWARES")
    assert listed[OwnMiddleware] == listed[Robots1994Middleware] == 100
    assert "test_addon.OwnMiddleware, a subclass of the built-in" in caplog.text
    caplog.clear()
    changed(DOWNLOADER_MIDDLEWARES={OwnMiddleware: None})
    assert not caplog.text


def test_dry_run_adds_neither_obedience_nor_a_spider_middleware() -> None:
    settings = changed(ROBOTS1994_DRY_RUN=True, ROBOTS1994_PAGES=True)

    assert not settings.getbool("ROBOTSTXT_OBEY")
    assert settings.getdict("SPIDER_MIDDLEWARES") == {}


def fetched(project: Project, *options: str) -> list[str]:
    result = project.crawl(*options)
    assert "Traceback" not in result.log, result.log
    base = project.site.url("")
    lines = result.printed.splitlines()
    return sorted(json.loads(line)["url"].removeprefix(base) for line in lines)


ADDONS = {"scrapy_robots1994.Addon": 500}
NONE = "\nADDONS = {}\n"


@pytest.mark.parametrize(
    ("settings", "custom", "options", "obeys"),
    [
        (NONE, {"ADDONS": ADDONS}, (), True),
        ("", {"ROBOTSTXT_OBEY": False}, (), False),
        (NONE, None, (), False),
        (NONE, None, ("-s", f"ADDONS={json.dumps(ADDONS)}"), True),
    ],
    ids=range(4),
)
def test_obeying_may_be_enabled_and_disabled(  # noqa: PLR0913 (the columns of a table)
    *,
    settings: str,
    custom: object,
    options: tuple[str, ...],
    obeys: bool,
    site: Site,
    tmp_path: Path,
) -> None:
    project = Project.make(tmp_path, site, settings=settings, custom=custom)

    assert fetched(project, *options) == ["/open"] + ["/private"] * (not obeys)
    assert ("/robots.txt" in site.targets()) is obeys


@pytest.mark.parametrize(
    "settings", [{"ADDONS": ADDONS}, BY_HAND], ids=["add-on", "by hand"]
)
def test_spider_that_disobeys_is_no_warning(
    site: Site, settings: dict[str, Any]
) -> None:
    site.robots(CLOSED)
    pages = [site.url("/open"), site.url("/private")]
    result = crawl(pages, middleware="off", settings=settings)

    assert result.fetched_urls == pages
    assert result.lines("WARNING") == []
    (line,) = result.lines("[scrapy_robots1994]")
    assert "INFO: This crawl obeys no robots.txt" in line
    assert "ROBOTSTXT_OBEY = True" in line


def test_parser_works_with_the_built_in(site: Site) -> None:
    site.robots("User-agent: *\nAllow: /private\nDisallow: /private\n")
    parser = {"ROBOTSTXT_PARSER": "scrapy_robots1994.Robots1994Parser"}
    pages = [site.url("/open"), site.url("/private")]
    result = crawl(
        pages, middleware="builtin", settings=parser | {"CONCURRENT_REQUESTS": 1}
    )

    assert (result.fetched_urls, result.failed_urls) == (pages[:1], pages[1:])
