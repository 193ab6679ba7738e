"""Commands of a release, run in folders of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOWEST_TOO = ("cryptography<43", "pyopenssl<24.3")
"""The newest that Twisted 21.7 can work with, the lowest that we take."""


def environment() -> dict[str, str]:
    """What a command sees; coverage is not measured, it would trace all of pip."""
    return {key: os.environ[key] for key in os.environ if "COVERAGE" not in key}


def run(*command: str | Path, folder: Path, **variables: str) -> str:
    """Run a command and return what it says; its whole output is in the failure.

    *variables* are further ones of its environment.
    """
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def install(folder: Path, *wanted: str | Path) -> Path:
    """Make an empty environment, install *wanted*, and return its Python."""
    bare = ("-m", "venv", "--without-pip", folder / "venv")
    run(sys.executable, *bare, folder=folder)
    python = folder / "venv" / "bin" / "python"
    pip = ("-m", "pip", "--python", python, "install", "--quiet")
    run(sys.executable, *pip, *wanted, folder=folder)
    return python
