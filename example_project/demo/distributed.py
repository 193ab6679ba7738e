"""Crawl the hosts of `./run` with several workers that share a Redis server.

The exit code is 0 if the workers fetched exactly the allowed pages, and requested each robots.txt
once. The robots.txt of an unreachable host must be requested once by each worker that crawls the
host.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

import redis

from demo import end_with
from demo.crawling import PROJECT
from demo.hosts import HOSTS
from demo.redis_server import some_redis
from demo.server import LocalSites
from demo.serving import Served, serve

WIDTH = 100
TIME_LIMIT = 600
"""After this many seconds, a worker is killed."""

Items: TypeAlias = list[dict[str, Any]]


def crawl(count: int, served: Served, url: str) -> list[Items]:
    name = f"example-{uuid4().hex[:8]}"
    environment = os.environ | {
        "SCRAPY_SETTINGS_MODULE": "example.distributed.settings",
        "REDIS_URL": url,
        "CRAWL_NAME": name,
    }
    with (
        tempfile.TemporaryDirectory() as folder,
        redis.Redis.from_url(url) as server,
    ):
        server.rpush(f"{name}:start", *served.allowed)
        paths = [Path(folder, f"{number}.json") for number in range(count)]
        command = [sys.executable, "-m", "scrapy", "crawl", "worker", "-o"]
        workers = [
            subprocess.Popen(
                [*command, path],
                cwd=PROJECT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for path in paths
        ]
        try:
            logs = [worker.communicate(timeout=TIME_LIMIT)[1] for worker in workers]
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()
            for key in server.scan_iter(match=f"{name}:*"):
                server.delete(key)
        for worker, log in zip(workers, logs, strict=True):
            if worker.returncode:
                sys.exit(f"A worker failed:\n{log[-2000:]}")
        return [json.loads(path.read_text("utf-8") or "[]") for path in paths]


def print_workers(served: Served, workers: list[Items]) -> None:
    print(f"\n{'worker':<10}{'pages':>8}{'refused':>10}")
    for number, items in enumerate(workers, 1):
        pages, refused = (
            sum(it in item for item in items) for it in ("status", "refused")
        )
        print(f"{number:<10}{pages:>8}{refused:>10}")
    print("\nRefused:")
    every = [item for items in workers for item in items if "refused" in item]
    for item in sorted(every, key=lambda item: served.short(item["url"])):
        host, path = served.short(item["url"])
        print(f"  {host} {path}: {item['refused']}"[:WIDTH])


def is_right(sites: LocalSites, served: Served, workers: list[Items]) -> bool:
    """Print how often each robots.txt was requested, and return whether all results are as
    expected.
    """
    urls = [request.url for request in sites.received]
    requests = Counter(
        served.short(url)[0] for url in urls if url.endswith("/robots.txt")
    )
    print(f"\nrobots.txt requests: {requests.total()}, to {len(HOSTS)} hosts:")
    counts = ", ".join(f"{name} {times}" for name, times in sorted(requests.items()))
    print(textwrap.indent(textwrap.fill(counts, WIDTH - 2), "  "))
    crawled = Counter(
        name
        for items in workers
        for name in {served.short(item["url"])[0] for item in items}
    )
    expected = {
        host.name: crawled[host.name] if host.is_unreachable else 1 for host in HOSTS
    }
    fetched = {url for url in urls if url in served.allowed}
    allowed = {url for url, is_allowed in served.allowed.items() if is_allowed}
    return fetched == allowed and requests == expected


def main() -> int:
    parser = argparse.ArgumentParser(prog="distributed", description=__doc__)
    parser.add_argument("--workers", type=int, default=3, help="3 by default")
    count = parser.parse_args().workers
    with LocalSites(len(HOSTS)) as sites, some_redis() as url:
        print(f"Redis: {url}")
        served = serve(sites)
        workers = crawl(count, served, url)
        print_workers(served, workers)
        if is_right(sites, served, workers):
            print(
                "\nRight: each robots.txt was requested once, except on unreachable hosts, "
                "and all workers obeyed it."
            )
            return 0
    print("\nWRONG: see above.")
    return 1


if __name__ == "__main__":
    end_with(main)
