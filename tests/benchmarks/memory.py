"""Memory of the policies of a corpus, each side in a process of its own.

`python -m tests.benchmarks.memory SIDE [FOLDER]` prints bytes an origin as JSON.
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

from tests.benchmarks.sides import ROBOT
from tests.benchmarks.timing import OURS, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).resolve().parents[2]
PROTEGO = "Protego"


def memory(corpus: str) -> Iterator[Result]:
    """Bytes an origin, held as the crawl holds it, asked once; and of a second host."""
    told = {side: _in_process(side, corpus) for side in (OURS, PROTEGO)}
    values = {side: [float(each["first"])] for side, each in told.items()}
    what = "memory of an origin, corpus policies held, each asked once"
    yield Result(what, "bytes", values, against=PROTEGO, target=8)
    values = {side: [float(each["again"])] for side, each in told.items()}
    what = "memory of one more origin with a body that is known"
    yield Result(what, "bytes", values, against=PROTEGO)


def _in_process(side: str, corpus: str) -> dict[str, float]:
    """What a process of its own measured."""
    command = [sys.executable, "-m", "tests.benchmarks.memory", side, corpus]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return told


def _ours(files: Sequence[bytes]) -> Callable[[str, int], None]:
    """Hold a policy as the middleware does: read, in the store, asked once."""
    from scrapy import Request  # noqa: PLC0415 - one side a process

    from scrapy_robots1994.origin import Origin  # noqa: PLC0415 - as above
    from tests.benchmarks.requests import holding, policy_of  # noqa: PLC0415 - as above

    middleware = holding([])
    read = middleware._resolver._backend.reader.read  # type: ignore[attr-defined]  # ours

    def hold(host: str, number: int) -> None:
        # A copy: each response has a body of its own.
        robots = read(bytes(bytearray(files[number])))
        policy = policy_of(Origin("http", host, 80), robots)
        robots.weakening_problems(ROBOT)
        robots.compress_body()
        middleware._resolver._memory.put(policy)
        with suppress(IgnoreRequest, StopIteration):
            middleware.process_request(Request(f"http://{host}/page")).send(None)

    return hold


def _protego(files: Sequence[bytes]) -> Callable[[str, int], None]:
    """Hold what Scrapy's built-in holds: netloc and parser."""
    from scrapy.robotstxt import ProtegoRobotParser  # noqa: PLC0415 - as above

    parsers: dict[str, Any] = {}

    def hold(host: str, number: int) -> None:
        parsers[host] = parser = ProtegoRobotParser(files[number], None)
        parser.allowed(f"http://{host}/page", ROBOT)

    return hold


def main(side: str, corpus: str) -> None:
    """Hold all files twice, under different hosts, and print what each time cost."""
    from tests.benchmarks.corpus import read_corpus  # noqa: PLC0415 - as above

    files = read_corpus(corpus)
    hold = {OURS: _ours, PROTEGO: _protego}[side](files)
    # The first makes what is made once: patterns, imports.
    hold("warm.test", 0)
    told = {}
    tracemalloc.start()
    for name in ("first", "again"):
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for number in range(len(files)):
            hold(f"{name}-{number}.test", number)
        gc.collect()
        told[name] = (tracemalloc.get_traced_memory()[0] - before) / len(files)
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
