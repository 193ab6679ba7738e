"""Scrapy's own commands refuse disallowed pages, and say why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.project import REFUSAL, WHY, Project
from tests.support.site import Site


@pytest.fixture
def project(tmp_path: Path, site: Site) -> Project:
    return Project.make(tmp_path, site)


@pytest.mark.parametrize("command", ["fetch", "view"])
def test_fetch_and_view_show_only_the_allowed_page(
    command: str, project: Project
) -> None:
    """`echo` replaces the browser of `scrapy view`, and prints the path of the page's copy."""
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


def test_parse_logs_why_there_is_no_response(project: Project) -> None:
    url = project.site.url("/private")

    result = project.scrapy("parse", url, "--spider", "walk")

    (refused,) = result.lines(f"/private>: {WHY}")
    (error,) = result.lines(f"No response downloaded for: {url}")
    assert result.log.index(refused) < result.log.index(error)
    assert "'url'" not in result.printed
    assert "Traceback" not in result.log
    assert project.site.targets() == ["/robots.txt"]


def test_check_fails_a_contract_with_the_reason(project: Project) -> None:
    result = project.scrapy("check", "walk")

    assert len(result.lines(f"ForbiddenByRobots: {REFUSAL}")) == 1
    assert result.code == 1
    assert project.site.targets() == ["/robots.txt"]


def test_wrong_setting_is_one_line_without_a_traceback(project: Project) -> None:
    """Older versions of Scrapy log a traceback, because they do not run the crawl as a task."""
    result = project.scrapy("crawl", "walk", "-s", "ROBOTS1994_DIALET=rfc9309")

    assert result.code == 1
    (line,) = (it for it in result.log.splitlines() if "] CRITICAL: " in it)
    assert line.endswith("did you mean ROBOTS1994_DIALECT?")
    is_task = "Using AsyncCrawlerProcess" in result.log
    assert ("Traceback" in result.log) is not is_task
    assert project.site.targets() == []


QUIETER = ("-s", "LOG_LEVEL=INFO")
"""Even at INFO, users must see why there is no page."""


def assert_logged_once(project: Project, log: str) -> None:
    where = f"<GET {project.site.url('/private')}>"
    (line,) = (line for line in log.splitlines() if "] WARNING: " in line)
    assert line.partition("[scrapy_robots1994] ")[2] == (
        f"WARNING: Forbidden by robots.txt: {where}: {WHY}"
    )
    assert "Traceback" not in log


def test_shell_shows_the_verdict(project: Project) -> None:
    """A shell creates the spider, whose name is in paths, after the middlewares."""
    code = "print(response, '|', request.meta['robots1994'])"
    url = project.site.url("/private")
    paths = "ROBOTS1994_EVIDENCE=%(name)s", "ROBOTS1994_COMPARE_REPORT=%(name)s.html"
    options = *QUIETER, "-s", paths[0], "-s", paths[1], "-s", "ROBOTS1994_COMPARE=True"

    result = project.scrapy("shell", url, "-c", code, *options)

    written = sorted(it.name for it in project.folder.glob("default*"))
    assert written == ["default", "default.html"]
    assert result.printed.splitlines()[0] == f"None | {WHY}"
    assert_logged_once(project, result.log)
    assert project.site.targets() == ["/robots.txt"]


def test_shell_continues_after_a_refusal(project: Project) -> None:
    site = project.site
    typed = f"fetch({site.url('/private')!r})\nfetch({site.url('/open')!r})\nresponse\n"

    result = project.scrapy(
        "shell", *QUIETER, typed=typed, SCRAPY_PYTHON_SHELL="python"
    )

    assert site.targets() == ["/robots.txt", "/open"]
    assert f"<200 {site.url('/open')}>" in result.printed
    assert_logged_once(project, result.log)
