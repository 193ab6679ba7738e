"""`robots-compare`: processes, parsers, and settings of a project."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from tests.support.commands import SCRAPY, CommandResult, scrapy
from tests.support.compared_files import CLOSED
from tests.support.corpus import generated_files
from tests.support.forked import ROOT, TIMEOUT_SECONDS

MARKING = "tests.support.parsers.MarkingParser"


def compare(*args: object, **options: Any) -> CommandResult:
    return scrapy("robots-compare", *map(str, args), **options)


def test_one_and_two_processes_give_the_same_report(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    files = (generated_files() * 9)[:101]
    for number, (_, body) in enumerate(files):
        folder = tmp_path / ("more" if number % 3 else ".")
        (folder / f"{number:03}.test").write_bytes(body)

    one, two = (compare(tmp_path, "--processes", it, "--json") for it in (1, 2))

    assert (one.code, two.code) == (0, 0)
    first, second = json.loads(one.out), json.loads(two.out)
    first["metadata"].pop("made")
    second["metadata"].pop("made")
    assert first == second
    assert first["files"] == len(files)
    assert {row["cause"] for row in first["rows"]} >= {"wildcard", "spelling"}
    assert two.err.splitlines() == ["100 of 101 files"]


# A terminal sends Ctrl-C to all processes of a command.
INTERRUPTING = """
import os, signal, sys
if "--multiprocessing-fork" in sys.orig_argv:
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_ctrl_c_ends_no_process_that_starts(tmp_path: Path) -> None:
    for number in range(51):
        (tmp_path / f"{number}.test").write_bytes(CLOSED)
    (tmp_path / ".path").mkdir()
    (tmp_path / ".path/sitecustomize.py").write_text(INTERRUPTING)
    paths = os.pathsep.join([str(tmp_path / ".path"), str(ROOT)])

    ended = subprocess.run(
        [*SCRAPY, "robots-compare", tmp_path, "--processes", "2"],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, "")


def test_parser_that_ends_its_process_is_one_sentence(tmp_path: Path) -> None:
    for number in range(51):
        (tmp_path / f"{number}.test").write_bytes(CLOSED)

    report = tmp_path / ".report.html"
    report.write_text("of an earlier comparison")
    options = "--parsers", "tests.support.parsers.EndingParser", "--report", report
    result = compare(tmp_path, *options)

    assert result.code == 3
    assert report.read_text() == "of an earlier comparison"
    assert "a parser ended its process" in result.err
    assert "Traceback" not in result.err


def test_settings_of_the_project_and_of_a_spider_reach_the_parsers(
    tmp_path: Path,
) -> None:
    """Two settings are lambdas, which cannot be pickled for the processes of the pool."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = town.settings\n")
    (tmp_path / "town").mkdir()
    files = {
        "__init__.py": "",
        "settings.py": "SPIDER_MODULES = ['town']\nKEY = lambda: 1\n",
        "spider.py": (
            "import scrapy\n\nclass Walker(scrapy.Spider):\n    name = 'walker'\n"
            "    custom_settings = {'MARKER': 'reached', 'OTHER': lambda: 2}\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / "town" / name).write_text(text)
    options = ("--spider", "walker", "--parsers", MARKING)

    # More than 50 files are compared by a pool of processes.
    for number in (1, 51):
        for each in range(number):
            (tmp_path / f"{each}.test").write_bytes(CLOSED)
        result = compare(*tmp_path.glob("*.test"), *options, folder=tmp_path)

        assert (result.code, result.err) == (0, "")
        assert number == 1 or "printed" not in result.out
        (tmp_path / "reached").unlink()


def test_parser_whose_library_is_missing_is_left_out(tmp_path: Path) -> None:
    missing = "raise ImportError('missing', name='robotexclusionrulesparser')\n"
    (tmp_path / "robotexclusionrulesparser.py").write_text(missing)

    done = subprocess.run(
        [*SCRAPY, "robots-compare", "README.md"],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_SECONDS,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "PythonRobotParser" in done.stdout
    assert "RerpRobotParser" not in done.stdout
