"""Tests of ``example_project/distributed``: three workers, one Redis, one town."""

from __future__ import annotations

import os
from unittest import mock

from tests.example_project_runs.commands import too_wide, typed_as_written
from tests.support.readme import typed
from tests.support.redis_server import RedisServer


def test_three_workers_ask_each_robots_txt_once() -> None:
    """The command says so itself: who did what, and that it was right."""
    with RedisServer() as server, mock.patch.dict(os.environ, REDIS_URL=server.url):
        told = typed_as_written(typed("example_project/distributed"))
        with server.client() as client:
            left = list(client.scan_iter())

    assert told.returncode == 0, told.stdout + told.stderr
    assert "robots.txt requests in all: 13, of 13 hosts" in told.stdout
    assert "Right: each robots.txt was asked for once" in told.stdout
    assert [line for line in too_wide(told.stdout) if "http" not in line] == []
    assert left == []
