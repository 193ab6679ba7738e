"""`scrapy shell`: a refusal is one readable line, and the shell goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.running.project import WHY, Project
from tests.support import replies

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

QUIETER = ("-s", "LOG_LEVEL=INFO")
"""Where a user who wants less of a log still has to learn why there is no page."""


@pytest.fixture
def project(tmp_path: Path, site: Site) -> Project:
    """A project whose site closes /private."""
    return Project.make(tmp_path, site)


def refusal(project: Project, path: str) -> str:
    """The line that a refusal of *path* is, without its time."""
    url = project.site.url(path)
    return f"[scrapy_robots1994] WARNING: Forbidden by robots.txt: <GET {url}>: {WHY}"


def assert_says_it_once(project: Project, log: str) -> None:
    """One line of the log says so, at WARNING; nothing else warns, no traceback."""
    assert len([line for line in log.splitlines() if "] WARNING: " in line]) == 1, log
    assert log.count(refusal(project, "/private")) == 1
    assert "Traceback" not in log


@pytest.mark.parametrize("level", [QUIETER, ()])
def test_a_refusal_is_one_line(project: Project, level: tuple[str, ...]) -> None:
    """With `-c`: no traceback, no response, and the request knows its verdict."""
    code = "print(response, '|', request.meta['robots1994'])"

    said = project.scrapy("shell", project.site.url("/private"), "-c", code, *level)

    assert said.printed.splitlines()[0] == f"None | {WHY}"
    assert len(said.lines(refusal(project, "/private"))) == 1
    if level:
        assert_says_it_once(project, said.log)
    assert project.site.targets() == ["/robots.txt"]


def test_shell_continues_after_a_refusal(project: Project) -> None:
    """`fetch()` typed in: refused with its line, then an open page, one robots.txt."""
    site = project.site
    typed = f"fetch({site.url('/private')!r})\nfetch({site.url('/open')!r})\nresponse\n"

    said = project.scrapy("shell", *QUIETER, typed=typed, SCRAPY_PYTHON_SHELL="python")

    assert site.targets() == ["/robots.txt", "/open"]
    assert f"<200 {site.url('/open')}>" in said.printed
    assert_says_it_once(project, said.log)


def test_a_redirect_to_a_closed_page_says_why(project: Project) -> None:
    """The page sent us on: the line names the page behind, and the rule."""
    project.site.answer("/moved", replies.redirect("/private"))
    moved = project.site.url("/moved")

    said = project.scrapy("shell", moved, *QUIETER, "-c", "response")

    assert said.printed.splitlines()[0] == "None"
    assert_says_it_once(project, said.log)
    assert project.site.targets() == ["/robots.txt", "/moved"]
