"""Tests of a copy of the example project, which is an ordinary Scrapy project."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.example_project_runs.commands import EXAMPLE, TIME_LIMIT, environment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy the project without files that its commands have written."""
    ignore = shutil.ignore_patterns(".*", "__pycache__", "compared.*", "venv*")
    return shutil.copytree(EXAMPLE, tmp_path / "mine", ignore=ignore)


def run(
    folder: Path, *command: str, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run *command* in *folder*, where only the package of this clone can be imported."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment() | options,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=TIME_LIMIT,
    )


def test_copy_crawls_with_the_installed_package(copied: Path) -> None:
    """`scrapy crawl pages` in the copy obeys all hosts served by `run` of the copy."""
    with subprocess.Popen(
        ["./run", "--serve"],
        cwd=copied,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as serving:
        assert serving.stdout is not None
        start = json.loads(serving.stdout.readline())["start"]
        crawl = ("-m", "scrapy", "crawl", "pages", "-a", f"start={start}")
        done = run(copied, sys.executable, *crawl, "-O", "pages.json")
        serving.communicate("\n")

    assert done.returncode == 0, done.stderr
    items = json.loads((copied / "pages.json").read_text("utf-8"))
    assert sum("status" in item for item in items) == 16
    assert sum("refused" in item for item in items) == 21
    assert serving.returncode == 0


@pytest.mark.parametrize("name", ["run", "compare_builtin"])
def test_command_without_the_clone_says_what_to_do(name: str, copied: Path) -> None:
    """`run` installs nothing, and the scenarios are only in the clone."""
    python = "" if name == "run" else sys.executable

    done = run(copied, f"./{name}", ROBOTS1994_PYTHON=python)

    assert (done.returncode, done.stdout) == (2, "")
    assert "clone of scrapy_robots1994" in done.stderr
    assert not (copied / ".venv").exists()
