"""Run the commands that build, check and install a release."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    """Return the output of *command*, or raise `AssertionError` if it fails."""
    # If Coverage's environment variables were passed on, Coverage would also trace pip.
    known = {key: os.environ[key] for key in os.environ if "COVERAGE" not in key}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=known | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def install(folder: Path, *wanted: str | Path) -> Path:
    """Install *wanted* in a new environment and return the path of its interpreter."""
    venv = ("-m", "venv", "--without-pip", folder / "venv")
    run(sys.executable, *venv, folder=folder)
    python = folder / "venv" / "bin" / "python"
    pip = ("-m", "pip", "--python", python, "install", "--quiet")
    run(sys.executable, *pip, *wanted, folder=folder)
    return python
