"""Versions, extras and options that the README names, against what sets them."""

from __future__ import annotations

import configparser
import re

from tests.commands.running import scrapy
from tests.support import readme

CHANGES = (readme.ROOT / "CHANGELOG.md").read_text("utf-8")
PROJECT = (readme.ROOT / "pyproject.toml").read_text("utf-8")
INSTALL = readme.README.partition("\n## Install\n")[2].partition("\n### ")[0]
ROWS = [
    [cell.strip() for cell in row.split("|")[1:-1]]
    for row in re.findall(r"^\| 3\..+$", INSTALL, re.MULTILINE)
]
"""Of the table under Install: Python, Scrapy, Twisted, reactors, what is left out."""


def matrix() -> configparser.ConfigParser:
    """What `tox` runs."""
    parsed = configparser.ConfigParser()
    parsed.read(readme.ROOT / "setup.cfg", "utf-8")
    return parsed


def wanted(name: str) -> list[str]:
    """The requirements of an extra, or `dependencies`, as pyproject.toml has them."""
    _, _, after = PROJECT.partition(f"\n{name} = [\n")
    return re.findall(r'^    "([^"]+)"', after.partition("\n]")[0], re.MULTILINE)


def test_every_option_is_one_of_a_command() -> None:
    """What stands in code marks as `--option` is known to a command of ours, or to a
    proof or a race that names it beside.
    """
    part = readme.README.partition("\n## Commands\n")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(--[\w-]+)", part))
    known: set[str] = set()
    for name in ("robots-check", "robots-lint", "robots-compare", "robots-store"):
        known |= set(re.findall(r"--[\w-]+", scrapy(name, "--help").out))

    assert named
    assert named - known == set()


def test_the_versions_are_those_of_the_matrix() -> None:
    """The table under Install has a row for each pair that `tox` runs, and no other."""
    listed = " ".join(matrix()["tox:tox"]["env_list"].split())
    pairs = re.findall(r"py3(\d+)-scrapy{?2?(\d\d)", listed)

    rows = re.findall(r"^\| 3\.(\d+) \| 2\.(\d+)\.", INSTALL, re.MULTILINE)

    assert "py310-lowest" in listed
    assert rows == [("10", "13"), *pairs]


def test_the_lowest_versions_are_those_that_are_taken_and_run() -> None:
    """One row is the lowest: of the metadata, of the matrix, of the changelog."""
    pins = dict(re.findall(r"lowest: (\w+)==([\d.]+)", matrix()["testenv"]["deps"]))
    bounds = dict(re.split(">=", it) for it in wanted("dependencies"))
    (row,) = [row for row in ROWS if "lowest" in row[2]]

    assert row[0] == re.findall(r'requires-python = ">=([\d.]+)"', PROJECT)[0]
    assert row[1] == pins["scrapy"]
    lowest = (
        f"{pins['twisted']}, with cachetools {pins['cachetools']} the lowest of all"
    )
    assert row[2] == lowest
    for name, bound in bounds.items():
        assert f"{pins[name]}.".startswith(f"{bound}.")
    assert f"so {pins['scrapy']} is the oldest that is taken" in INSTALL
    (told,) = re.findall(
        r"Python ([\d.]+), Scrapy ([\d.]+) and Twisted ([\d.]+)\.\n", CHANGES
    )
    assert told == (row[0], pins["scrapy"], pins["twisted"])


def test_the_pythons_are_those_of_the_metadata() -> None:
    """Each that an index is told of has its row, and the lowest is named at the top."""
    classified = re.findall(r'Python :: (3\.\d+)"', PROJECT)

    assert sorted({row[0] for row in ROWS}) == sorted(classified)
    assert f"Python {classified[0]} or newer" in readme.README


def test_what_is_left_out_is_explained() -> None:
    """Each letter of the last column has its line, and each line its letter."""
    used = {letter for row in ROWS for letter in re.findall(r"\b[a-z]\b", row[4])}

    assert sorted(used) == re.findall(r"^- ([a-z]): ", INSTALL, re.MULTILINE)


def test_the_reactors_are_those_that_are_run_alone() -> None:
    """The newest row says that each has an environment of its own."""
    (alone,) = re.findall(r"py313-\{([a-z,]+)\}", matrix()["tox:tox"]["env_list"])

    assert ROWS[-1][3].partition(";")[0].split(", ") == alone.split(",")
    assert "each by itself" in ROWS[-1][3]


def test_what_a_release_is_tried_with_is_said() -> None:
    """The pairs leave out the one folder that the environment `package` runs."""
    commands = matrix()["testenv"]["commands"]
    pairs = re.findall(r"^.*lowest.*: pytest .+$", commands, re.MULTILINE)

    assert pairs
    assert all("--ignore=tests/release " in line for line in pairs)
    assert matrix()["testenv:package"]["commands"].startswith("pytest tests/release ")
    assert "`tests/release`" in INSTALL
    assert "`tox -e package`" in INSTALL


def test_the_extras_are_those_that_are_offered() -> None:
    """Whatever stands in brackets after our name can be installed."""
    for extra in re.findall(r"scrapy_robots1994\[(\w+)\]", readme.README):
        assert wanted(extra)


def test_the_dependencies_are_those_that_are_installed() -> None:
    """The sentence under Install names each, and no other."""
    (told,) = re.findall(r"^It needs ([^.]+)\.", INSTALL, re.MULTILINE)

    names = [re.split(r"\W", it)[0] for it in wanted("dependencies")]

    assert sorted(re.findall(r"`(\w+)`", told)) == sorted(names)


def test_the_neighbours_are_those_of_the_extra() -> None:
    """Each plugin that the tests crawl with has a row, and no other has."""
    part = readme.README.partition("### Beside other plugins")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (scrapy-[a-z]+) ", part, re.MULTILINE)

    tested = {*wanted("neighbours"), *wanted("test")}

    assert sorted(rows) == sorted(
        {re.split("[>=]", it)[0] for it in tested if it.startswith("scrapy-")}
    )
