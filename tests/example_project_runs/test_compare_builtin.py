"""Tests of `example_project/compare_builtin`: our side is right in every scenario."""

from __future__ import annotations

import json
from typing import Any

import pytest
import scrapy

from tests.example_project_runs.commands import command, too_wide

# On one worker, the command runs once for the whole module.
pytestmark = [pytest.mark.long, pytest.mark.xdist_group("compare_builtin")]

NUMBERS = range(1, 16)
"""The numbers of the scenarios, one for each known fault of the built-in."""

BUILTIN: dict[int, dict[str, object]] = {
    1: {"fetched": 4},
    2: {"fetched_behind": ["401", "403", "503"]},
    3: {"fetched_behind": ["loop", "reset", "timeout"], "loop_requests": 21},
    4: {"followed": False, "fetched": True},
    5: {"https_fetched": True, "requests": 3, "password": True},
    6: {"robots_requests": 1, "fetched_closed": True, "stored": 30},
    7: {"asked_through_proxy": False, "fetched": ["page", "private"]},
    8: {"sent": ["rover/1.0"], "fetched": True},
    9: {"meanwhile": 0, "slow_pages": 20},
    10: {"robots_requests": 0, "fetched": True},
    11: {"fetched": ["page"]},
    12: {"ended": False, "fetched": 0},
    13: {"tracebacks": 2, "named": 0},
    14: {"message": "Forbidden by robots.txt", "logged": False},
    15: {"followed": True, "fetched": False},
}
"""What the built-in of Scrapy 2.19 does in each scenario: its known faults."""

Rows = dict[int, dict[str, Any]]


@pytest.fixture(scope="module")
def measured() -> tuple[int, Rows]:
    """Return the exit code and the scenarios of one run of all."""
    done = command("compare_builtin", "--json")
    assert done.stdout, done.stderr
    return done.returncode, {row["number"]: row for row in json.loads(done.stdout)}


def test_every_scenario_is_run_on_both_sides(measured: tuple[int, Rows]) -> None:
    """Exit code 0 means that our side is right in all of them."""
    code, rows = measured

    assert code == 0
    assert sorted(rows) == list(NUMBERS)
    assert all(row["builtin"]["did"] and row["ours"]["did"] for row in rows.values())


@pytest.mark.parametrize("number", NUMBERS)
def test_our_side_is_right(measured: tuple[int, Rows], number: int) -> None:
    """Our middleware does what the scenario expects."""
    row = measured[1][number]

    assert row["ours"]["ok"], f"{row['situation']}: {row['ours']['did']}"


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.skipif(
    not scrapy.__version__.startswith("2.19."),
    reason="the built-in's known faults are those of Scrapy 2.19",
)
def test_the_built_in_has_the_known_fault(
    measured: tuple[int, Rows], number: int
) -> None:
    """The documentation claims no other faults than those measured."""
    found = measured[1][number]["builtin"]

    assert not found["ok"]
    facts = {name: found["facts"][name] for name in BUILTIN[number]}
    assert facts == BUILTIN[number]


def test_the_table_fits_its_columns() -> None:
    """With one scenario, the marks of both sides, and the counts."""
    done = command("compare_builtin", "--only", "14")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOT OK: " in done.stdout
    assert " ok: " in done.stdout
    assert "ours 1 of 1. Scrapy " in done.stdout
    assert too_wide(done.stdout) == []


def test_unknown_scenario_is_wrong_use() -> None:
    """The exit code is 2, and nothing is run."""
    done = command("compare_builtin", "--only", "99")

    assert done.returncode == 2
    assert done.stdout == ""
