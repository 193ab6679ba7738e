"""Tests of `example_project/run`: two crawls of local hosts, and a report of both."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.example_project_runs.commands import (
    EXAMPLE,
    TIME_LIMIT,
    command,
    environment,
    too_wide,
)

if TYPE_CHECKING:
    from subprocess import CompletedProcess

# On one worker, the command runs once for the whole module.
pytestmark = pytest.mark.xdist_group("example_run")

BUILTIN_IN_OUR_PLACE = """
import sys
import demo.__main__ as demo

done = demo.crawl
crawls = []
def crawl(*arguments):
    if not crawls:
        crawls.append(done(*arguments))
    return crawls[0]

demo.crawl, demo.OURS = crawl, demo.BUILTIN
sys.exit(demo.main())
"""


@pytest.fixture(scope="module")
def done() -> CompletedProcess[str]:
    """Return the run that the tests of this module check."""
    return command("run")


def test_run_fetches_exactly_the_allowed_pages(done: CompletedProcess[str]) -> None:
    """The exit code and the last line say so."""
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(
        "Right: scrapy_robots1994 fetched every allowed page, and no other.\n"
    )


def test_run_prints_both_crawls(done: CompletedProcess[str]) -> None:
    """Our crawl fetches 16 pages of 37; the built-in requests each robots.txt too."""
    rows = {
        line[:26].strip(): line[26:].split()
        for line in done.stdout.partition("built-in\n")[2].split("\n")[:5]
    }

    assert rows["pages fetched"][0] == "16"
    assert rows["of them disallowed"][0] == "0"
    assert int(rows["of them disallowed"][1]) >= 4
    assert rows["allowed pages missed"][0] == "0"
    assert rows["pages refused"][0] == "21"
    assert rows["requests for robots.txt"][0] == "13"


def test_run_prints_what_the_parser_of_the_builtin_would_decide(
    done: CompletedProcess[str],
) -> None:
    """The counts include all pages: the comparison has ended before they are printed."""
    section = done.stdout.partition("ROBOTS1994_COMPARE = True\n")[2]
    counts = re.findall(r"^  ProtegoRobotParser  (\w+) +(\d+)$", section, re.MULTILINE)

    assert {"agree", "stricter", "laxer"} == {way for way, _ in counts}
    assert sum(int(number) for _, number in counts) == 37


def test_run_fits_its_columns(done: CompletedProcess[str]) -> None:
    """At most 100."""
    assert too_wide(done.stdout) == []


def test_run_writes_a_report_and_prints_its_path(done: CompletedProcess[str]) -> None:
    """The report names the built-in's parser."""
    _, _, rest = done.stdout.partition("The report: example_project/")
    report = EXAMPLE / rest.partition(" ")[0]

    assert report.suffix == ".html"
    assert "ProtegoRobotParser" in report.read_text("utf-8")


def test_run_fails_for_a_crawl_that_fetches_disallowed_pages() -> None:
    """The exit code is 1 for a crawl with the built-in that takes the place of ours."""
    ran = subprocess.run(
        [sys.executable, "-c", BUILTIN_IN_OUR_PLACE],
        cwd=EXAMPLE,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
        timeout=TIME_LIMIT,
    )

    assert ran.returncode == 1
    assert "WRONG: " in ran.stdout
    assert "unavailable / is disallowed and was fetched" in ran.stdout


def test_serve_prints_every_origin_as_json() -> None:
    """`--serve` prints one line of JSON with the origin of every host."""
    served = command("run", "--serve")

    where = json.loads(served.stdout)
    assert served.returncode == 0
    assert where["start"].startswith(where["origins"]["records"])
    assert len(set(where["origins"].values())) == 13


@pytest.mark.parametrize("arguments", [[], ["--serve"]])
def test_ctrl_c_ends_the_run_with_a_sentence(arguments: list[str]) -> None:
    """The signal goes to the command and to its crawl, as from a terminal."""
    with subprocess.Popen(
        [EXAMPLE / "run", *arguments],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509 - no threads here
    ) as process:
        assert process.stdout is not None
        # Once it prints, it serves the sites, and starts a crawl or waits for Enter.
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=TIME_LIMIT)

    assert process.returncode == 130
    assert errors == "\nInterrupted: not everything was crawled.\n"
