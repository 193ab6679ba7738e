"""A project and this package run from one egg, as in Scrapyd."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import scrapy_robots1994
from tests.support import egg_runner
from tests.support.project import Project, run
from tests.support.site import Site

PACKAGE = Path(scrapy_robots1994.__file__).parent
RUNNER = Path(egg_runner.__file__)
ENTRY = "[scrapy]\nsettings = walker.settings\n"


def test_deployed_project_obeys_robots_txt_by_the_package_in_its_archive(
    site: Site, tmp_path: Path
) -> None:
    """In an archive, the package cannot read files next to its modules."""
    project = Project.make(tmp_path, site)
    with (tmp_path / "walker" / "settings.py").open("a") as settings:
        settings.write(
            "import scrapy_robots1994\nBOT_NAME = scrapy_robots1994.__file__"
        )
    archive = tmp_path / "walker-1.0-py3.egg"
    with zipfile.ZipFile(archive, "w") as packed:
        for folder in (tmp_path / "walker", PACKAGE):
            for source in folder.rglob("*.py"):
                packed.write(source, source.relative_to(folder.parent))
        packed.writestr("EGG-INFO/entry_points.txt", ENTRY)
        named = "Metadata-Version: 2.1\nName: walker\nVersion: 1.0\n"
        packed.writestr("EGG-INFO/PKG-INFO", named)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    # Scrapyd lists the spiders of a project before accepting it.
    listed = run(RUNNER, archive, "list", folder=elsewhere)
    options = ("-a", f"base={project.site.url('')}", "-O", "-:jsonlines")
    result = run(RUNNER, archive, "crawl", "walk", *options, folder=elsewhere)

    assert (listed.code, listed.printed) == (0, "walk\n"), listed.log
    assert result.code == 0, result.log
    items = [json.loads(line)["url"] for line in result.printed.splitlines()]
    assert items == [site.url("/open")]
    assert f"bot: {archive}" in result.log
