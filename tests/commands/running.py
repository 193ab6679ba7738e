"""Runs a command of Scrapy as a user does, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120.0
"""Seconds until a command that does not end fails the test."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of its answer."""
        return self.out.rstrip("\n").split("\n")


def scrapy(*args: str, given: str = "", folder: Path | None = None) -> Ran:
    """Run `scrapy ARGS` in *folder*, with *given* at standard input."""
    ran = subprocess.run(
        [sys.executable, "-m", "scrapy", *args],
        input=given,
        cwd=folder or ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr)
