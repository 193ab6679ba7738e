"""The README keeps up with the code: names walked, snippets run."""

from __future__ import annotations

import re
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_robots1994.errors import SettingsError
from scrapy_robots1994.plugin.settings import PREFIX, SETTINGS
from scrapy_robots1994.plugin.stats import MEANINGS
from scrapy_robots1994.plugin.way import WAY_OUT
from scrapy_robots1994.standard import Reason
from scrapy_robots1994.standard.inspection import KINDS
from scrapy_robots1994.upkeep import Outcome
from tests.support.named import meta_keys, stat_keys, stats_elsewhere
from tests.support.readme import README

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from scrapy_robots1994.standard.problems import Kind

DECISIONS = [f"O{number}" for number in range(1, 27)] + [f"R{n}" for n in range(1, 7)]
CLAUSES = [f"K{number}" for number in range(1, 8)] + [f"X{n}" for n in range(1, 9)]
CLAUSES += [f"P{number}" for number in range(1, 10)]
WRITTEN = ["M1", *(f"F{n}" for n in range(1, 7)), "A1", "A2", "A3"]
WRITTEN += ["D1", "D2", "D3", "E1"]
"""The clauses of the text of 1994."""
SCRAPYS = {"is_start_request", "download_slot", "download_maxsize"}
SCRAPYS |= {"_auth_proxy", "_scheme_proxy"}
"""Meta keys of Scrapy that we read, or set on our own requests alone."""

PRIVATE = {"_robots1994_progress", "_robots1994_slot_delays"}
"""Which request is one for a robots.txt; an attribute of the crawler, for our parts."""

KEYS = sorted((meta_keys() | set(WAY_OUT)) - SCRAPYS - PRIVATE)
SECTIONS = [
    "What it is",
    "See it work",
    "Install",
    "Enable",
    "Compare with the built-in",
    "Settings",
    "Stats",
    "Meta keys",
    "Signals",
    "Commands",
    "Stores",
    "What the text says, and what we decide where it is silent",
    "Performance",
    "Limits",
    "Contributing",
]


def test_the_sections_stand_in_their_order() -> None:
    """What it is, see it work, install, …: in the order a newcomer reads."""
    found = re.findall(r"^## (.+)$", README, re.MULTILINE)

    assert [section for section in found if section in SECTIONS] == SECTIONS


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_has_a_row_with_its_default_and_meaning(name: str) -> None:
    """The row is that of the code, word for word."""
    default = repr(SETTINGS[name].default).replace("'", '"')

    row = f"| `{PREFIX}{name}` | `{default}` | {SETTINGS[name].meaning} |"

    assert row in README


@pytest.mark.parametrize("key", MEANINGS)
def test_every_stat_has_a_row(key: str) -> None:
    """The row is that of the code, word for word."""
    assert f"| `{key}` | {MEANINGS[key]} |" in README


def test_every_stat_has_its_meaning_and_stands_in_one_file() -> None:
    """No key is written elsewhere, where these walks would not see it."""
    assert stats_elsewhere() == []
    assert stat_keys() == set(MEANINGS)


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.value)
def test_every_reason_of_a_verdict_has_a_row(reason: Reason) -> None:
    """The word that stats and commands show, what it does, and because of what."""
    row = rf"^\| `{re.escape(reason.value)}` \| (dis)?allowed\b.* \| .+ \|$"

    assert len(re.findall(row, README, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", ["DIALECT", "READING", "FORBIDDEN", "UNREACHABLE"])
def test_every_choice_of_a_setting_is_named(name: str) -> None:
    """The values that a wrong one is answered with are those of the row."""
    with pytest.raises(SettingsError) as refused:
        SETTINGS[name].read(name, "?")

    choices = re.findall(r'"([^"?]+)"', str(refused.value))
    assert len(choices) >= 2
    for choice in choices:
        assert f"`{choice}`" in SETTINGS[name].meaning


@pytest.mark.parametrize("decision", DECISIONS)
def test_every_decision_has_a_row(decision: str) -> None:
    """O1 to O26 and R1 to R6."""
    assert len(re.findall(rf"^\| {decision} \| .+ \| .+ \|", README, re.MULTILINE)) == 1


def test_every_id_that_the_code_cites_has_a_row() -> None:
    """`Ours O7`, `Ours X3`: no decision is taken in the code alone, and none is shown
    that no code and no test cites.
    """
    root = Path(__file__).parents[1]
    code, tests = (
        "".join(path.read_text("utf-8") for path in (root / room).rglob("*.py"))
        for room in ("scrapy_robots1994", "tests")
    )

    cited = set(re.findall(r"Ours ([A-Z]\d+)", code))
    quoted = set(re.findall(r"1994 ([A-Z]\d+)", code))

    assert cited <= {*DECISIONS, *CLAUSES}
    assert quoted == {*WRITTEN}
    assert {it for it in DECISIONS if it not in cited} == set()
    named = {it.upper() for it in re.findall(r"(?<![a-zA-Z])[kpxKPX]\d", code + tests)}
    assert set(CLAUSES) <= named


@pytest.mark.parametrize("clause", [*WRITTEN, *CLAUSES])
def test_every_clause_has_a_row(clause: str) -> None:
    """Those of 1994, K1 to K7 of `revisited`, X1 to X8 of `extended`, P1 to P9 of
    pages.
    """
    assert len(re.findall(rf"^\| {clause} \| .+ \|$", README, re.MULTILINE)) == 1


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_is_named_where_its_count_is(outcome: Outcome) -> None:
    """The stat of the policies made says each word that it may end in."""
    (row,) = re.findall(r"^\| `robots1994/outcome/.*$", README, re.MULTILINE)

    assert re.search(rf"\b{outcome.value}\b.* \(R\d\)", row)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_problem_code_has_a_row(kind: Kind) -> None:
    """Code, clause, severity and title are those of the code, in its order."""
    row = f"| {kind.code} | {kind.clause} | {kind.severity} | {kind.title} | "

    assert README.count(row) == 1


@pytest.mark.parametrize("command", entry_points(group="scrapy.commands"))
def test_every_command_of_ours_has_its_part(command: EntryPoint) -> None:
    """Each command that Scrapy finds through us is shown in use."""
    if command.value.startswith("scrapy_robots1994."):
        assert f"$ scrapy {command.name} " in README


def test_every_file_that_it_names_is_there() -> None:
    """Paths in code marks, from the root or from within the package."""
    root = Path(__file__).parents[1]
    bases = (root, root / "scrapy_robots1994")
    named = set(re.findall(r"`((?:\w+/)+\w+\.py)`", README))

    missing = [
        name for name in named if not any((base / name).exists() for base in bases)
    ]

    assert named
    assert missing == []


@pytest.mark.parametrize("key", KEYS)
def test_every_meta_key_has_a_row(key: str) -> None:
    """Those we read and those we write, as the code names them."""
    part = README.partition("## Meta keys")[2].partition("## ")[0]

    assert re.search(rf"^\| .*`{key}`.* \|", part, re.MULTILINE)
