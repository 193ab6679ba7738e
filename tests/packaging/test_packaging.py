"""The released files have what they should, and their metadata describe it."""

from __future__ import annotations

import email
import re
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import scrapy_robots1994
from tests.packaging.building import ROOT, run

if TYPE_CHECKING:
    from email.message import Message
    from pathlib import Path


def metadata(dist: Path) -> Message:
    """Return the metadata of the wheel."""
    wheel = zipfile.ZipFile(next(dist.glob("*.whl")))
    name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
    return email.message_from_bytes(wheel.read(name))


def test_wheel_holds_the_package_alone(dist: Path) -> None:
    """The wheel has the package with its py.typed, and neither tests nor examples."""
    wheel = next(dist.glob("*.whl"))

    names = zipfile.ZipFile(wheel).namelist()

    assert "scrapy_robots1994/py.typed" in names
    folders = {name.partition("/")[0].partition("-")[0] for name in names}
    assert folders == {"scrapy_robots1994"}


def test_sdist_holds_the_tests_and_the_example(dist: Path) -> None:
    """Distributions that repackage it can run the tests from the sdist."""
    source = next(dist.glob("*.tar.gz"))

    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    wanted = {"LICENSE", "README.md", "setup.cfg", "tests/run", "tests/conftest.py"}
    assert wanted | {".ci/run", ".ci/packages"} <= names


def test_the_version_has_one_place(dist: Path) -> None:
    """The package's own; metadata and file names take it from there."""
    version = scrapy_robots1994.__version__

    assert metadata(dist)["Version"] == version
    assert {path.name for path in dist.iterdir()} == {
        f"scrapy_robots1994-{version}-py3-none-any.whl",
        f"scrapy_robots1994-{version}.tar.gz",
    }
    assert f'"{version}"' not in (ROOT / "pyproject.toml").read_text("utf-8")


def test_changelog_begins_with_this_version() -> None:
    """The newest entry is that of the version to be released."""
    headings = [
        line
        for line in (ROOT / "CHANGELOG.md").read_text("utf-8").split("\n")
        if line.startswith("## ")
    ]

    assert headings[0].startswith(f"## {scrapy_robots1994.__version__}")


def test_an_index_takes_it(dist: Path) -> None:
    """`twine check --strict`: metadata and the README as an index renders it."""
    said = run(
        *(sys.executable, "-m", "twine", "--no-color", "check", "--strict"),
        *dist.iterdir(),
        folder=dist,
    )

    assert said.count("PASSED") == 2


def test_it_is_found_as_a_part_of_scrapy(dist: Path) -> None:
    """The classifiers by which people look for plugins and typed packages."""
    classifiers = metadata(dist).get_all("Classifier", [])

    assert "Framework :: Scrapy" in classifiers
    assert "Typing :: Typed" in classifiers


def test_all_links_on_the_index_begin_with_the_one_address(dist: Path) -> None:
    """An index shows the README alone, so no link or picture of it may be relative."""
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    (repository,) = re.findall(r'^repository = "(.+)"$', pyproject, re.MULTILINE)
    built = metadata(dist)

    urls = dict(url.split(", ") for url in built.get_all("Project-URL", []))
    readme = str(built.get_payload())
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme)
    targets = re.findall(r"\]\(([^)]+)\)", readme)

    assert urls["Homepage"] == repository
    assert urls.keys() >= {"Documentation", "Changelog", "Issues"}
    assert [url.partition("/raw/")[0] for url in pictures] == [repository]
    assert all(target.startswith("https://") for target in targets)
    assert len(readme.encode()) < 12_000
