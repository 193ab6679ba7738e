"""The README's section on security names a test for every threat, and each is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
SECTION = README.partition("\n## Security\n")[2].partition("\n## ")[0]
ROWS = [row.split("|") for row in re.findall(r"^\| .*$", SECTION, re.MULTILINE)][1:]
THREATS = {
    "a hostile robots.txt",
    "a hostile redirect",
    "a shared store",
    "injection into logs and reports",
    "leaking credentials",
    "exhaustion",
}


def test_the_known_threats_are_answered() -> None:
    """Each has a row of its own."""
    assert {row[1].strip() for row in ROWS} >= THREATS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[1].strip())
def test_each_threat_names_tests_that_are_there(row: list[str]) -> None:
    """The last column holds files of this repository."""
    named = re.findall(r"`(tests/[^`]+)`", row[3])

    assert named
    assert [path for path in named if not (ROOT / path).is_file()] == []
