"""Crawls the town with several workers and prints who did what.

Ends with 0 if every robots.txt was asked for once in all, and exactly the pages were
fetched that the town leaves open.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import textwrap
import uuid
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import redis

from fleet import workers
from tests.support.redis_server import RedisServer
from tour.opening import empty_site, open_town
from tour.town_map import TOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleet.workers import Worker
    from tests.support.site import Site
    from tour.opening import Opened

WIDTH = 100
HERE = "redis://127.0.0.1:6379/0"


@contextmanager
def some_redis() -> Iterator[str]:
    """Yield the URL of a Redis: the one of REDIS_URL, of this machine, or a new one."""
    wanted = os.environ.get("REDIS_URL")
    if wanted or answers(HERE):
        print(f"Redis: {wanted or HERE}")
        yield wanted or HERE
        return
    with RedisServer() as server:
        print(f"Redis: none here, so one was started at {server.url}")
        yield server.url


def answers(url: str) -> bool:
    """Whether a Redis takes commands at *url*."""
    try:
        with redis.Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def crawl(count: int, town: Opened, url: str, folder: Path) -> list[Worker]:
    """Crawl the town with *count* workers to the end."""
    name = f"fleet-{uuid.uuid4().hex[:8]}"
    with redis.Redis.from_url(url) as server:
        workers.push(server, name, town.welcome)
        crew = workers.start(count, folder, url, name)
        try:
            for worker in crew:
                worker.process.wait(workers.PATIENCE)
        finally:
            for worker in crew:
                worker.process.kill()
                worker.process.wait()
            workers.clear(server, name)
    return crew


def report(site: Site, town: Opened, crew: list[Worker]) -> bool:
    """Print who did what; return whether all of it was right."""
    print(f"\n{'worker':<10}{'pages':>8}{'refused':>10}")
    for worker in crew:
        notes = worker.notes()
        refused = sum("refused" in note for note in notes)
        got = sum("status" in note for note in notes)
        print(f"{worker.number:<10}{got:>8}{refused:>10}")
    refusals = sorted(
        (*town.short(note["url"]), note["refused"])
        for worker in crew
        for note in worker.notes()
        if "refused" in note
    )
    print("\nRefused:")
    for place, path, why in refusals:
        print(f"  {place} {path}: {why}"[:WIDTH])
    asked = Counter(town.short(f"http://{seen.host}/")[0] for seen in robots_of(site))
    expected = Counter(place.name for place in TOWN if place.pages)
    # Who asks the post is sent on to the depot.
    expected.update(p.policy for p in TOWN if isinstance(p.policy, str))
    print(f"\nrobots.txt requests in all: {asked.total()}, of {len(TOWN)} hosts:")
    told = ", ".join(f"{name} {times}" for name, times in sorted(asked.items()))
    print(textwrap.indent(textwrap.fill(told, WIDTH - 2), "  "))
    asked_for = {f"http://{seen.host}{seen.target}" for seen in site.log()}
    fetched = {url for url in asked_for if url in town.welcome}
    open_pages = {url for url, is_open in town.welcome.items() if is_open}
    return asked == expected and fetched == open_pages


def robots_of(site: Site) -> list[Any]:
    """Return the robots.txt requests that the town saw."""
    return site.log("/robots.txt")


def main() -> int:
    """Open the town, crawl it with a fleet, tell; return the exit code."""
    parser = argparse.ArgumentParser(prog="distributed", description=__doc__)
    parser.add_argument("--workers", type=int, default=3, help="3 unless you say more")
    count = parser.parse_args().workers
    with empty_site() as site, tempfile.TemporaryDirectory() as folder:
        town = open_town(site)
        with some_redis() as url:
            crew = crawl(count, town, url, Path(folder))
        is_right = report(site, town, crew)
        failed = [worker for worker in crew if worker.process.returncode]
        for worker in failed:
            print(f"\nworker {worker.number} failed:\n{worker.log[-2000:]}")
    if is_right and not failed:
        print("\nRight: each robots.txt was asked for once, and obeyed by all workers.")
        return 0
    print("\nWRONG: see above.")
    return 1


if __name__ == "__main__":
    sys.exit(main())
