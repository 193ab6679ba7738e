"""The add-on replaces the built-in middleware, and the user's settings win."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import Settings

from scrapy_robots1994 import Addon, Robots1994Middleware
from tests.support.project import WHY, Project
from tests.support.site import Site

BUILT_IN = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scrapy_robots1994.Robots1994Middleware"


def middlewares(settings: Settings) -> dict[object, int | None]:
    """Return DOWNLOADER_MIDDLEWARES as the add-on changes it."""
    Addon().update_settings(settings)
    return dict(settings.getdict("DOWNLOADER_MIDDLEWARES"))


@pytest.mark.parametrize(
    ("listed", "changed"),
    [
        ({}, {BUILT_IN: None, Robots1994Middleware: 100}),
        ({BUILT_IN: 543}, {BUILT_IN: None, Robots1994Middleware: 543}),
        ({RobotsTxtMiddleware: 543}, {BUILT_IN: None, Robots1994Middleware: 543}),
        ({OURS: 77}, {BUILT_IN: None, OURS: 77}),
    ],
    ids=["by default", "built-in by path", "built-in by class", "ours by hand"],
)
def test_ours_takes_the_place_of_the_built_in(
    listed: dict[object, int], changed: dict[object, int | None]
) -> None:
    """At its order, unless the user has listed ours."""
    assert middlewares(Settings({"DOWNLOADER_MIDDLEWARES": listed})) == changed


def test_stronger_setting_of_a_later_add_on_still_wins() -> None:
    """The setting stays at the priority that the user gave it."""
    settings = Settings({"DOWNLOADER_MIDDLEWARES": {OURS: 77}}, priority="project")
    Addon().update_settings(settings)
    settings.set("DOWNLOADER_MIDDLEWARES", {OURS: 78}, priority="spider")

    assert settings.getdict("DOWNLOADER_MIDDLEWARES") == {OURS: 78}


class OwnMiddleware(RobotsTxtMiddleware):
    """A subclass of the built-in, as a project may have."""


def test_subclass_of_the_built_in_is_warned_of(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It would fetch each robots.txt, too; a disabled one is ignored."""
    changed = middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OwnMiddleware: 100}}))

    assert changed[OwnMiddleware] == changed[Robots1994Middleware] == 100
    assert "test_addon.OwnMiddleware, a subclass of the built-in" in caplog.text
    caplog.clear()
    middlewares(Settings({"DOWNLOADER_MIDDLEWARES": {OwnMiddleware: None}}))
    assert not caplog.text


def test_robotstxt_obey_is_enabled_unless_the_user_disables_it() -> None:
    """The add-on overrides Scrapy's default, but not the setting of a project."""
    default, project = Settings(), Settings({"ROBOTSTXT_OBEY": False})
    for settings in (default, project):
        Addon().update_settings(settings)

    assert default.getbool("ROBOTSTXT_OBEY") is True
    assert project.getbool("ROBOTSTXT_OBEY") is False


ADDONS = {"ADDONS": {"scrapy_robots1994.Addon": 500}}
NONE = "\nADDONS = {}\n"


def fetched(project: Project, *options: str) -> list[str]:
    """Return the sorted pages that a crawl with *options* fetched."""
    result = project.crawl(*options)
    assert "Traceback" not in result.log, result.log
    base = project.site.url("")
    lines = result.printed.splitlines()
    return sorted(json.loads(line)["url"].removeprefix(base) for line in lines)


def test_spider_may_enable_the_add_on(site: Site, tmp_path: Path) -> None:
    """`custom_settings` may have ADDONS in a project without the add-on."""
    project = Project.make(tmp_path, site, settings=NONE, custom=ADDONS)

    assert fetched(project) == ["/open"]


@pytest.mark.long
def test_command_line_may_enable_the_add_on(site: Site, tmp_path: Path) -> None:
    """`-s ADDONS=…` works as JSON in a project without the add-on."""
    project = Project.make(tmp_path, site, settings=NONE)

    assert fetched(project) == ["/open", "/private"]
    assert fetched(project, "-s", f"ADDONS={json.dumps(ADDONS['ADDONS'])}") == ["/open"]


def test_obeying_may_be_disabled_by_a_spider(site: Site, tmp_path: Path) -> None:
    """The add-on does not override the user's ROBOTSTXT_OBEY = False."""
    project = Project.make(tmp_path, site, custom={"ROBOTSTXT_OBEY": False})

    assert fetched(project) == ["/open", "/private"]
    assert "/robots.txt" not in site.targets()


@pytest.mark.long
def test_setting_with_higher_priority_wins(site: Site, tmp_path: Path) -> None:
    """The command line wins over the spider, and the spider over the project.

    In each dialect the same file disallows other pages.
    """
    says = "ROBOTS1994_DIALECT"
    project = f'\n{says} = "revisited"\n'
    plain = Project.make(tmp_path / "plain", site, settings=project)
    stronger = Project.make(
        tmp_path / "stronger", site, settings=project, custom={says: "1994"}
    )
    site.robots(
        "User-agent: *\nAllow: /private\nDisallow: /private\nDisallow: /open /\n"
    )

    assert fetched(plain) == []
    assert fetched(stronger) == ["/open"]
    assert fetched(stronger, "-s", f"{says}=extended") == ["/open", "/private"]


def test_middleware_works_without_the_add_on(site: Site, tmp_path: Path) -> None:
    """The settings are those of the README for the middleware alone."""
    by_hand = """
ADDONS = {}
ROBOTSTXT_OBEY = True
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy_robots1994.Robots1994Middleware": 100,
}
"""
    project = Project.make(tmp_path, site, settings=by_hand)

    result = project.crawl()

    assert len(result.lines(WHY)) == 1
    assert "/private" not in site.targets()


def test_parser_works_with_the_built_in(site: Site, tmp_path: Path) -> None:
    """With ROBOTSTXT_PARSER, the built-in middleware decides by our parser."""
    alone = """
ADDONS = {}
ROBOTSTXT_OBEY = True
ROBOTSTXT_PARSER = "scrapy_robots1994.Robots1994Parser"
CONCURRENT_REQUESTS = 1
"""
    project = Project.make(tmp_path, site, settings=alone)
    site.robots("User-agent: *\nAllow: /private\nDisallow: /private\n")

    assert fetched(project) == ["/open"]
