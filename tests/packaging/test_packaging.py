"""Contents and metadata of the released files."""

from __future__ import annotations

import email
import re
import sys
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import scrapy_robots1994
from tests.packaging.building import ROOT, run


def metadata(dist: Path) -> Message:
    """Return the metadata of the wheel."""
    wheel = zipfile.ZipFile(next(dist.glob("*.whl")))
    name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
    return email.message_from_bytes(wheel.read(name))


def test_wheel_contains_only_the_package(dist: Path) -> None:
    """With py.typed, and without tests and examples."""
    wheel = next(dist.glob("*.whl"))

    names = zipfile.ZipFile(wheel).namelist()

    assert "scrapy_robots1994/py.typed" in names
    folders = {name.partition("/")[0].partition("-")[0] for name in names}
    assert folders == {"scrapy_robots1994"}


def test_sdist_contains_the_tests(dist: Path) -> None:
    """Distributions that repackage it can run them."""
    source = next(dist.glob("*.tar.gz"))

    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    wanted = {"LICENSE", "README.md", "setup.cfg", "tests/run", "tests/conftest.py"}
    assert wanted | {".ci/run", ".ci/packages"} <= names


def test_version_is_defined_once(dist: Path) -> None:
    """In the package; metadata and file names have the same version."""
    version = scrapy_robots1994.__version__

    assert metadata(dist)["Version"] == version
    assert {path.name for path in dist.iterdir()} == {
        f"scrapy_robots1994-{version}-py3-none-any.whl",
        f"scrapy_robots1994-{version}.tar.gz",
    }
    assert f'"{version}"' not in (ROOT / "pyproject.toml").read_text("utf-8")


def test_package_index_accepts_the_files(dist: Path) -> None:
    """`twine check --strict` checks the metadata and renders the README."""
    output = run(
        *(sys.executable, "-m", "twine", "--no-color", "check", "--strict"),
        *dist.iterdir(),
        folder=dist,
    )

    assert output.count("PASSED") == 2


def test_links_on_the_package_index_are_absolute(dist: Path) -> None:
    """An index shows only the README, so relative links and images would be broken."""
    pyproject = (ROOT / "pyproject.toml").read_text("utf-8")
    (repository,) = re.findall(r'^repository = "(.+)"$', pyproject, re.MULTILINE)
    built = metadata(dist)

    urls = dict(url.split(", ") for url in built.get_all("Project-URL", []))
    readme = str(built.get_payload())
    images = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", readme)
    targets = re.findall(r"\]\(([^)]+)\)", readme)

    assert urls["Homepage"] == repository
    assert urls.keys() >= {"Documentation", "Changelog", "Issues"}
    assert [url.partition("/raw/")[0] for url in images] == [repository]
    assert all(target.startswith("https://") for target in targets)
    assert len(readme.encode()) < 12_000
