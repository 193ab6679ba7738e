"""The commands of Scrapy: each refuses what robots.txt disallows, and says why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ways.project import REFUSAL, WHY, Project

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
    assert sorted(project.site.targets()) == ["/open", "/robots.txt"]
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

    assert sorted(project.site.targets()) == ["/open", "/robots.txt"]
    assert len(said.lines(f"/private>: {WHY}")) == 1


def test_shell_says_a_refusal_in_one_line(project: Project) -> None:
    """`scrapy shell`: no traceback, no response, and the request knows its verdict."""
    code = "print(response, '|', request.meta['robots1994'])"

    said = project.scrapy("shell", project.site.url("/private"), "-c", code)

    assert said.printed.splitlines()[0] == f"None | {WHY}"
    assert len(said.lines(f"/private>: {WHY}")) == 1
    assert "Traceback" not in said.log
    assert project.site.targets() == ["/robots.txt"]


def test_shell_goes_on_after_a_refusal(project: Project) -> None:
    """`fetch()` typed in the shell: refused, then an open page, with one robots.txt."""
    site = project.site
    typed = f"fetch({site.url('/private')!r})\nfetch({site.url('/open')!r})\nresponse\n"

    said = project.scrapy("shell", typed=typed, SCRAPY_PYTHON_SHELL="python")

    assert site.targets() == ["/robots.txt", "/open"]
    assert f"<200 {site.url('/open')}>" in said.printed
    assert "Traceback" not in said.log


def test_fetch_and_view_of_a_closed_page_print_nothing(project: Project) -> None:
    """`scrapy fetch` and `scrapy view`: no page, one readable line each."""
    for command in ("fetch", "view"):
        said = project.scrapy(command, project.site.url("/private"))

        assert said.printed == ""
        assert len(said.lines(f"/private>: {WHY}")) == 1
        assert "Traceback" not in said.log
    assert set(project.site.targets()) == {"/robots.txt"}


def test_parse_says_why_there_is_no_response(project: Project) -> None:
    """`scrapy parse`: no item; the log has the refusal before Scrapy's own error."""
    said = project.scrapy("parse", project.site.url("/private"), "--spider", "walk")

    assert len(said.lines(f"/private>: {WHY}")) == 1
    assert "Traceback" not in said.log
    assert project.site.targets() == ["/robots.txt"]


def test_check_fails_a_contract_with_the_reason(project: Project) -> None:
    """`scrapy check`: a contract on a closed URL fails and names the line."""
    said = project.scrapy("check", "walk")

    assert len(said.lines(f"ForbiddenByRobots: {REFUSAL}")) == 1
    assert said.code == 1
    assert project.site.targets() == ["/robots.txt"]


def test_bench_runs_with_the_add_on(project: Project) -> None:
    """`scrapy bench`: its own server has no robots.txt to obey, and is crawled."""
    said = project.scrapy(
        "bench", "-s", "CLOSESPIDER_PAGECOUNT=20", "-s", "CLOSESPIDER_TIMEOUT=5"
    )

    assert said.lines("robots1994/outcome/parsed")
    assert not said.lines("robotstxt/forbidden")
    assert "Traceback" not in said.log


def test_commands_without_a_crawl_stay_as_they_are(project: Project) -> None:
    """`scrapy list` and `scrapy settings` ask nobody for a robots.txt."""
    assert project.scrapy("list").printed == "walk\n"
    assert project.scrapy("settings", "--get", "BOT_NAME").printed == "walker\n"
    assert project.site.targets() == []
