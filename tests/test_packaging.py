"""Tests that what is released holds what it should, and works away from its source."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
USE = """
import scrapy_robots1994 as package
assert "site-packages" in package.__file__, package.__file__
robots = package.RobotsTxt.parse(b"User-agent: *\\nDisallow: /tmp")
assert not robots.allowed("http://a.test/tmp/x", "me")
print(package.Addon.__name__)
"""


def run(*command: str | Path, folder: Path) -> str:
    """Run a command and return what it says; its whole output is in the failure.

    Coverage is not measured there: it would trace all of pip.
    """
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={key: os.environ[key] for key in os.environ if "COVERAGE" not in key},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build sdist and wheel as they are released, and return their folder."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, folder=ROOT)
    return folder


def test_wheel_holds_the_package_alone(dist: Path) -> None:
    """The wheel has the package with its py.typed, and neither tests nor examples."""
    wheel = next(dist.glob("*.whl"))

    names = zipfile.ZipFile(wheel).namelist()

    assert "scrapy_robots1994/py.typed" in names
    rooms = {name.partition("/")[0].partition("-")[0] for name in names}
    assert rooms == {"scrapy_robots1994"}


def test_sdist_holds_the_tests_and_the_example(dist: Path) -> None:
    """Who packages it further can run the tests from the sdist."""
    source = next(dist.glob("*.tar.gz"))

    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    for name in ("LICENSE", "README.md", "setup.cfg", "tests/run", "tests/conftest.py"):
        assert name in names


def test_wheel_works_in_an_empty_environment(dist: Path, tmp_path: Path) -> None:
    """Installed alone it brings what it needs, and imports far from the source."""
    run(sys.executable, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    wheel = next(dist.glob("*.whl"))
    run(python, "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)

    assert run(python, "-c", USE, folder=tmp_path).endswith("Addon\n")
