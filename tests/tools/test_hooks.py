"""Tests of the hooks of pytest. Each hook is tested in a separate run of pytest."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.forked import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = """
import pytest

@pytest.mark.plugin("scrapy_nothing")
def test_with_a_plugin():
    raise AssertionError
"""
FAILING = """
import gc, socket

def test_that_fails():
    left = socket.socket()
    raise AssertionError

def test_that_passes():
    gc.collect()
"""


def run(
    folder: Path, hook: str, code: str, monkeypatch: pytest.MonkeyPatch, **env: str
) -> str:
    """Run pytest for the tests in *code*, with the hooks in the module
    `tests.support.HOOK`. Return the standard output of pytest.
    """
    for name in ("ROBOTS1994_TEST_ALL", "ROBOTS1994_TEST_SHORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    (folder / "test_it.py").write_text(code)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command = [sys.executable, "-m", "pytest", "-rsfE", "-p", f"tests.support.{hook}"]
    command += ["-p", "no:cacheprovider", "-W", "error", "-o", "markers=plugin"]
    done = subprocess.run(
        [*command, "test_it.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def test_test_of_a_missing_plugin_is_skipped_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a plugin is missing, a test that needs the plugin is skipped. If
    `ROBOTS1994_TEST_ALL` is set, the test fails instead. The output about a skipped or
    failed test contains the name of the missing plugin.
    """
    missing = "scrapy-nothing is missing: pip install scrapy-nothing"
    skipped = run(tmp_path, "left_out", PLUGIN, monkeypatch)
    failed = run(tmp_path, "left_out", PLUGIN, monkeypatch, ROBOTS1994_TEST_ALL="1")

    assert "1 skipped" in skipped
    assert missing in skipped
    assert "1 error" in failed
    assert missing in failed


def test_what_a_failed_test_leaves_fails_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a failed test leaves a socket open, the next test still passes. Without the
    hook, the next test would fail, because Python warns about the open socket, and
    warnings are errors.
    """
    out = run(tmp_path, "after_failure", FAILING, monkeypatch)

    assert "1 failed, 1 passed" in out, out
