"""A project and this package run from one egg, as in Scrapyd."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import scrapy_robots1994
from tests.support import egg_runner
from tests.support.project import CLOSED, SPIDER, run
from tests.support.site import Site

PACKAGE = Path(scrapy_robots1994.__file__).parent
RUNNER = Path(egg_runner.__file__)
SETTINGS = """
import scrapy_robots1994

BOT_NAME = scrapy_robots1994.__file__
SPIDER_MODULES = ["walker.spiders"]
ADDONS = {"scrapy_robots1994.Addon": 500}
ROBOTS1994_COMPARE = True
TELNETCONSOLE_ENABLED = False
"""
ENTRY = "[scrapy]\nsettings = walker.settings\n"


def test_deployed_project_obeys_robots_txt_by_the_package_in_its_archive(
    site: Site, tmp_path: Path
) -> None:
    """Inside an archive, the package cannot open files next to its modules."""
    site.robots(CLOSED)
    spiders = tmp_path / "walker" / "spiders"
    spiders.mkdir(parents=True)
    for folder in (tmp_path / "walker", spiders):
        (folder / "__init__.py").touch()
    (tmp_path / "walker" / "settings.py").write_text(SETTINGS)
    (spiders / "walk.py").write_text(SPIDER)
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
    options = ("-a", f"base={site.url('')}", "-O", "-:jsonlines")
    result = run(RUNNER, archive, "crawl", "walk", *options, folder=elsewhere)

    assert (listed.code, listed.out) == (0, "walk\n"), listed.err
    assert result.code == 0, result.err
    items = [json.loads(line)["url"] for line in result.out.splitlines()]
    assert items == [site.url("/open")]
    assert f"bot: {archive}" in result.err
    assert "robots.txt compared: the crawl of walk" in result.err
