"""The wheel works with the lowest and the newest versions of its dependencies, and with extras."""

from __future__ import annotations

import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

from tests.packaging.building import install, run
from tests.support.project import CLOSED, REFUSAL, SPIDER
from tests.support.site import Site

LOWEST_INDIRECT = ("cryptography<43", "pyopenssl<24.3")
"""Newer releases of these packages do not work with Twisted 21.7, the lowest supported version."""

IMPORT_AND_PARSE = """
import scrapy_robots1994 as package
assert "site-packages" in package.__file__, package.__file__
robots = package.RobotsTxt.parse(b"User-agent: *\\nDisallow: /tmp")
assert not robots.allowed("http://a.test/tmp/x", "me")
print(package.Addon.__name__)
"""
EXTRAS = {
    "redis": ["redis"],
    "report": ["rich", "robotexclusionrulesparser"],
}
FIND = "import importlib.util, sys; print(*map(importlib.util.find_spec, sys.argv[1:]))"


def crawl(python: Path, folder: Path, site: Site) -> str:
    site.robots(CLOSED)
    (folder / "walk.py").write_text(SPIDER)
    addons = 'ADDONS={"scrapy_robots1994.Addon": 500}'
    base = f"base={site.url('')}"
    command = ("-m", "scrapy", "runspider", "walk.py", "-a", base, "-s", addons)
    return run(python, *command, folder=folder)


def test_newest_dependencies(newest: Path, tmp_path: Path, site: Site) -> None:
    assert run(newest, "-c", IMPORT_AND_PARSE, folder=tmp_path).endswith("Addon\n")
    assert REFUSAL.partition(": ")[2] in crawl(newest, tmp_path, site)


@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="the lowest Twisted runs up to Python 3.12"
)
def test_lowest_dependencies(dist: Path, tmp_path: Path, site: Site) -> None:
    needs = [need for need in requires("scrapy_robots1994") or () if ";" not in need]
    lowest = [need.replace(">=", "==") for need in needs]
    assert all("==" in need for need in lowest)

    python = install(tmp_path, next(dist.glob("*.whl")), *lowest, *LOWEST_INDIRECT)

    assert REFUSAL.partition(": ")[2] in crawl(python, tmp_path, site)


@pytest.mark.parametrize("extra", EXTRAS)
def test_extra_installs_its_dependencies(extra: str, dist: Path, newest: Path) -> None:
    modules = EXTRAS[extra]
    before = run(newest, "-c", FIND, *modules, folder=dist).split()

    pip = (sys.executable, "-m", "pip", "--python", newest, "install", "--quiet")
    wanted = f"scrapy_robots1994[{extra}]"
    run(*pip, wanted, folder=dist, PIP_FIND_LINKS=str(dist))

    assert before == ["None"] * len(modules)
    run(newest, "-c", f"import {', '.join(modules)}", folder=dist)
