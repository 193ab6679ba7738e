"""The long proofs, with few origins."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.support.crawl import ROOT

pytestmark = pytest.mark.long


def proof(name: str, *args: str) -> dict[str, Any]:
    """Run `python -m tools.proofs.NAME ARGS`, which must succeed; return its output."""
    command = [sys.executable, "-m", f"tools.proofs.{name}", *args]
    result = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    measured: dict[str, Any] = json.loads(result.stdout)
    return measured


def test_killed_writer_leaves_a_valid_database() -> None:
    """Every acknowledged policy is in the database after SIGKILL."""
    measured = proof("kills", "--kills", "6")

    assert (measured["kills"], measured["corrupt"], measured["lost"]) == (6, 0, 0)
    assert measured["written"] > 0


@pytest.mark.redis
def test_workers_fetch_each_origin_once_when_one_is_killed() -> None:
    """Three scrapy-redis workers with a real redis-server, one killed during the crawl."""
    measured = proof("fleet", "--kill", "--origins", "24", "--pages", "5")

    assert measured["origins_decided"] == 24
    assert measured["disallowed_fetched"] == 0
    assert measured["robots_requests"] <= 24 + measured["leases_at_the_kill"]


def test_memory_and_file_sizes_are_measured() -> None:
    """The process memory after each tenth of the origins, and the file size per origin."""
    measured = proof("million", "--origins", "500")

    assert len(measured["memory_mb_by_tenths"]) == 10
    assert measured["file_bytes_an_origin"] > 0


def test_large_files_are_passed_through_the_middleware() -> None:
    """Each origin gets its verdict; resident memory is printed for each fifth."""
    measured = proof("large_files", "--origins", "10", "--bytes", "2000")

    assert measured["allowed"] == 10
    assert len(measured["resident_mb_by_fifths"]) == 5


@pytest.mark.redis
def test_workers_of_one_queue_fetch_each_page_once() -> None:
    """Two scrapy-redis workers that find every page several times; no lease is lost."""
    measured = proof(
        "shared_queue", "--workers", "2", "--origins", "12", "--pages", "6"
    )

    assert measured["pages_fetched"] == measured["pages_permitted"] == 12 * 5
    assert measured["pages_fetched_twice"] == measured["disallowed_fetched"] == 0
    assert measured["robots_requests"] == 12
    # Each policy is stored, by a lease that is taken and ended.
    by_name = measured["commands_by_name"]
    assert by_name["del"] == 12
    assert measured["commands_sent"] >= 12 * 5


def test_random_crawls_lose_no_page() -> None:
    """Five crawls with different hosts, settings and middlewares."""
    measured = proof("random_crawls", "--first", "5", "--count", "5")

    assert measured["faulty"] == []
    assert measured["crawls"] == 5
    assert measured["requests"] > 5
