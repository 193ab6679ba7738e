"""Tests of ``example_project/run``: two crawls of the town, told in plain text."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.example_project_runs.commands import (
    EXAMPLE,
    PATIENCE,
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
pytestmark = pytest.mark.xdist_group("example_run")

BUILTIN_AS_OURS = """
import sys
import tour.__main__ as tour

tour.OURS = tour.BUILTIN
sys.exit(tour.main())
"""


@pytest.fixture(scope="module")
def told() -> CompletedProcess[str]:
    """Return the one run that the tests of this module look at."""
    return typed_as_written(readme.typed("example_project/run"))


def test_run_ends_well(told: CompletedProcess[str]) -> None:
    """Our crawl met the town's expectations, and the command says so both ways."""
    assert told.returncode == 0, told.stdout + told.stderr
    assert "Right: scrapy_robots1994 fetched every open page, and no other." in (
        told.stdout
    )


def test_run_names_the_line_of_a_refusal(told: CompletedProcess[str]) -> None:
    """A refused page stands there with the line and the record that refused it."""
    sentence = (
        'disallowed by line 7, "Disallow: /archive", '
        'of the record for "townwalker" (line 5)'
    )

    assert sentence in told.stdout


def test_run_prints_what_the_readme_shows(told: CompletedProcess[str]) -> None:
    """All of it but the ports; on another Scrapy than the README's, the crawl of ours.

    That ends where the stats begin: they name exceptions as each Scrapy does.
    """
    shown = readme.told("example_project/run")
    end = None if is_of_this_scrapy() else "Warnings in the log:"

    assert masked(told.stdout.split(end)[0] if end else told.stdout) == masked(
        shown.split(end)[0] if end else shown
    )


def test_run_asks_each_host_once(told: CompletedProcess[str]) -> None:
    """Every host was asked for its robots.txt once, however many pages waited."""
    _, _, rest = told.stdout.partition("Requests for robots.txt: 13\n")
    counts = rest.partition("\n\n")[0].replace(",", " ").split()

    assert len(counts) == 13
    assert {count.partition(":")[2] for count in counts} == {"1"}


def test_run_prints_the_stats(told: CompletedProcess[str]) -> None:
    """The built-in's keys are there under their names, beside ours."""
    stats = dict(
        line.rsplit(maxsplit=1)
        for line in told.stdout.split("\n")
        if line.startswith(("  robotstxt/", "  robots1994/"))
    )

    assert stats["  robotstxt/forbidden"] == "21"
    assert stats["  robots1994/forbidden/rule"] == "16"


def test_run_warns_of_the_split_record(told: CompletedProcess[str]) -> None:
    """The blank line that opens the market is told with its number."""
    _, _, rest = told.stdout.partition("Warnings in the log:")

    assert "line 2" in rest.partition("Stats")[0]


def test_run_fits_its_columns(told: CompletedProcess[str]) -> None:
    """No line of the output is wider than promised."""
    assert too_wide(told.stdout) == []


def test_run_fails_for_a_crawl_that_leaks() -> None:
    """With the built-in in our place the same expectations end it with 1."""
    done = subprocess.run(
        [sys.executable, "-c", BUILTIN_AS_OURS],
        cwd=EXAMPLE,
        env=os.environ | {"PYTHONPATH": f"{EXAMPLE.parent}:{EXAMPLE}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=PATIENCE,
    )

    assert done.returncode == 1
    assert "WRONG: " in done.stdout
    assert "mill / is closed and was fetched" in done.stdout


def test_served_town_is_handed_over_as_json() -> None:
    """`--serve` prints where every host is, as one line of JSON."""
    done = command("run", "--serve")

    town = json.loads(done.stdout)
    assert done.returncode == 0
    assert town["start"].startswith(town["origins"]["hall"])
    assert len(set(town["origins"].values())) == 13


def test_run_leaves_a_report_and_says_where(told: CompletedProcess[str]) -> None:
    """It holds what the built-in's parser would have decided in our crawl."""
    _, _, rest = told.stdout.partition("The report: example_project/")
    report = EXAMPLE / rest.partition(" ")[0]

    assert report.suffix == ".html"
    assert "status of the answer" in report.read_text("utf-8")
