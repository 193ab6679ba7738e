"""Tests of `tests/run`, and of the list of skipped tests at the end of a pytest run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run *command* in the current environment, with *variables* added.

    Existing variables whose names contain ROBOTS1994 are removed from the environment.
    """
    plain = {key: os.environ[key] for key in os.environ if "ROBOTS1994" not in key}
    return subprocess.run(
        command,
        cwd=ROOT,
        env=plain | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )


def without_programs(*arguments: str, **variables: str) -> tuple[int, list[str]]:
    """Run pytest with a PATH without programs. Return the exit code and the output lines."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    ran = run(*command, PATH="/nowhere", **variables)
    return ran.returncode, ran.stdout.splitlines()


REDIS = "tests/stores/test_redis.py"
BROWSER = "tests/commands/test_report_page.py"


def test_last_lines_name_each_group_of_skipped_tests() -> None:
    """The last lines describe each group of skipped tests. The line about a group
    contains the number of tests, the missing program, and the command that installs the
    program.
    """
    code, lines = without_programs(REDIS, BROWSER)

    assert code == 0
    closing, total, *groups = lines[-4:]
    counts = [int(group.split()[0]) for group in groups]
    assert f"{sum(counts)} skipped in" in closing
    assert total == f"Left out: {sum(counts)} tests"
    browser, redis = sorted(group.split(maxsplit=1)[1] for group in groups)
    assert browser.startswith("chromium and chromedriver are missing: ")
    assert browser.endswith("apt-get install chromium chromium-driver")
    assert redis == "redis-server is missing: apt-get install redis-server"


@pytest.mark.long
def test_missing_program_fails_a_run_of_all_tests() -> None:
    """`tests/run --all` sets `ROBOTS1994_TEST_ALL`. If `ROBOTS1994_TEST_ALL` is set, a
    test whose program is missing fails.
    """
    code, lines = without_programs(REDIS, ROBOTS1994_TEST_ALL="1")

    assert code == 1
    assert " skipped" not in lines[-1]
    assert any("redis-server is missing: apt-get install" in line for line in lines)


@pytest.mark.parametrize(
    "arguments",
    ["--quick --all", "--all --quick", "--quick tests/oracle", "tests/oracle --all"],
)
def test_incompatible_modes_are_rejected(arguments: str, tmp_path: Path) -> None:
    """If modes are incompatible, `tests/run` prints one error line, installs nothing, and
    ends with exit code 2.
    """
    ran = run(ROOT / "tests/run", *arguments.split(), VENV=str(tmp_path / "venv"))

    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
