"""The commands of Scrapy: each refuses what robots.txt disallows, and says why."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import pytest

from tests.running.project import REFUSAL, WHY, Project

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site


@pytest.fixture
def project(tmp_path: Path, site: Site) -> Project:
    """A project whose site closes /private."""
    return Project.make(tmp_path, site)


def test_crawl_fetches_the_open_page_alone(project: Project) -> None:
    """`scrapy crawl`: one item, one refusal with its line, the page never asked for."""
    said = project.crawl()

    items = [json.loads(line) for line in said.printed.splitlines()]
    assert [item["url"] for item in items] == [project.site.url("/open")]
    assert project.site.targets() == ["/robots.txt", "/open"]
    assert len(said.lines(f"/private>: {WHY}")) == 1


def test_runspider_needs_no_project(project: Project, tmp_path: Path) -> None:
    """`scrapy runspider` with the add-on from the command line, outside a project."""
    away = tmp_path / "away"
    away.mkdir()
    spider = (tmp_path / "walker" / "spiders" / "walk.py").rename(away / "walk.py")
    (tmp_path / "scrapy.cfg").unlink()
    base = f"base={project.site.url('')}"
    addon = 'ADDONS={"scrapy_robots1994.Addon": 500}'

    said = project.scrapy("runspider", str(spider), "-a", base, "-s", addon)

    assert project.site.targets() == ["/robots.txt", "/open"]
    assert len(said.lines(f"/private>: {WHY}")) == 1


@pytest.mark.parametrize("command", ["fetch", "view"])
def test_fetch_and_view_show_the_open_page_alone(
    command: str, project: Project
) -> None:
    """`scrapy fetch` and `scrapy view`: of a closed page one readable line, no more.

    `view` opens a copy of an open page, in a browser that prints where it is.
    """
    site = project.site

    closed = project.scrapy(command, site.url("/private"), BROWSER="echo %s")
    targets = site.targets()
    site.forget()
    opened = project.scrapy(command, site.url("/open"), BROWSER="echo %s")

    assert closed.printed == ""
    assert len(closed.lines(f"/private>: {WHY}")) == 1
    assert "Traceback" not in closed.log
    assert targets == ["/robots.txt"]
    shown = "<title>" if command == "fetch" else ".html"
    assert shown in opened.printed
    assert not opened.lines("Forbidden")
    assert site.targets() == ["/robots.txt", "/open"]


def test_parse_says_why_there_is_no_response(project: Project) -> None:
    """`scrapy parse`: no item; the log has the refusal before Scrapy's own error."""
    url = project.site.url("/private")

    said = project.scrapy("parse", url, "--spider", "walk")

    (refused,) = said.lines(f"/private>: {WHY}")
    (error,) = said.lines(f"No response downloaded for: {url}")
    assert said.log.index(refused) < said.log.index(error)
    assert "'url'" not in said.printed
    assert "Traceback" not in said.log
    assert project.site.targets() == ["/robots.txt"]


def test_parse_shows_the_item_of_an_open_page(project: Project) -> None:
    """`scrapy parse`: what the spider finds, after one robots.txt."""
    url = project.site.url("/open")

    said = project.scrapy("parse", url, "--spider", "walk", "--nocolour")

    assert f"'url': '{url}'" in said.printed
    assert not said.lines("Forbidden")
    assert project.site.targets() == ["/robots.txt", "/open"]


def test_check_fails_a_contract_with_the_reason(project: Project) -> None:
    """`scrapy check`: a contract on a closed URL fails and names the line."""
    said = project.scrapy("check", "walk")

    assert len(said.lines(f"ForbiddenByRobots: {REFUSAL}")) == 1
    assert said.code == 1
    assert project.site.targets() == ["/robots.txt"]


def test_check_passes_a_contract_of_an_open_page(project: Project) -> None:
    """`scrapy check`: the same contract, once the robots.txt closes nothing."""
    project.site.robots("User-agent: *\nDisallow:\n")

    said = project.scrapy("check", "walk")

    assert said.log.rstrip().endswith("OK")
    assert said.code == 0
    assert project.site.targets() == ["/robots.txt", "/private"]


def test_bench_runs_with_the_add_on(project: Project) -> None:
    """`scrapy bench`: its own server has no robots.txt to obey, and is crawled."""
    said = project.scrapy(
        "bench", "-s", "CLOSESPIDER_PAGECOUNT=20", "-s", "CLOSESPIDER_TIMEOUT=60"
    )

    assert said.lines("robots1994/outcome/parsed")
    assert said.lines("'finish_reason': 'closespider_pagecount'")
    assert not said.lines("robotstxt/forbidden")
    assert "Traceback" not in said.log


def test_a_command_of_another_kind_loads_nothing_of_the_crawl() -> None:
    """Scrapy loads the commands of all packages, whichever it runs."""
    names = [it.value for it in entry_points(group="scrapy.commands")]
    ours = sorted({it.partition(":")[0] for it in names if "robots1994" in it})
    script = f"import sys, {', '.join(ours)}\nprint(*sys.modules, sep='\\n')"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True)

    assert len(ours) == 4
    assert set(ours) < set(loaded.split())
    assert "scrapy_robots1994.crawl" not in loaded.split()


def test_commands_without_a_crawl_stay_as_they_are(project: Project) -> None:
    """`scrapy list` and `scrapy settings` request no robots.txt."""
    assert project.scrapy("list").printed == "walk\n"
    assert project.scrapy("settings", "--get", "BOT_NAME").printed == "walker\n"
    assert project.site.targets() == []
