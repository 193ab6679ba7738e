"""Installation with the extras, and tools that the extras do not install."""

from __future__ import annotations

import configparser
import sys
from pathlib import Path

import pytest

from tests.packaging.building import ROOT, run

# The evidence comes first: the report brings warcio, too.
EXTRAS = {
    "redis": ["redis"],
    "evidence": ["warcio"],
    "report": ["rich", "robotexclusionrulesparser"],
}
FIND = "import importlib.util, sys; print(*map(importlib.util.find_spec, sys.argv[1:]))"


@pytest.mark.parametrize("extra", EXTRAS)
def test_extra_installs_its_dependencies(extra: str, dist: Path, newest: Path) -> None:
    """`pip install 'scrapy_robots1994[EXTRA]'`; they are missing before."""
    modules = EXTRAS[extra]
    before = run(newest, "-c", FIND, *modules, folder=dist).split()

    pip = (sys.executable, "-m", "pip", "--python", newest, "install", "--quiet")
    wanted = f"scrapy_robots1994[{extra}]"
    run(*pip, wanted, folder=dist, PIP_FIND_LINKS=str(dist))

    assert before == ["None"] * len(modules)
    run(newest, "-c", f"import {', '.join(modules)}", folder=dist)


def test_tox_lists_all_environments() -> None:
    """They are only listed, because running all of `tox` takes an hour."""
    matrix = configparser.ConfigParser()
    matrix.read(ROOT / "setup.cfg", "utf-8")

    listed = run(sys.executable, "-m", "tox", "list", "--no-desc", folder=ROOT).split()

    assert {"lint", "types", "package", "audit"} < set(listed)
    assert len([name for name in listed if name.startswith("py3")]) >= 9
    assert "pip-audit" in matrix["testenv:audit"]["commands"]
