"""Crawl the hosts of `./run` with several workers, and print how many pages each worker fetched.

The exit code is 0 if all workers together requested each robots.txt once, and fetched
exactly the allowed pages. The count for the host that resets connections may be higher
than one. Each worker that has a page of such a host requests the robots.txt of the host,
because workers do not share network failures.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
import uuid
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import redis

from demo import end_with, workers
from demo.hosts import HOSTS
from demo.redis_server import some_redis
from demo.server import LocalSites
from demo.serving import Served, serve

if TYPE_CHECKING:
    from demo.workers import Worker

WIDTH = 100


def crawl(count: int, served: Served, url: str, folder: Path) -> list[Worker]:
    """Crawl all hosts with *count* workers, and return the workers when they have ended."""
    name = f"example-{uuid.uuid4().hex[:8]}"
    with redis.Redis.from_url(url) as server:
        workers.push(server, name, served.allowed)
        started = workers.start(count, folder, url, name)
        try:
            for worker in started:
                worker.process.wait(workers.TIME_LIMIT)
        finally:
            for worker in started:
                worker.process.kill()
                worker.process.wait()
            workers.clear(server, name)
    return started


def print_workers(served: Served, started: list[Worker]) -> None:
    """Print the page counts of each worker, and every refusal."""
    print(f"\n{'worker':<10}{'pages':>8}{'refused':>10}")
    for worker in started:
        items = worker.items()
        refused = sum("refused" in item for item in items)
        pages = sum("status" in item for item in items)
        print(f"{worker.number:<10}{pages:>8}{refused:>10}")
    refusals = sorted(
        (*served.short(item["url"]), item["refused"])
        for worker in started
        for item in worker.items()
        if "refused" in item
    )
    print("\nRefused:")
    for host, path, why in refusals:
        print(f"  {host} {path}: {why}"[:WIDTH])


def expected_requests(served: Served, started: list[Worker]) -> dict[str, int]:
    """Return how often all workers together should request the robots.txt of each host."""
    crawled = Counter(
        name
        for worker in started
        for name in {served.short(item["url"])[0] for item in worker.items()}
    )
    # Workers do not share a network failure (Ours R5, unreachable).
    return {host.name: crawled[host.name] if host.is_reset else 1 for host in HOSTS}


def check(sites: LocalSites, served: Served, started: list[Worker]) -> bool:
    """Print the number of robots.txt requests, and return whether the crawl was right.

    A crawl is right if the robots.txt requests and the fetched pages are as expected.
    """
    urls = [request.url for request in sites.received]
    requests = Counter(
        served.short(url)[0] for url in urls if url.endswith("/robots.txt")
    )
    print(f"\nrobots.txt requests in all: {requests.total()}, of {len(HOSTS)} hosts:")
    counts = ", ".join(f"{name} {times}" for name, times in sorted(requests.items()))
    print(textwrap.indent(textwrap.fill(counts, WIDTH - 2), "  "))
    fetched = {url for url in urls if url in served.allowed}
    allowed = {url for url, is_allowed in served.allowed.items() if is_allowed}
    return fetched == allowed and requests == expected_requests(served, started)


def main() -> int:
    """Serve the hosts, run a crawl with several workers, and return the exit code."""
    parser = argparse.ArgumentParser(prog="distributed", description=__doc__)
    parser.add_argument("--workers", type=int, default=3, help="3 by default")
    count = parser.parse_args().workers
    with LocalSites(len(HOSTS)) as sites, tempfile.TemporaryDirectory() as folder:
        served = serve(sites)
        with some_redis() as url:
            started = crawl(count, served, url, Path(folder))
        print_workers(served, started)
        is_right = check(sites, served, started)
        failed = [worker for worker in started if worker.process.returncode]
        for worker in failed:
            print(f"\nworker {worker.number} failed:\n{worker.log[-2000:]}")
    if is_right and not failed:
        print("\nRight: each robots.txt was requested once, and all workers obeyed.")
        return 0
    print("\nWRONG: see above.")
    return 1


if __name__ == "__main__":
    end_with(main)
