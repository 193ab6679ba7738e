"""Count the requests and Redis commands of workers that share one queue.

Run `python -m tools.proofs.shared_queue [--workers 4] [--origins 200] [--pages 10]`. The
workers are Scrapy processes with the scheduler and the duplicate filter of scrapy-redis.
The policies are on a separate Redis server, whose `INFO commandstats` counts only the
commands of our package. The last page of each origin is disallowed.

The program prints JSON. The exit code is 0 if each allowed page was fetched exactly once,
no disallowed page was fetched, and each robots.txt was requested once.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.crawl import start_crawl
from tests.support.redis_server import RedisServer
from tests.support.site import Site

if TYPE_CHECKING:
    from redis import Redis

    from tests.support.crawl import Crawl

ROBOTS = "/robots.txt"
CLOSED = "/closed"
BODY = f"User-agent: *\nDisallow: {CLOSED}\n"


def crawl(workers: int, origins: int, pages: int) -> dict[str, Any]:
    """Crawl with *workers* processes, and return the counts of the servers."""
    with (
        RedisServer() as queue,
        RedisServer() as policies,
        Site() as site,
        queue.client() as starts,
        policies.client() as client,
    ):
        for number in range(origins):
            url = site.url(host=f"site-{number}.test")
            starts.rpush("shared:start_urls", json.dumps({"url": url}))
        serve(site, pages)
        settings = {
            "ROBOTS1994_STORE": policies.url,
            "LOG_LEVEL": "INFO",
            "CONCURRENT_REQUESTS": 8,
        }
        client.config_resetstat()
        running = [
            start_crawl(
                spider="tests.support.plugins.redis_queue:Shared",
                settings=queue.queue | settings,
                timeout=1500,
                # scrapy-redis calls deprecated methods of Scrapy.
                may_warn=True,
            )
            for _ in range(workers)
        ]
        for worker in running:
            wait_until_open(worker)
        site.open("started")
        fetched = [len(worker.result().items) for worker in running]
        requests = requests_of(site)
        commands = commands_of(client, origins, sum(fetched))
    expected = {"pages_permitted": origins * (pages - 1), "pages_by_worker": fetched}
    return {"workers": workers, "origins": origins} | expected | requests | commands


def wait_until_open(worker: Crawl) -> None:
    """Wait until the worker has opened its spider."""
    path = worker.folder / "log.txt"
    while "Spider opened" not in path.read_text("utf-8", "replace"):
        time.sleep(0.02)


def serve(site: Site, pages: int) -> None:
    """Script all origins. Each page links to all pages of its origin except the start
    page, so workers find each page several times.

    Only the duplicate filter prevents a second request for a page. No start page is sent
    before the gate "started" is open, so that no worker crawls before all workers have
    started.
    """
    targets = [*(f"/open/{page}" for page in range(1, pages - 1)), CLOSED]
    links = "".join(f'<a href="{target}">page</a>' for target in targets)
    scripted = {
        ROBOTS: replies.text(BODY),
        "/": replies.html(links, gate="started"),
        "*": replies.html(links),
    }
    for target, reply in scripted.items():
        # Close each connection, because each open connection needs a file descriptor in
        # the server.
        site.answer(target, replace(reply, ending="close"))


def requests_of(site: Site) -> dict[str, int]:
    """Count the requests in the log of *site*."""
    seen = Counter((each.host, each.target) for each in site.log())
    pages = {page: times for page, times in seen.items() if page[1] != ROBOTS}
    return {
        "pages_fetched": len(pages),
        "pages_fetched_twice": sum(times > 1 for times in pages.values()),
        "disallowed_fetched": sum(target == CLOSED for _, target in pages),
        "robots_requests": seen.total() - sum(pages.values()),
    }


def commands_of(client: Redis, origins: int, pages: int) -> dict[str, Any]:
    """Return the number of Redis commands that the workers sent, in total and by name."""
    stats: dict[str, Any] = client.info("commandstats")
    calls = {
        name.removeprefix("cmdstat_"): each["calls"] for name, each in stats.items()
    }
    # Do not count the command `CONFIG RESETSTAT`, because the proof itself sent this
    # command.
    del calls["config|resetstat"]
    sent = sum(calls.values())
    return {
        "commands_by_name": dict(sorted(calls.items(), key=lambda each: -each[1])),
        "commands_sent": sent,
        "commands_sent_per_origin": round(sent / origins, 2),
        "commands_sent_per_page": round(sent / max(1, pages), 2),
    }


def is_right(measured: dict[str, Any]) -> bool:
    """Return whether each allowed page and each robots.txt was requested exactly once,
    and no disallowed page was requested.
    """
    return bool(
        measured["pages_fetched"] == measured["pages_permitted"]
        and not measured["pages_fetched_twice"]
        and not measured["disallowed_fetched"]
        and measured["robots_requests"] == measured["origins"]
    )


def main() -> int:
    """Run the proof, print its measurements, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--origins", type=int, default=200)
    parser.add_argument("--pages", type=int, default=10)
    opts = parser.parse_args()
    measured = crawl(opts.workers, opts.origins, opts.pages)
    print(json.dumps(measured, indent=1))  # noqa: T201 - its interface
    return 0 if is_right(measured) else 1


if __name__ == "__main__":
    sys.exit(main())
