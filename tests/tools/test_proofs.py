"""Tests that run the long proofs with few origins or few crawls.

The exit code of a proof is 0 if the claim of the proof is true.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.crawl import ROOT

PROOFS = [
    pytest.param(
        # The workers of one queue fetch each allowed page once.
        "shared_queue --workers 2 --origins 12 --pages 6",
        {"pages_fetched": 12 * 5, "pages_permitted": 12 * 5, "robots_requests": 12},
        marks=pytest.mark.redis,
    ),
    # Crawls with different hosts, settings and middlewares do not lose any page.
    ("random_crawls --first 5 --count 5", {"crawls": 5, "faulty": []}),
]


@pytest.mark.long
@pytest.mark.parametrize(("command", "expected"), PROOFS)
def test_proof_holds(command: str, expected: dict[str, object]) -> None:
    """A proof ends with exit code 0, and prints the expected measurements as JSON."""
    name, *args = command.split()
    result = subprocess.run(
        [sys.executable, "-m", f"tools.proofs.{name}", *args],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )

    assert result.returncode == 0, result.stdout + result.stderr
    measured = json.loads(result.stdout)
    assert {it: measured[it] for it in expected} == expected
    # For each of the 12 stored policies, one lease was released.
    assert measured.get("commands_by_name", {"del": 12})["del"] == 12
    assert measured.get("written", 1) > 0
