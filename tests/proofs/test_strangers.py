"""The run of strangers, on a project that is written here: no network is needed."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.proofs.public_projects.__main__ import meet
from tests.proofs.public_projects.clones import changed
from tests.proofs.public_projects.errand import Errand, Stranger
from tests.proofs.public_projects.pages import html
from tests.proofs.public_projects.projects import STRANGERS
from tests.proofs.public_projects.visit import visit

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

ERRAND = Errand(
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
    """What git says to *words* in a folder."""
    known = ["-c", "user.name=Nobody", "-c", "user.email=nobody@site.test"]
    # Whoever signs all commits has no key for Nobody.
    known += ["-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", *known, *words], cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


def written(folder: Path, settings: str = SETTINGS) -> Stranger:
    """Write the project below *folder*, and commit it."""
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
    return Stranger("nobody/tiny", commit, "Spider", (ERRAND,))


def test_a_project_is_run_as_it_is_and_refused_what_is_closed(tmp_path: Path) -> None:
    """Over HTTP and HTTPS, of hosts that are not there; its clone stays as it was."""
    stranger = written(tmp_path)

    row, differs = meet(stranger, tmp_path)

    assert not differs
    assert row[3:] == ["walk", "5, 5", "3, 3", "2", "as promised"]
    assert not changed(stranger, tmp_path / "tiny")


def test_a_project_that_fetches_what_is_closed_differs(tmp_path: Path) -> None:
    """The run can fail: here the project says that it does not obey."""
    written(tmp_path, f"{SETTINGS}ROBOTSTXT_OBEY = False\n")

    made = visit(ERRAND, tmp_path / "tiny", closes=True)

    told = "\n".join(made.differs)
    assert f"walk: requests too many: {FRONT}closed/, {ELSEWHERE}closed/" in told
    assert f"walk: items too many: {FRONT}closed/, {ELSEWHERE}closed/" in told
    assert f"robots.txt missing: {FRONT}robots.txt, {ELSEWHERE}robots.txt" in told
    assert "robotstxt/forbidden is 0, not 2" in told
    assert f'does not say line 2, "Disallow: /closed" of {FRONT}closed/' in told


def test_a_clone_that_is_not_the_commit_is_told(tmp_path: Path) -> None:
    """Neither another commit nor a changed file passes for the project."""
    stranger = written(tmp_path)
    home = tmp_path / "tiny"

    (home / "more.py").touch()
    assert "more.py" in changed(stranger, home)

    git(home, "add", ".")
    git(home, "commit", "--quiet", "--message", "More")
    assert f"not at {stranger.commit}" in changed(stranger, home)


@pytest.mark.parametrize("stranger", STRANGERS, ids=lambda each: each.name)
def test_each_errand_has_something_open_and_something_closed(
    stranger: Stranger,
) -> None:
    """Else a run would show nothing; and all of its pages can be reached."""
    for errand in stranger.errands:
        whole, part = errand.due(closes=False), errand.due(closes=True)

        assert whole.fetched | whole.robots.keys() >= errand.pages.keys()
        assert not whole.refused
        assert part.refused
        assert part.items
