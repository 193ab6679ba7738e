"""`scrapy shell`: a refusal is one readable line, and the shell continues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.running.project import WHY, Project
from tests.support import replies

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.site import Site

QUIETER = ("-s", "LOG_LEVEL=INFO")
"""A level at which a user must still see why there is no page."""


@pytest.fixture
def project(tmp_path: Path, site: Site) -> Project:
    """Return a project whose site disallows /private."""
    return Project.make(tmp_path, site)


def refusal(project: Project, path: str) -> str:
    """Return the log line of a refusal of *path*, without its time."""
    url = project.site.url(path)
    return f"[scrapy_robots1994] WARNING: Forbidden by robots.txt: <GET {url}>: {WHY}"


def assert_logged_once(project: Project, log: str) -> None:
    """Assert that the refusal is the only warning in the log, without a traceback."""
    assert len([line for line in log.splitlines() if "] WARNING: " in line]) == 1, log
    assert log.count(refusal(project, "/private")) == 1
    assert "Traceback" not in log


@pytest.mark.parametrize("level", [QUIETER, ()])
def test_refusal_is_one_line(project: Project, level: tuple[str, ...]) -> None:
    """With `-c`, there is no response, and the verdict is in the meta of the request."""
    code = "print(response, '|', request.meta['robots1994'])"

    result = project.scrapy("shell", project.site.url("/private"), "-c", code, *level)

    assert result.printed.splitlines()[0] == f"None | {WHY}"
    assert len(result.lines(refusal(project, "/private"))) == 1
    if level:
        assert_logged_once(project, result.log)
    assert project.site.targets() == ["/robots.txt"]


def test_shell_continues_after_a_refusal(project: Project) -> None:
    """After a refused `fetch()`, an allowed one works, with one robots.txt."""
    site = project.site
    typed = f"fetch({site.url('/private')!r})\nfetch({site.url('/open')!r})\nresponse\n"

    result = project.scrapy(
        "shell", *QUIETER, typed=typed, SCRAPY_PYTHON_SHELL="python"
    )

    assert site.targets() == ["/robots.txt", "/open"]
    assert f"<200 {site.url('/open')}>" in result.printed
    assert_logged_once(project, result.log)


def test_redirect_to_a_disallowed_page_is_logged(project: Project) -> None:
    """The line names the target of the redirect, and the rule."""
    project.site.answer("/moved", replies.redirect("/private"))
    moved = project.site.url("/moved")

    result = project.scrapy("shell", moved, *QUIETER, "-c", "response")

    assert result.printed.splitlines()[0] == "None"
    assert_logged_once(project, result.log)
    assert project.site.targets() == ["/robots.txt", "/moved"]
