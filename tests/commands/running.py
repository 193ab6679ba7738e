"""Runs a command of Scrapy as a user does, in a process of its own."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.forked import ROOT, ForkedProcess

if TYPE_CHECKING:
    from pathlib import Path

TIMEOUT_SECONDS = 120.0
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
    file = tempfile.TemporaryFile
    with file() as stdin, file() as stdout, file() as stderr:
        stdin.write(given.encode())
        stdin.seek(0)
        process = ForkedProcess(
            "scrapy.cmdline:execute",
            *args,
            files=(stdin.fileno(), stdout.fileno(), stderr.fileno()),
            folder=folder or ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
            warn=False,
        )
        try:
            code = process.wait(TIMEOUT_SECONDS)
        finally:
            process.kill()
        stdout.seek(0)
        stderr.seek(0)
        return Ran(code, stdout.read().decode(), stderr.read().decode())
