"""Test of `example_project/distributed`: three workers, one Redis, the same hosts."""

from __future__ import annotations

import os
from unittest import mock

import pytest

from tests.example_project_runs.commands import command, too_wide
from tests.support.redis_server import RedisServer


@pytest.mark.long
@pytest.mark.redis
def test_three_workers_request_each_robots_txt_once() -> None:
    """The command says so itself: who fetched what, and that it was right."""
    with RedisServer() as server, mock.patch.dict(os.environ, REDIS_URL=server.url):
        done = command("distributed")
        with server.client() as client:
            left = list(client.scan_iter())

    assert done.returncode == 0, done.stdout + done.stderr
    assert "robots.txt requests in all: 13, of 13 hosts" in done.stdout
    assert "Right: each robots.txt was requested once" in done.stdout
    assert [line for line in too_wide(done.stdout) if "http" not in line] == []
    assert left == []
