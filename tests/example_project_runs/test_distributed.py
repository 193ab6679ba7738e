"""Test of `example_project/distributed`: several workers with one Redis."""

from __future__ import annotations

import os
import re
from unittest import mock

import pytest

from tests.example_project_runs.commands import command, too_wide
from tests.support.redis_server import RedisServer


@pytest.mark.long
@pytest.mark.redis
@pytest.mark.parametrize("workers", ["3", "6"])
def test_workers_request_each_robots_txt_once(workers: str) -> None:
    """The command counts the requests for each host and finds them right."""
    with RedisServer() as server, mock.patch.dict(os.environ, REDIS_URL=server.url):
        done = command("distributed", "--workers", workers)
        with server.client() as client:
            left = list(client.scan_iter())

    assert done.returncode == 0, done.stdout + done.stderr
    # Except for the host that resets connections: network failures are not shared.
    counts = dict(re.findall(r"([a-z-]+) (\d+)", done.stdout.partition(" hosts:")[2]))
    assert int(counts.pop("reset")) in {1, 2}
    assert len(counts) == 12
    assert set(counts.values()) == {"1"}
    assert "Right: each robots.txt was requested once" in done.stdout
    assert [line for line in too_wide(done.stdout) if "http" not in line] == []
    assert left == []
