"""If a program is missing, tests that need it are skipped or fail, and say how to install it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("variables", "code"),
    [({}, 0), pytest.param({"ROBOTS1994_TEST_ALL": "1"}, 1, marks=pytest.mark.long)],
)
def test_missing_program_skips_its_tests_or_fails_all(
    variables: dict[str, str], code: int
) -> None:
    tests = ("tests/stores/test_redis.py", "tests/crawl/test_browser.py")
    plain = {key: os.environ[key] for key in os.environ if "ROBOTS1994" not in key}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *tests],
        cwd=ROOT,
        env=plain | {"PATH": "/nowhere"} | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )

    assert ran.returncode == code
    assert "redis-server is missing: apt-get install redis-server\n" in ran.stdout
    missing = "chromium and chromedriver are missing: apt-get install chromium chromium-driver"
    assert missing in ran.stdout
    assert (" skipped in " in ran.stdout) == (not code)
