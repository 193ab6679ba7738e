"""Runs a command of the example project as a user does, with the tests' own Python."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version

from tests.support.readme import ROOT, told

EXAMPLE = ROOT / "example_project"
PATIENCE = 300
WIDTH = 100
"""Columns that the output promises to fit."""


def command(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ``example_project/name`` from another folder; return how it ended."""
    return subprocess.run(
        [EXAMPLE / name, *arguments],
        cwd="/",
        env=os.environ | {"ROBOTS1994_PYTHON": sys.executable},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
    )


def typed_as_written(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run what the README has a reader type, from the root of the clone."""
    folder, name = words[0].split("/")
    assert folder == EXAMPLE.name
    return command(name, *words[1:])


def masked(output: str, numbers: str = r"(?<=\d:|\w:)\d{4,5}\b") -> list[str]:
    """The words of *output* without its *numbers* (of ports), however it is wrapped."""
    return re.sub(numbers, "N", output).split()


def is_of_this_scrapy() -> bool:
    """Whether the README shows what the Scrapy of this run does.

    The built-in's column is another one in each minor version.
    """
    shown = re.search(r"Scrapy (\d+\.\d+)\.", told("example_project/compare_builtin"))
    assert shown is not None
    return version("scrapy").startswith(f"{shown[1]}.")


def too_wide(output: str) -> list[str]:
    """Return the lines that do not fit."""
    return [line for line in output.split("\n") if len(line) > WIDTH]
