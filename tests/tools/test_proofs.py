"""The long proofs, with few origins. A proof exits with 0 if its claim is true."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.crawl import ROOT

PROOFS = [
    pytest.param(
        # Workers of one queue fetch each page once.
        "shared_queue --workers 2 --origins 12 --pages 6",
        {"pages_fetched": 12 * 5, "pages_permitted": 12 * 5, "robots_requests": 12},
        marks=pytest.mark.redis,
    ),
    # Crawls with different hosts, settings and middlewares lose no page.
    ("random_crawls --first 5 --count 5", {"crawls": 5, "faulty": []}),
]


@pytest.mark.long
@pytest.mark.parametrize(("command", "expected"), PROOFS)
def test_proof_holds(command: str, expected: dict[str, object]) -> None:
    """`python -m tools.proofs.NAME` prints its measurements, each value with its name."""
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
    # For each stored policy, one lease is acquired and released.
    assert measured.get("commands_by_name", {"del": 12})["del"] == 12
    assert measured.get("written", 1) > 0
