"""Where settings may come from: a spider, the command line, an add-on of a spider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.running.project import WHY, Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

ADDONS = {"ADDONS": {"scrapy_robots1994.Addon": 500}}
NONE = "\nADDONS = {}\n"


def fetched(project: Project, *options: str) -> list[str]:
    """The pages that a crawl with *options* fetched, sorted."""
    said = project.crawl(*options)
    assert "Traceback" not in said.log, said.log
    base = project.site.url("")
    lines = said.printed.splitlines()
    return sorted(json.loads(line)["url"].removeprefix(base) for line in lines)


def test_a_spider_brings_its_own_add_on(site: Site, tmp_path: Path) -> None:
    """`custom_settings` with ADDONS in a project that knows nothing of us."""
    project = Project.make(tmp_path, site, settings=NONE, custom=ADDONS)

    assert fetched(project) == ["/open"]


def test_the_command_line_brings_the_add_on(site: Site, tmp_path: Path) -> None:
    """`-s ADDONS=…`, as JSON, in a project that knows nothing of us."""
    project = Project.make(tmp_path, site, settings=NONE)

    assert fetched(project) == ["/open", "/private"]
    assert fetched(project, "-s", f"ADDONS={json.dumps(ADDONS['ADDONS'])}") == ["/open"]


@pytest.mark.parametrize("where", ["project", "spider", "command line"])
def test_obeying_is_switched_off_anywhere(
    where: str, site: Site, tmp_path: Path
) -> None:
    """ROBOTSTXT_OBEY = False of the user's own is not overruled."""
    settings = "\nROBOTSTXT_OBEY = False\n" if where == "project" else ""
    custom = {"ROBOTSTXT_OBEY": False} if where == "spider" else None
    options = ["-s", "ROBOTSTXT_OBEY=False"] if where == "command line" else []
    project = Project.make(tmp_path, site, settings=settings, custom=custom)

    assert fetched(project, *options) == ["/open", "/private"]
    assert "/robots.txt" not in site.targets()


def test_setting_with_higher_priority_wins(site: Site, tmp_path: Path) -> None:
    """The command line over the spider over the project, for our settings too.

    In each dialect the same file closes something else.
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


def test_a_wrong_setting_stops_the_crawl_with_a_sentence(
    site: Site, tmp_path: Path
) -> None:
    """From the command line, before any request."""
    project = Project.make(tmp_path, site)

    said = project.crawl("-s", "ROBOTS1994_TTL=soon")

    assert said.lines("ROBOTS1994_TTL must be a number of seconds")
    assert said.printed == ""
    assert site.targets() == []


def test_the_middleware_by_hand_needs_no_add_on(site: Site, tmp_path: Path) -> None:
    """The piece-by-piece form of the README."""
    by_hand = """
ADDONS = {}
ROBOTSTXT_OBEY = True
DOWNLOADER_MIDDLEWARES = {
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "scrapy_robots1994.Robots1994Middleware": 100,
}
"""
    project = Project.make(tmp_path, site, settings=by_hand)

    said = project.crawl()

    assert len(said.lines(WHY)) == 1
    assert "/private" not in site.targets()


def test_the_parser_alone_serves_the_built_in(site: Site, tmp_path: Path) -> None:
    """ROBOTSTXT_PARSER: the built-in middleware decides by our reading."""
    alone = """
ADDONS = {}
ROBOTSTXT_OBEY = True
ROBOTSTXT_PARSER = "scrapy_robots1994.Robots1994Parser"
CONCURRENT_REQUESTS = 1
"""
    project = Project.make(tmp_path, site, settings=alone)
    site.robots("User-agent: *\nAllow: /private\nDisallow: /private\n")

    assert fetched(project) == ["/open"]


def test_going_back_is_taking_the_line_out(site: Site, tmp_path: Path) -> None:
    """Without ADDONS the built-in is as it was; settings of ours that stay say nothing.

    The site allows what only the built-in's parser heeds, so its pages tell who asked.
    """
    left = """
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 1
ROBOTS1994_TTL = 3600
ROBOTS1994_STORE = "sqlite:///robots.db"
"""
    project = Project.make(tmp_path, site, settings=left)
    site.robots("User-agent: *\nAllow: /private\nDisallow: /private\n")

    with_us, without_us = project.crawl(), project.crawl("-s", "ADDONS={}")

    assert "/open" in with_us.printed
    assert "/private" not in with_us.printed
    assert "/private" in without_us.printed
    assert without_us.lines("robotstxt/response_count")
    assert "robots1994" not in without_us.log.replace("ROBOTS1994", "").lower()
    assert [path.name for path in tmp_path.rglob("*.db")] == ["robots.db"]
