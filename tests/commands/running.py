"""Run a Scrapy command as a user does, in a separate process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tests.support.forked import ROOT, run_to_its_end


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
    ended = run_to_its_end(
        "scrapy.cmdline:execute",
        *args,
        folder=folder or ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        typed=stdin_text,
        warn=False,
    )
    return CommandResult(*ended)
