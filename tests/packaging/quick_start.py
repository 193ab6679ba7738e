"""The README's way from an empty directory to a first refusal, typed as written."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.packaging.building import environment
from tests.support import readme

if TYPE_CHECKING:
    from collections.abc import Iterator

WRITTEN = "8994"
"""The port that the README writes; here a free one stands for it."""


@dataclass(frozen=True, slots=True)
class Start:
    """What the README says to type, and what it says will be told."""

    first: str
    spider: str
    second: str
    told: list[str]
    port: int


def written() -> Start:
    """The blocks of the README's section, on a free port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    shown = (
        readme.block("python3 -m venv venv …"),
        readme.code("class FirstSpider(scrapy.Spider)"),
        readme.block("venv/bin/scrapy runspider first.py"),
        readme.told("venv/bin/scrapy runspider first.py"),
    )
    first, spider, second, told = (it.replace(WRITTEN, str(port)) for it in shown)
    return Start(first, spider, second, told.splitlines(), port)


@contextlib.contextmanager
def typed(lines: str, folder: Path, dist: Path) -> Iterator[str]:
    """What the shell says to *lines*; what it started ends with the block."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    more = {"PATH": path, "PIP_FIND_LINKS": str(dist)}
    said = folder / "said.txt"
    with said.open("wb") as out:
        shell = subprocess.Popen(
            ["sh", "-ec", lines],
            cwd=folder,
            env=environment() | more,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        assert shell.wait(300) == 0, said.read_text("utf-8")
        yield said.read_text("utf-8")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)


def await_server(port: int, patience: float = 60.0) -> None:
    """Return once somebody listens, as the time that typing takes sees to."""
    end = time.monotonic() + patience
    at = ("127.0.0.1", port)
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(at):
            return
    message = f"nobody listens at {port}"
    raise AssertionError(message)


def play(start: Start, folder: Path, dist: Path) -> str:
    """Type all of it in the empty *folder*; what the crawl logs."""
    (folder / "first.py").write_text(start.spider)
    with typed(start.first, folder, dist):
        await_server(start.port)
        with typed(start.second, folder, dist) as log:
            return log
