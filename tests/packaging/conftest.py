"""What every test of a release needs."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.packaging import quick_start
from tests.packaging.building import ROOT, run

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Played:
    """The quick start as it went, in a folder that was empty."""

    start: quick_start.Start
    folder: Path
    log: str


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the room on one worker: it builds once, it installs once."""
    for item in items:
        if "tests/packaging/" in item.nodeid:
            item.add_marker(pytest.mark.xdist_group("release"))


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build sdist and wheel as they are released, and return their folder."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, folder=ROOT)
    return folder


@pytest.fixture(scope="session")
def played(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Type the quick start of the README, with the wheel for the index's."""
    start, folder = quick_start.written(), tmp_path_factory.mktemp("empty")
    return Played(start, folder, quick_start.play(start, folder, dist))


@pytest.fixture(scope="session")
def newest(played: Played) -> Path:
    """The Python of an environment that holds the wheel and the newest of all else."""
    return played.folder / "venv" / "bin" / "python"
