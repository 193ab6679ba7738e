"""Measure the memory of our policies and of Protego's parsers, each in a process of its own.

`python -m tools.bench.memory SIDE CORPUS` prints the bytes per origin as JSON.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import tracemalloc
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import IgnoreRequest

from tools.bench.sides import ROBOT
from tools.bench.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
PROTEGO = "Protego"


def memory(corpus: str) -> Iterator[Result]:
    """Measure the memory that an origin takes if its file is new, and if the file is already stored
    for another origin.
    """
    measured = {side: _in_process(side, corpus) for side in (OURS, PROTEGO)}
    values = {side: [float(each["first"])] for side, each in measured.items()}
    what = "memory of an origin whose file is new"
    yield Result(what, "bytes", values, against=PROTEGO, target=5)
    values = {side: [float(each["again"])] for side, each in measured.items()}
    what = "memory of an origin whose file is already stored for another"
    yield Result(what, "bytes", values, against=PROTEGO)


def _in_process(side: str, corpus: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tools.bench.memory", side, corpus]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    measured: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return measured


def _ours(files: Sequence[bytes]) -> Callable[[str, int], None]:
    """Return a function that stores a policy and uses it once, as our middleware does."""
    from scrapy import Request  # noqa: PLC0415 - each process measures only one side

    from scrapy_robots1994.origin import Origin  # noqa: PLC0415 - each process measures only one side
    from tools.bench.requests import (  # noqa: PLC0415 - each process measures only one side
        SETTINGS,
        middleware_with,
        policy_of,
    )

    middleware = middleware_with([])

    def store(host: str, number: int) -> None:
        # Copy the body, because equal bodies are separate objects in a crawl.
        body = bytes(bytearray(files[number]))
        # In a crawl, a URL and its policy share one origin object.
        url = f"http://{host}/page"
        origin = Origin.of(url)
        assert origin is not None
        policy = policy_of(origin, body, middleware)
        robots = policy.robots
        assert robots is not None
        robots.prepare(str(SETTINGS["USER_AGENT"]))
        middleware._resolver.memory[policy.origin] = policy
        with suppress(IgnoreRequest, StopIteration):
            middleware.process_request(Request(url)).send(None)

    return store


def _protego(files: Sequence[bytes]) -> Callable[[str, int], None]:
    """Return a function that stores a parser and uses it once, as the built-in middleware does."""
    from scrapy.robotstxt import ProtegoRobotParser  # noqa: PLC0415 - each process measures only one side

    parsers: dict[str, Any] = {}

    def store(host: str, number: int) -> None:
        parsers[host] = parser = ProtegoRobotParser(files[number], None)
        parser.allowed(f"http://{host}/page", ROBOT)

    return store


def main(side: str, corpus: str) -> None:
    """Store all files for one set of hosts and then for another, and print the memory per host."""
    from tools.bench.corpus import read_corpus  # noqa: PLC0415 - only the measuring process needs it

    files = read_corpus(corpus)
    hold = {OURS: _ours, PROTEGO: _protego}[side](files)
    # Store one file before measuring, because the first one also allocates what all files share.
    hold("warm.test", 0)
    measured = {}
    tracemalloc.start()
    for name in ("first", "again"):
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(len(files)):
            hold(f"{name}-{number}.test", number)
        gc.collect()
        measured[name] = (tracemalloc.get_traced_memory()[0] - before) / len(files)
    sys.stdout.write(json.dumps(measured) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
