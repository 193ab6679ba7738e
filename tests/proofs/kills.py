"""SIGKILL at random moments of a process that writes to a SQLite store.

`python -m tests.proofs.kills --kills 1000` prints what came of it as JSON, and ends
with 0 if the database was whole after each kill and no policy was lost whose write had
been acknowledged.
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

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.stores import Stored
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.sqlite import SqliteStore
from tests.policy.samples import parsed

END = 9e9
A_FILE = 25
"""Kills after which a new file is begun, so that looking at it stays quick."""

LONGEST = 0.15
"""Seconds of writing after which a writer is killed at the latest."""


def host(number: int) -> Origin:
    """Name the origin of a number."""
    return Origin("http", f"host{number}.example", 80)


def write(path: str, first: int, said: int) -> None:
    """Write policies one after the other, and say the number of each that is kept."""
    store = SqliteStore(path)
    for number in itertools.count(first):
        body = b"User-agent: *\nDisallow: /%d\n" % number * (number % 50 + 1)
        packed = encode(parsed(origin=host(number), body=body))
        store.put(Stored(host(number), packed, END))
        # This is the acknowledgement; a pipe outlives who wrote to it.
        os.write(said, b"%d\n" % number)


def kill_once(path: str, first: int, seconds: float) -> int:
    """Let a writer begin at *first*, kill it; the last number it acknowledged.

    The writer is a fork, so that a thousand of them take minutes and not hours.
    """
    heard, said = os.pipe()
    writer = os.fork()
    if not writer:
        write(path, first, said)
    os.close(said)
    with open(heard, "rb") as words:  # noqa: PTH123 - a pipe has no path
        # The clock begins with the first write: that is what is to be interrupted.
        words.readline()
        threading.Event().wait(seconds)
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        numbers = [int(line) for line in words.read().split(b"\n") if line]
    return max(numbers, default=first)


def look(path: str, last: int) -> tuple[str, int]:
    """What SQLite itself says of the file, and how many of the policies are missing."""
    with closing(sqlite3.connect(path)) as base:
        whole = str(base.execute("PRAGMA quick_check").fetchone()[0])
        rows = {name for (name,) in base.execute("SELECT origin FROM policies")}
    return whole, sum(str(host(number)) not in rows for number in range(last + 1))


def prove(kills: int, seed: int = 1994) -> dict[str, Any]:
    """Kill so many writers, one after the other, and look at the file after each."""
    dice = random.Random(seed)  # noqa: S311 - the same moments each time
    told: dict[str, Any] = {"kills": 0, "corrupt": 0, "lost": 0, "written": 0}
    with tempfile.TemporaryDirectory() as folder:
        for kill in range(kills):
            if kill % A_FILE == 0:
                path = str(Path(folder, f"robots-{kill}.db"))
                last = -1
            first = last + 1
            last = kill_once(path, first, dice.uniform(0, LONGEST))
            whole, missing = look(path, last)
            told["kills"] += 1
            told["corrupt"] += whole != "ok"
            told["lost"] += missing
            told["written"] += last + 1 - first
    return told


def main() -> int:
    """Prove, print, and say by the exit code whether it holds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    told = prove(parser.parse_args().kills)
    print(json.dumps(told))  # noqa: T201 - its interface
    return 1 if told["corrupt"] or told["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
