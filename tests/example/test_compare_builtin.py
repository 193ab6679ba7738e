"""Tests of ``example_project/compare_builtin``: our column of the scenario table."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.example.commands import command, too_wide

# One worker runs the command once for all of this module.
pytestmark = pytest.mark.xdist_group("example_compare_builtin")

NUMBERS = range(1, 16)
"""The scenarios there are: one for each known fault of the built-in."""


@pytest.fixture(scope="module")
def played() -> dict[int, dict[str, Any]]:
    """Return every scenario by its number, as measured in one run."""
    done = command("compare_builtin", "--json")
    assert done.stdout, done.stderr
    return {row["number"]: row for row in json.loads(done.stdout)}


def test_every_scenario_is_played(played: dict[int, dict[str, Any]]) -> None:
    """The table has all rows and both columns are measured."""
    assert list(played) == list(NUMBERS)
    assert all(row["builtin"]["did"] and row["ours"]["did"] for row in played.values())


@pytest.mark.parametrize("number", NUMBERS)
def test_ours_is_right(played: dict[int, dict[str, Any]], number: int) -> None:
    """We do what the standard or sense asks in each situation."""
    ours = played[number]["ours"]

    assert ours["ok"], f"{played[number]['situation']}: {ours['did']}"


def test_builtin_opens_a_host_that_failed(played: dict[int, dict[str, Any]]) -> None:
    """The other column is measured too: no Scrapy release heeds the status yet."""
    status = played[2]["builtin"]

    assert not status["ok"]
    assert status["facts"]["fetched_behind"] == ["401", "403", "503"]


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
