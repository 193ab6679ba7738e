"""A real redis-server on loopback, which a test kills, hangs and starts again."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING

import redis

from tests.support import left_out

if TYPE_CHECKING:
    from typing_extensions import Self

PATIENCE = 20.0
"""Seconds until a server that does not answer fails the test."""


class RedisServer:
    """One server for as long as the `with` block lasts, with nothing in it.

    *options* are further arguments of redis-server. It keeps its port over `start` and
    `stop`, and forgets everything in between.
    """

    def __init__(self, *options: str, password: str = "") -> None:
        self._options = [*options, *(["--requirepass", password] if password else [])]
        self._password = password
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        self._folder = tempfile.TemporaryDirectory(prefix="redis-")
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it, whatever it is doing."""
        self.stop()
        self._folder.cleanup()

    @property
    def url(self) -> str:
        """Its URL as the client library writes it."""
        credentials = f":{self._password}@" if self._password else ""
        return f"redis://{credentials}127.0.0.1:{self.port}/0"

    def client(self) -> redis.Redis:
        """Make a client of its own for a look inside."""
        return redis.Redis.from_url(self.url)

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        # The mark may be missing from a test, or a fixture of its module starts it.
        left_out.require("redis")
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no", *self._options]
        self._process = subprocess.Popen(
            command,
            cwd=self._folder.name,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, "redis-server ended at once"
            assert time.monotonic() < give_up, "redis-server does not answer"
            time.sleep(0.02)

    def stop(self) -> None:
        """Kill it; what it held is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Let it take connections and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it answer again."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        """Whether it takes commands."""
        with contextlib.suppress(redis.RedisError), self.client() as client:
            return bool(client.ping())
        return False


def _free_port() -> int:
    """A port that nobody has, nor the one 10,000 above it, which a cluster takes.

    Both are below those that the system gives to the many connections of other tests
    (32,768 and up): one of them could take the second port at any moment.
    """
    while True:
        port = random.randrange(20_000, 22_700)  # noqa: S311 - no secret
        with (
            contextlib.suppress(OSError),
            socket.socket() as free,
            socket.socket() as above,
        ):
            free.bind(("127.0.0.1", port))
            above.bind(("127.0.0.1", port + 10_000))
            return port
