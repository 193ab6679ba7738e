"""Measure look-up time and file size of a SQLite store with many origins.

`python -m tools.proofs.million --origins 1000000` prints its measurements as JSON.
Compare ratios of runs on one machine, not seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from scrapy_robots1994.origin import Origin
from scrapy_robots1994.policy.fetch_result import RobotsResponse
from scrapy_robots1994.policy.policy import FreshnessSettings, Policy
from scrapy_robots1994.robotstxt import Reader
from scrapy_robots1994.stores.base import Stored
from scrapy_robots1994.stores.codec import encode
from scrapy_robots1994.stores.memory import MemoryStore
from scrapy_robots1994.stores.sqlite import SqliteStore
from tests.support.corpus import corpus_files

LOOKUPS = 20_000
MAX_IN_MEMORY = 100_000


def host(number: int) -> Origin:
    """Return the origin with a number."""
    return Origin("https", f"www.host-{number}.example", 443)


def policies(bodies: list[bytes], origins: int, now: float) -> Any:
    """Yield a policy for each origin, from files of the corpus with a unique first line."""
    terms, reader = FreshnessSettings(), Reader("1994", "literal", 512_000)
    for number in range(origins):
        body = b"# %d\n" % number + bodies[number % len(bodies)]
        response = RobotsResponse(200, body, etag=f'"{number:x}"')
        yield Policy.from_response(host(number), response, reader, now, terms)


def look_up(store: SqliteStore, numbers: list[int]) -> list[float]:
    """Return the sorted seconds of each look-up."""
    took = []
    for number in numbers:
        began = time.perf_counter()
        store.get(host(number))
        took.append(time.perf_counter() - began)
    return sorted(took)


def micros(took: list[float], share: float) -> int:
    """Return a quantile in microseconds."""
    return round(took[int(len(took) * share)] * 1e6)


def measure(path: Path, origins: int) -> dict[str, Any]:
    """Store policies of *origins*, and look up known and unknown origins."""
    now = time.time()
    bodies = [body for _, body in corpus_files() if len(body) < 20_000]
    store = SqliteStore(str(path), max_bytes=10**12, timeout=60)
    store.put(Stored(host(-1), b"", now + 1))
    encoded_bytes = 0
    for policy in policies(bodies, origins, now):
        entry = encode(policy)
        encoded_bytes += len(entry)
        store.put(Stored(policy.origin, entry, policy.keep_until))
    dice = random.Random(1994)  # noqa: S311 - the same look-ups each time
    known = look_up(store, [dice.randrange(origins) for _ in range(LOOKUPS)])
    unknown = look_up(store, [origins + dice.randrange(10**9) for _ in range(LOOKUPS)])
    store.close()
    return {
        "origins": origins,
        "known_p50_us": micros(known, 0.5),
        "known_p99_us": micros(known, 0.99),
        "unknown_p50_us": micros(unknown, 0.5),
        "unknown_p99_us": micros(unknown, 0.99),
        "packed_bytes_an_origin": round(encoded_bytes / origins),
    }


def memory_of(origins: int, bound: int) -> list[int]:
    """Return the process megabytes after each tenth of *origins*, with bounded memory."""
    now = time.time()
    bodies = [body for _, body in corpus_files() if len(body) < 20_000]
    memory = MemoryStore(bound, time.time)
    sizes = []
    policy: Policy
    for number, policy in enumerate(policies(bodies, origins, now), 1):
        if policy.robots is not None:
            policy.robots.compress_body()
        memory.put(policy)
        if number % (origins // 10) == 0:
            sizes.append(resident() // 2**20)
    return sizes


def resident() -> int:
    """Return the resident bytes of this process."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--origins", type=int, default=1_000_000)
    parser.add_argument("--in-memory", type=int, default=0, help="as many as --origins")
    parser.add_argument("--folder", help="folder for the database")
    opts = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=opts.folder) as folder:
        path = Path(folder, "robots.db")
        measured = measure(path, opts.origins)
        measured["file_bytes_an_origin"] = round(path.stat().st_size / opts.origins)
    passed = opts.in_memory or opts.origins
    measured["memory_mb_by_tenths"] = memory_of(passed, min(MAX_IN_MEMORY, passed // 3))
    print(json.dumps(measured))  # noqa: T201 - its interface
    return 0


if __name__ == "__main__":
    sys.exit(main())
