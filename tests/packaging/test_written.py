"""The commands of the README that install something, or run these very tests."""

from __future__ import annotations

import configparser
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.packaging.building import ROOT, run
from tests.support.readme import typed

if TYPE_CHECKING:
    from tests.packaging.conftest import Played

EXTRAS = {"redis": "redis", "report": "jinja2, pygal, rich, warcio"}


def in_path(python: Path) -> dict[str, str]:
    """What an environment that is activated adds to the search for commands."""
    return {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}"}


def test_each_way_to_install_brings_what_it_names(
    played: Played, dist: Path, newest: Path
) -> None:
    """`pip install` in each form that the README has; the wheel is the index's."""
    bare = typed("pip install scrapy_robots1994")
    redis = typed("pip install 'scrapy_robots1994[redis]'")
    report = typed("pip install 'scrapy_robots1994[report]'")
    quoted = typed('pip install "scrapy_robots1994[report]"')

    for words in (bare, redis, report):
        more = {"PIP_FIND_LINKS": str(dist), **in_path(newest)}
        run(*words, folder=played.folder, **more)

    assert quoted == report
    for module in EXTRAS.values():
        run(newest, "-c", f"import {module}", folder=played.folder)


@pytest.fixture
def environment_here(tmp_path: Path) -> dict[str, str]:
    """Let `tests/run` find its environment made: it is the one that runs these tests.

    What it would leave beside the tests goes elsewhere.
    """
    venv = tmp_path / "venv"
    venv.mkdir()
    for part in Path(sys.prefix).iterdir():
        (venv / part.name).symlink_to(part)
    made_from = (ROOT / "pyproject.toml").read_bytes()
    (venv / "installed-from").write_bytes(made_from)
    return {
        "VENV": str(venv),
        "COVERAGE_FILE": str(tmp_path / "coverage"),
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
    }


def test_a_part_of_the_suite_is_run(environment_here: dict[str, str]) -> None:
    """Style and types of everything, then the tests that were named, with coverage."""
    command, *words = typed("tests/run tests/parser -k clauses")

    said = run(ROOT / command, *words, folder=Path("/"), **environment_here)

    headings = [line.split()[1] for line in said.splitlines() if line.startswith("== ")]
    assert headings == ["ruff", "ruff", "mypy", "pytest"]
    assert " passed in " in said
    assert "scrapy_robots1994/" in said


def test_the_whole_suite_is_found(environment_here: dict[str, str]) -> None:
    """Without words it is what runs these tests; here it only lists them."""
    (command,) = typed("tests/run")

    said = run(
        *(ROOT / command, "--collect-only", "-q", "--no-cov"),
        folder=Path("/"),
        **environment_here,
    )

    for room in (ROOT / "tests").glob("*/test_*.py"):
        assert f"{room.relative_to(ROOT)}::" in said


def test_the_matrix_has_an_environment_for_each_name() -> None:
    """`tox` would run for an hour; its list is that of setup.cfg, each described."""
    matrix = configparser.ConfigParser()
    matrix.read(ROOT / "setup.cfg", "utf-8")

    listed = run(sys.executable, "-m", "tox", "list", "--no-desc", folder=ROOT).split()

    assert {"lint", "types", "package", "audit"} < set(listed)
    assert len([name for name in listed if name.startswith("py3")]) >= 9
    assert "pip-audit" in matrix["testenv:audit"]["commands"]


@pytest.mark.skipif(
    sys.version_info < (3, 11) or sys.platform != "linux",
    reason="atheris has wheels for Linux and newer Pythons; elsewhere it is compiled",
)
def test_the_fuzz_target_is_fuzzed(tmp_path: Path) -> None:
    """A few hundred inputs from atheris itself refute no claim."""
    installed, found = tmp_path / "installed", tmp_path / "found"
    found.mkdir()
    _, *words = typed("pip install atheris")
    run(sys.executable, "-m", "pip", *words, folder=tmp_path, PIP_TARGET=str(installed))
    _, *target = typed("python -m tests.fuzz.fuzz_parse FOLDER", FOLDER=found)

    said = run(
        *(sys.executable, *target, "-runs=300"),
        folder=ROOT,
        PYTHONPATH=os.pathsep.join((str(ROOT), str(installed))),
    )

    assert "Done 300 runs" in said
