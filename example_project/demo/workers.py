"""Functions that start the workers of a shared crawl, and read the items of each worker."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from redis import Redis

PROJECT = Path(__file__).resolve().parents[1]
TIME_LIMIT = 600
"""The number of seconds after which a worker is killed."""


@dataclass(frozen=True, slots=True)
class Worker:
    """One worker process. The items and the log of the worker are files in *folder*."""

    number: int
    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def log(self) -> str:
        """The log of the worker."""
        path = self.folder / f"{self.number}.log"
        return path.read_text("utf-8", "replace")

    def items(self) -> list[dict[str, Any]]:
        """Return the items of the worker, one for each URL.

        An item says that the URL was fetched, refused, or failed.
        """
        path = self.folder / f"{self.number}.jsonl"
        lines = path.read_text("utf-8").split("\n") if path.exists() else []
        # Ignore an incomplete last line, which a killed worker can leave.
        return [json.loads(line) for line in lines if line.endswith("}")]


def push(server: Redis, name: str, urls: Iterable[str]) -> None:
    """Push *urls* into Redis as the start URLs of the crawl *name*."""
    with server.pipeline(transaction=False) as pipe:
        for url in urls:
            pipe.rpush(f"{name}:start", url)
        pipe.execute()


def start(
    count: int, folder: Path, redis_url: str, name: str, **settings: object
) -> list[Worker]:
    """Start *count* workers of one crawl, and return the workers.

    *settings* take precedence over the settings of the project.
    """
    environment = os.environ | {
        "SCRAPY_SETTINGS_MODULE": "example.distributed.settings",
        "REDIS_URL": redis_url,
        "CRAWL_NAME": name,
    }
    workers = []
    for number in range(1, count + 1):
        command = [sys.executable, "-m", "scrapy", "crawl", "worker"]
        command += ["-o", str(folder / f"{number}.jsonl")]
        for key, value in settings.items():
            command += ["-s", f"{key}={value}"]
        with (folder / f"{number}.log").open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=PROJECT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        workers.append(Worker(number, process, folder))
    return workers


def clear(server: Redis, name: str) -> None:
    """Delete the keys of the crawl *name* from Redis."""
    for key in server.scan_iter(match=f"{name}:*"):
        server.delete(key)
