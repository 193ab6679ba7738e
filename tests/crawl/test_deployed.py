"""Projects deployed as an egg or a wheel, and run from the archive as by Scrapyd."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import scrapy_robots1994
from tests.support.project import WHY, Project, run

if TYPE_CHECKING:
    from tests.support.site import Site

PACKAGE = Path(scrapy_robots1994.__file__).parent
ENTRY = "[scrapy]\nsettings = walker.settings\n"

# What Scrapyd's runner does: the egg goes first on the path, its `scrapy` entry point
# names the settings, and Scrapy's command line takes over.
RUNNER = """
import sys
from importlib.metadata import distribution
from os import environ

egg, *command = sys.argv[1:]
sys.path.insert(0, egg)
found = [point for point in distribution("walker").entry_points
         if point.group == "scrapy" and point.name == "settings"]
environ["SCRAPY_SETTINGS_MODULE"] = found[0].value
from scrapy.cmdline import execute
execute(["scrapy", *command])
"""


def pack(project: Project, kind: str, *, with_us: bool = False) -> Path:
    """Return the project as an archive; *with_us* adds our package to it."""
    folder = "EGG-INFO" if kind == "egg" else "walker-1.0.dist-info"
    about = "PKG-INFO" if kind == "egg" else "METADATA"
    archive = project.folder / f"walker-1.0-py3.{kind}"
    with zipfile.ZipFile(archive, "w") as packed:
        for source in (project.folder / "walker").rglob("*.py"):
            packed.write(source, source.relative_to(project.folder))
        for source in PACKAGE.rglob("*.py") if with_us else ():
            packed.write(source, source.relative_to(PACKAGE.parent))
        packed.writestr(f"{folder}/entry_points.txt", ENTRY)
        named = "Metadata-Version: 2.1\nName: walker\nVersion: 1.0\n"
        packed.writestr(f"{folder}/{about}", named)
    return archive


def deploy(folder: Path, archive: Path, *command: str) -> tuple[list[str], str]:
    """Return the URLs of the items of a deployed spider, and the log.

    Scrapyd accepts a project only after listing its spiders, so this lists them, too.
    """
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "runner.py").write_text(RUNNER)
    listed = run("runner.py", archive, "list", folder=elsewhere)
    assert (listed.code, listed.printed) == (0, "walk\n"), listed.log
    result = run("runner.py", archive, *command, "-O", "-:jsonlines", folder=elsewhere)
    assert result.code == 0, result.log
    return [json.loads(line)["url"] for line in result.printed.splitlines()], result.log


@pytest.mark.parametrize("kind", ["egg", "whl"])
def test_deployed_project_obeys_robots_txt(
    kind: str, site: Site, tmp_path: Path
) -> None:
    """The add-on works in the settings of a project that is only an archive."""
    project = Project.make(tmp_path / "source", site)
    archive = pack(project, kind).rename(tmp_path / f"walker-1.0-py3.{kind}")
    base = f"base={site.url('')}"

    items, log = deploy(tmp_path, archive, "crawl", "walk", "-a", base)

    assert items == [site.url("/open")]
    assert log.count(WHY) == 1


def test_archive_may_contain_our_package(site: Site, tmp_path: Path) -> None:
    """The package works in a zip archive: it reads no file next to its modules."""
    project = Project.make(tmp_path, site)
    with (tmp_path / "walker" / "settings.py").open("a") as settings:
        settings.write(
            "import scrapy_robots1994\nBOT_NAME = scrapy_robots1994.__file__"
        )
    archive = pack(project, "egg", with_us=True)
    base = f"base={site.url('')}"

    items, log = deploy(tmp_path, archive, "crawl", "walk", "-a", base)

    assert items == [site.url("/open")]
    assert f"bot: {archive}" in log
