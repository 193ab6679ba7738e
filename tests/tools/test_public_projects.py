"""Tests of the check of public projects, with a project that the test writes."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tools.proofs.public_projects.__main__ import check_project
from tools.proofs.public_projects.clones import changed
from tools.proofs.public_projects.crawl import crawl
from tools.proofs.public_projects.pages import html
from tools.proofs.public_projects.projects import PROJECTS
from tools.proofs.public_projects.spider_run import PublicProject, SpiderRun

if TYPE_CHECKING:
    from pathlib import Path

FRONT = "http://somewhere.example/"
ELSEWHERE = "https://elsewhere.example/"

SETTINGS = 'BOT_NAME = "tiny"\nSPIDER_MODULES = ["tiny.spiders"]\n'

SPIDER = """
import scrapy


class Walk(scrapy.Spider):
    name = "walk"
    start_urls = ["http://somewhere.example/"]

    def parse(self, response):
        yield {"seen": response.url}
        yield from response.follow_all(css="a")
"""

LINKS = ("/closed/", "/open/", f"{ELSEWHERE}open/", f"{ELSEWHERE}closed/")

SPIDER_RUN = SpiderRun(
    "walk",
    (FRONT,),
    {
        FRONT: html(
            "".join(f'<a href="{link}">there</a>' for link in LINKS),
            *LINKS,
            items=[FRONT],
        )
    }
    | {
        url: html("", items=[url])
        for site in (FRONT, ELSEWHERE)
        for url in (f"{site}open/", f"{site}closed/")
    },
    "/closed",
    "seen",
)


def git(folder: Path, *words: str) -> str:
    """Run `git` with *words* in a folder."""
    options = ["-c", "user.name=Tester", "-c", "user.email=tester@site.test"]
    # The user's own configuration may require signed commits.
    options += ["-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *options, *words],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()


def write_project(folder: Path, settings: str = SETTINGS) -> PublicProject:
    """Write a project below *folder*, and commit it."""
    spiders = folder / "tiny" / "tiny" / "spiders"
    spiders.mkdir(parents=True)
    home = folder / "tiny"
    (home / "scrapy.cfg").write_text("[settings]\ndefault = tiny.settings\n")
    (home / "tiny" / "__init__.py").touch()
    (home / "tiny" / "settings.py").write_text(settings)
    (spiders / "__init__.py").touch()
    (spiders / "walk.py").write_text(SPIDER)
    git(home, "init", "--quiet")
    git(home, "add", ".")
    git(home, "commit", "--quiet", "--message", "A tiny project")
    commit = git(home, "rev-parse", "HEAD")
    return PublicProject("tester/tiny", commit, "Spider", (SPIDER_RUN,))


def test_unmodified_project_is_refused_the_disallowed_paths(tmp_path: Path) -> None:
    """Over HTTP and HTTPS, for hosts that do not exist; its clone is not changed."""
    project = write_project(tmp_path)

    row, differs = check_project(project, tmp_path)

    assert not differs
    assert row[3:] == ["walk", "5, 5", "3, 3", "2", "as promised"]
    assert not changed(project, tmp_path / "tiny")


def test_project_that_fetches_disallowed_paths_is_reported(tmp_path: Path) -> None:
    """The project sets `ROBOTSTXT_OBEY = False`, and the check reports it."""
    write_project(tmp_path, f"{SETTINGS}ROBOTSTXT_OBEY = False\n")

    result = crawl(SPIDER_RUN, tmp_path / "tiny", disallows=True)

    report = "\n".join(result.differs)
    assert f"walk: requests too many: {FRONT}closed/, {ELSEWHERE}closed/" in report
    assert f"walk: items too many: {FRONT}closed/, {ELSEWHERE}closed/" in report
    assert f"robots.txt missing: {FRONT}robots.txt, {ELSEWHERE}robots.txt" in report
    assert "robotstxt/forbidden is 0, not 2" in report
    assert f'does not say line 2, "Disallow: /closed" of {FRONT}closed/' in report


def test_clone_that_differs_from_the_commit_is_reported(tmp_path: Path) -> None:
    """Both another commit and a changed file are reported."""
    project = write_project(tmp_path)
    home = tmp_path / "tiny"

    (home / "more.py").touch()
    assert "more.py" in changed(project, home)

    git(home, "add", ".")
    git(home, "commit", "--quiet", "--message", "More")
    assert f"not at {project.commit}" in changed(project, home)


@pytest.mark.parametrize("project", PROJECTS, ids=lambda each: each.name)
def test_each_run_has_permitted_and_disallowed_pages(
    project: PublicProject,
) -> None:
    """Otherwise a run would prove nothing; all of its pages can be reached."""
    for run in project.runs:
        whole, part = run.expected(disallows=False), run.expected(disallows=True)

        assert whole.fetched | whole.robots.keys() >= run.pages.keys()
        assert not whole.refused
        assert part.refused
        assert part.items
