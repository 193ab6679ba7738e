"""The contents and metadata of the released files."""

from __future__ import annotations

import email
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import scrapy_robots1994
from tests.packaging.building import ROOT, run


def test_wheel_has_only_the_package_and_the_sdist_what_its_tests_need(
    dist: Path,
) -> None:
    name = f"scrapy_robots1994-{scrapy_robots1994.__version__}"
    wheel, source = f"{name}-py3-none-any.whl", f"{name}.tar.gz"
    assert {path.name for path in dist.iterdir()} == {wheel, source}
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'"{scrapy_robots1994.__version__}"' not in pyproject

    names = zipfile.ZipFile(dist / wheel).namelist()
    assert "scrapy_robots1994/py.typed" in names
    folders = {name.partition("/")[0].partition("-")[0] for name in names}
    assert folders == {"scrapy_robots1994"}

    with tarfile.open(dist / source) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    wanted = {"LICENSE", "README.md", "setup.cfg", "tests/run", "tests/conftest.py"}
    assert wanted | {".ci/run", ".ci/packages"} <= set(names)


@pytest.mark.plugin("twine")
def test_package_index_accepts_the_files(dist: Path) -> None:
    check = ("-m", "twine", "--no-color", "check", "--strict")
    output = run(sys.executable, *check, *dist.iterdir(), folder=dist)

    assert output.count("PASSED") == 2


def test_links_on_the_package_index_are_absolute(dist: Path) -> None:
    """The package index cannot resolve relative links in the README."""
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    (repository,) = re.findall(r'^repository = "(.+)"$', pyproject, re.MULTILINE)
    wheel = zipfile.ZipFile(next(dist.glob("*.whl")))
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    metadata = email.message_from_bytes(wheel.read(name))

    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    readme = str(metadata.get_payload())
    targets = re.findall(r"\]\(([^)]+)\)", readme)

    assert metadata["Version"] == scrapy_robots1994.__version__
    assert urls["Homepage"] == repository
    assert urls.keys() >= {"Documentation", "Changelog", "Issues"}
    assert all(target.startswith("https://") for target in targets)
    assert len(readme.encode()) < 12_000


def test_lowest_versions_are_the_same_everywhere() -> None:
    texts = {
        name: " ".join((ROOT / name).read_text("utf-8").split())
        for name in ("pyproject.toml", "setup.cfg", "README.md", "docs/start.rst")
    }
    allowed = texts["pyproject.toml"].partition("dependencies = [")[2].partition("]")[0]
    (python,) = re.findall(r'requires-python = ">=([\d.]+)"', texts["pyproject.toml"])
    lowest = dict(re.findall(r'"(\w+)>=([\d.]+)"', allowed))

    assert dict(re.findall(r"lowest: (\w+)==([\d.]+)", texts["setup.cfg"])) == lowest
    words = (
        f"You need Python {python} or newer, and Scrapy {lowest['scrapy']} or newer."
    )
    assert words in texts["README.md"]
    assert words in texts["docs/start.rst"]


def test_lowest_python_that_a_file_names_is_the_lowest_allowed() -> None:
    names = (
        *("pyproject.toml", "setup.cfg", "README.md", "CONTRIBUTING.md", ".ci/run"),
        *("docs/start.rst", "tests/run", "example_project/environment.sh"),
    )
    # The sdist has no workflows.
    files = [*map(ROOT.joinpath, names), *ROOT.glob(".github/workflows/tests.yml")]
    version = r'(?i)\bpy(?:thon)?(?:_version)?[\s:="\[]*3\.?(\d\d)\b|\(3, (\d\d)\)'
    lowest = {
        file: min(map("".join, re.findall(version, file.read_text("utf-8"))))
        for file in files
    }
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    (allowed,) = re.findall(r'requires-python = ">=3\.(\d\d)"', pyproject)

    assert lowest == dict.fromkeys(files, allowed)
