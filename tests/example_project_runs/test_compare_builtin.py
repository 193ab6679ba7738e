"""Tests of ``example_project/compare_builtin``: the table that the README shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.example_project_runs.commands import (
    command,
    is_of_this_scrapy,
    masked,
    too_wide,
    typed_as_written,
)
from tests.support import readme

if TYPE_CHECKING:
    from subprocess import CompletedProcess

# One worker runs the command once for all of this module.
pytestmark = pytest.mark.xdist_group("example_compare_builtin")

NUMBERS = range(1, 16)
"""The scenarios there are: one for each known fault of the built-in."""

COLUMNS = (4, 28, 57, 86, 100)
"""Where the columns behind the number begin, and the last one ends."""

MEASURED = r"\d+(\.\d+)?"
"""What varies from run to run; no mark and no verdict is a number."""


@dataclass(frozen=True, slots=True)
class Row:
    """A scenario as the table tells it, each cell on one line."""

    situation: str
    builtin: str
    ours: str
    wanted: str


def rows(table: str) -> dict[int, Row]:
    """The scenarios of a table by their number."""
    _, _, body = table.partition("--\n")
    found = {}
    for block in body.partition("\n\nRight: ")[0].split("\n\n"):
        cells = [
            " ".join(line[start:end].strip() for line in block.split("\n")).strip()
            for start, end in pairwise(COLUMNS)
        ]
        found[int(block.split(maxsplit=1)[0])] = Row(*cells)
    return found


@pytest.fixture(scope="module")
def done() -> CompletedProcess[str]:
    """Return the one run that the tests of this module look at."""
    ran = typed_as_written(readme.typed("example_project/compare_builtin"))
    assert ran.stdout, ran.stderr
    return ran


@pytest.fixture(scope="module")
def played(done: CompletedProcess[str]) -> dict[int, Row]:
    """Return every scenario by its number, as measured in that run."""
    return rows(done.stdout)


@pytest.fixture(scope="module")
def shown() -> dict[int, Row]:
    """Return every scenario by its number, as the README has it."""
    return rows(readme.told("example_project/compare_builtin"))


def test_every_scenario_is_played(played: dict[int, Row]) -> None:
    """The table has all rows and both columns are measured."""
    assert list(played) == list(NUMBERS)
    assert all(row.builtin and row.ours for row in played.values())


@pytest.mark.parametrize("number", NUMBERS)
def test_ours_is_right(
    played: dict[int, Row], shown: dict[int, Row], number: int
) -> None:
    """We do what the standard or sense asks, and what the README says of it."""
    row = played[number]

    assert row.ours.startswith("ok: "), f"{row.situation}: {row.ours}"
    for mine, written in (
        (row.situation, shown[number].situation),
        (row.ours, shown[number].ours),
        (row.wanted, shown[number].wanted),
    ):
        assert masked(mine, MEASURED) == masked(written, MEASURED)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.skipif(
    not is_of_this_scrapy(),
    reason="the README tells what the built-in of its newest Scrapy does",
)
def test_builtin_does_what_the_readme_says(
    played: dict[int, Row], shown: dict[int, Row], number: int
) -> None:
    """The other column is true, too: nothing is held against it that it does not do."""
    found, written = played[number].builtin, shown[number].builtin

    assert masked(found, MEASURED) == masked(written, MEASURED)


def test_the_command_ends_well_and_counts(done: CompletedProcess[str]) -> None:
    """Its last line says who was right how often, and with what."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ours 15 of 15. Scrapy " in done.stdout
    assert too_wide(done.stdout) == []


def test_builtin_opens_a_host_that_failed() -> None:
    """What was measured is there as JSON; no Scrapy release heeds the status yet."""
    (row,) = json.loads(command("compare_builtin", "--only", "2", "--json").stdout)

    assert not row["builtin"]["ok"]
    assert row["builtin"]["facts"]["fetched_behind"] == ["401", "403", "503"]
    assert row["ours"]["ok"]


def test_table_fits_its_columns() -> None:
    """The printed table has one scenario, both marks, and no line too wide."""
    done = command("compare_builtin", "--only", "14")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT OK: " in done.stdout
    assert " ok: " in done.stdout
    assert too_wide(done.stdout) == []


def test_unknown_scenario_is_wrong_use() -> None:
    """A number that is not in the table ends with 2 and plays nothing."""
    done = command("compare_builtin", "--only", "99")

    assert done.returncode == 2
    assert done.stdout == ""
