"""Run `tests/run`, and check its messages about missing programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run *command* without the caller's environment variables named like ROBOTS1994_…."""
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


@pytest.mark.parametrize(
    ("variables", "code"),
    [({}, 0), pytest.param({"ROBOTS1994_TEST_ALL": "1"}, 1, marks=pytest.mark.long)],
)
def test_missing_program_skips_its_tests_or_fails_all(
    variables: dict[str, str], code: int
) -> None:
    tests = ("tests/stores/test_redis.py", "tests/crawl/test_browser.py")
    ran = run(sys.executable, "-m", "pytest", *tests, PATH="/nowhere", **variables)

    assert ran.returncode == code
    assert "redis-server is missing: apt-get install redis-server\n" in ran.stdout
    missing = "chromium and chromedriver are missing: apt-get install chromium chromium-driver"
    assert missing in ran.stdout
    assert (" skipped in " in ran.stdout) == (not code)


@pytest.mark.parametrize(
    "arguments",
    ["--quick --all", "--all --quick", "--quick tests/oracle", "tests/oracle --all"],
)
def test_incompatible_modes_are_rejected(arguments: str, tmp_path: Path) -> None:
    ran = run(ROOT / "tests/run", *arguments.split(), VENV=str(tmp_path / "venv"))

    assert (ran.returncode, ran.stdout) == (2, "")
    assert len(ran.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
