"""Kill a process that writes to a SQLite store at random moments.

`python -m tools.proofs.kills --kills 1000` prints its counts as JSON, and exits with
0 if the database was valid after each SIGKILL and no acknowledged entry was lost.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

from scrapy_robots1994 import Origin, open_store
from scrapy_robots1994.stores.base import Stored

END = 9e9
KILLS_PER_FILE = 25
"""Kills after which a new file is used, so that checking it stays quick."""

MAX_SECONDS = 0.15
"""The longest time that a writer may write."""


def host(number: int) -> Origin:
    """Return the origin with a number."""
    return Origin("http", f"host{number}.example", 80)


def write(path: str, first: int, write_end: int) -> None:
    """Write entries one after the other, and acknowledge the number of each."""
    store = open_store(f"sqlite:///{path}")
    for number in itertools.count(first):
        body = b"User-agent: *\nDisallow: /%d\n" % number * (number % 50 + 1)
        store.put(Stored(host(number), body, END))
        # The acknowledgement: a pipe keeps its data when the writer is killed.
        os.write(write_end, b"%d\n" % number)


def kill_once(path: str, first: int, seconds: float) -> int:
    """Start a writer at *first*, kill it, and return the last number it acknowledged.

    The writer is a fork, because starting an interpreter a thousand times takes hours.
    """
    read_end, write_end = os.pipe()
    writer = os.fork()
    if not writer:
        write(path, first, write_end)
    os.close(write_end)
    with open(read_end, "rb") as acknowledged:  # noqa: PTH123 - a pipe has no path
        # The time starts at the first write, so that a write is interrupted.
        acknowledged.readline()
        threading.Event().wait(seconds)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        numbers = [int(line) for line in acknowledged.read().split(b"\n") if line]
    return max(numbers, default=first)


def check(path: str, last: int) -> tuple[str, int]:
    """Return the result of SQLite's check, and the number of missing entries."""
    with closing(sqlite3.connect(path)) as db:
        status = str(db.execute("PRAGMA quick_check").fetchone()[0])
        rows = {name for (name,) in db.execute("SELECT origin FROM policies")}
    return status, sum(str(host(number)) not in rows for number in range(last + 1))


def prove(kills: int, seed: int = 1994) -> dict[str, Any]:
    """Kill writers one after the other, and check the file after each."""
    dice = random.Random(seed)  # noqa: S311 - the same moments each time
    measured: dict[str, Any] = {"kills": 0, "corrupt": 0, "lost": 0, "written": 0}
    with tempfile.TemporaryDirectory() as folder:
        for kill in range(kills):
            if kill % KILLS_PER_FILE == 0:
                path = str(Path(folder, f"robots-{kill}.db"))
                last = -1
            first = last + 1
            last = kill_once(path, first, dice.uniform(0, MAX_SECONDS))
            status, missing = check(path, last)
            measured["kills"] += 1
            measured["corrupt"] += status != "ok"
            measured["lost"] += missing
            measured["written"] += last + 1 - first
    return measured


def main() -> int:
    """Run the proof, print its measurements, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    measured = prove(parser.parse_args().kills)
    print(json.dumps(measured))  # noqa: T201 - its interface
    return 1 if measured["corrupt"] or measured["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
