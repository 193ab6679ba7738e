"""Functions that find a Redis server for the workers, or start a server for the crawl."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import redis

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCAL = "redis://127.0.0.1:6379/0"
TIME_LIMIT = 20.0
"""The number of seconds within which a started server must respond."""


@contextmanager
def some_redis() -> Iterator[str]:
    """Yield the URL of a Redis server.

    The Redis server is the server in REDIS_URL, a server on this machine, or a new
    server.
    """
    url = os.environ.get("REDIS_URL") or (LOCAL if answers(LOCAL) else "")
    if url:
        print(f"Redis: {url}")
        yield url
        return
    with started_redis() as url:
        print(f"Redis: none here, so one was started at {url}")
        yield url


@contextmanager
def started_redis() -> Iterator[str]:
    """Start a redis-server, yield its URL, and end the server after the block."""
    program = shutil.which("redis-server")
    if program is None:
        sys.exit(
            "No Redis answers, and redis-server is missing: apt-get install redis-server"
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"redis://127.0.0.1:{port}/0"
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with tempfile.TemporaryDirectory() as folder:
        # Start the server in its own session, so that Ctrl-C does not end the server before the
        # keys are deleted.
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True
        )
        try:
            give_up = time.monotonic() + TIME_LIMIT
            while not answers(url):
                if process.poll() is not None or time.monotonic() > give_up:
                    sys.exit(f"{program} does not answer at {url}")
                time.sleep(0.05)
            yield url
        finally:
            process.kill()
            process.wait()


def answers(url: str) -> bool:
    """Return whether a Redis server responds at *url*."""
    try:
        with redis.Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
