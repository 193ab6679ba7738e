"""Run a command of the example project as a user does, with the Python of the tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "example_project"
TIME_LIMIT = 300
WIDTH = 100
"""Columns that the output fits."""


def environment() -> dict[str, str]:
    """Return the environment of a user whose interpreter has the package."""
    plain = {key: os.environ[key] for key in os.environ if key != "PYTHONPATH"}
    return plain | {"ROBOTS1994_PYTHON": sys.executable}


def command(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `example_project/NAME` from another folder, and return its result."""
    return subprocess.run(
        [EXAMPLE / name, *arguments],
        cwd="/",
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=TIME_LIMIT,
    )


def too_wide(output: str) -> list[str]:
    """Return the lines that do not fit WIDTH."""
    return [line for line in output.split("\n") if len(line) > WIDTH]
