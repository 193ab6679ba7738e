"""The long proofs, small."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.crawl import ROOT

pytestmark = pytest.mark.long


def proof(name: str, *args: str) -> dict[str, Any]:
    """Run `python -m tests.proofs.NAME ARGS` and return what it prints; it must hold."""
    command = [sys.executable, "-m", f"tests.proofs.{name}", *args]
    ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def test_a_killed_writer_leaves_a_whole_database() -> None:
    """Every policy that was acknowledged is there after SIGKILL."""
    told = proof("kills", "--kills", "6")

    assert (told["kills"], told["corrupt"], told["lost"]) == (6, 0, 0)
    assert told["written"] > 0


@pytest.mark.redis
def test_a_fleet_asks_each_origin_once_though_one_is_killed() -> None:
    """scrapy-redis, three workers, a real redis-server, SIGKILL in mid-crawl."""
    told = proof("fleet", "--kill", "--origins", "24", "--pages", "5")

    assert told["origins_decided"] == 24
    assert told["closed_fetched"] == 0
    assert told["robots_requests"] <= 24 + told["leases_at_the_kill"]


def test_a_bounded_memory_and_a_file_are_measured() -> None:
    """Memory by tenths of the origins, and bytes of the file for each origin."""
    told = proof("million", "--origins", "500")

    assert len(told["memory_mb_by_tenths"]) == 10
    assert told["file_bytes_an_origin"] > 0
