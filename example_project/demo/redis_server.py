"""A Redis server for the workers."""

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

TIME_LIMIT = 20.0


@contextmanager
def some_redis() -> Iterator[str]:
    """Yield the URL in `REDIS_URL`, or else the URL of a new server."""
    if url := os.environ.get("REDIS_URL"):
        yield url
        return
    program = shutil.which("redis-server")
    if program is None:
        sys.exit(
            "redis-server is missing: run `apt-get install redis-server`, or set REDIS_URL"
        )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"redis://127.0.0.1:{port}/0"
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    with tempfile.TemporaryDirectory() as folder:
        # A new session: otherwise, Ctrl-C would end the server before the keys are deleted.
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
    try:
        with redis.Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
