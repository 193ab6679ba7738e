"""Run a Scrapy command as a user does, in a separate process."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.support.forked import ROOT, ForkedProcess

TIMEOUT_SECONDS = 120.0
"""Seconds after which a command that has not ended fails the test."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """Exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.out.rstrip("\n").split("\n")


def scrapy(
    *args: str, stdin_text: str = "", folder: Path | None = None
) -> CommandResult:
    """Run `scrapy ARGS` in *folder*, with *stdin_text* as standard input."""
    new_file = tempfile.TemporaryFile
    with new_file() as stdin, new_file() as stdout, new_file() as stderr:
        stdin.write(stdin_text.encode())
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
        return CommandResult(code, stdout.read().decode(), stderr.read().decode())
