"""Run a few of the random crawls in `tools/proofs`."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.crawl import ROOT


@pytest.mark.long
def test_random_crawls_lose_no_page() -> None:
    command = [sys.executable, "-m", "tools.proofs.random_crawls"]
    result = subprocess.run(
        [*command, "--first", "5", "--count", "5"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )

    assert result.returncode == 0, result.stdout + result.stderr
    assert json.loads(result.stdout)["faulty"] == []
