"""The build and the environment that all tests of the release share."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.packaging.building import ROOT, install, run


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of the release on one worker, so that it is built only once."""
    for item in items:
        if "tests/packaging/" in item.nodeid:
            item.add_marker(pytest.mark.xdist_group("packaging"))
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, folder=ROOT)
    return folder


@pytest.fixture(scope="session")
def newest(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(tmp_path_factory.mktemp("newest"), next(dist.glob("*.whl")))
