"""A redis-server on loopback that a test can kill, suspend and restart."""

from __future__ import annotations

import contextlib
import random
import signal
import socket
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, Any

import redis

from tests.support import left_out

if TYPE_CHECKING:
    from typing_extensions import Self

TIMEOUT_SECONDS = 20.0


class RedisServer:
    """A server that is empty at first and runs until the `with` block ends.

    After `stop` and `start`, it is empty again but keeps its port.
    """

    def __init__(self, *options: str, password: str = "") -> None:
        self._options = [*options, *(["--requirepass", password] if password else [])]
        self._password = password
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="redis-")
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._folder.cleanup()

    @property
    def url(self) -> str:
        credentials = f":{self._password}@" if self._password else ""
        return f"redis://{credentials}127.0.0.1:{self.port}/0"

    @property
    def queue(self) -> dict[str, Any]:
        """Settings that make scrapy-redis keep the requests of a crawl on this server."""
        return {
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "SCHEDULER_PERSIST": True,
            "REDIS_URL": self.url,
        }

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)

    def start(self) -> None:
        # Check again, because tests without the marker `redis` start servers too.
        left_out.require("redis")
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no", *self._options]
        self._process = subprocess.Popen(
            command,
            cwd=self._folder.name,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + TIMEOUT_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "redis-server ended at once"
            assert time.monotonic() < give_up, "redis-server does not answer"
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def hang(self) -> None:
        """Suspend the server, which then accepts connections but does not answer."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def _answers(self) -> bool:
        """Whether the server at the port is the one that this object started."""
        assert self._process is not None
        with contextlib.suppress(redis.RedisError), self.client() as client:
            known: Any = client.info("server")
            return bool(known["process_id"] == self._process.pid)
        return False


def free_port() -> int:
    """Return a free port outside the ephemeral range, so that no outgoing connection takes it."""
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311 - not a secret
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
