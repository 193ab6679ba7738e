"""Count the fetches of several workers of one crawl with a real redis-server.

`python -m tools.proofs.fleet --origins 500 --pages 10 [--kill] [--outage SECONDS]`:
three workers of scrapy-redis. It prints the requests seen by the server as JSON, and
exits with 0 if there was one robots.txt request for each origin, at most one more for
each lease of a killed worker, and no request of a disallowed page.

`python -m tools.proofs.fleet --workers 6 --origins 800 --seconds 2`: each worker crawls
a page of every origin, so that all need each robots.txt, which takes two seconds.
With `--dead` no robots.txt is sent: the connection closes after two seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support import replies
from tests.support.crawl import ROOT, start_crawl
from tests.support.redis_server import RedisServer
from tests.support.site import Site

sys.path[:0] = [str(ROOT / "example_project")]

# Type checkers do not follow the line above.
workers: Any = import_module("demo.workers")

BODY = "User-agent: *\nDisallow: /closed\n"
NAME = "proof"


def urls_of(site: Site, origins: int, pages: int) -> list[str]:
    """Return the pages of each origin, page by page; every fifth is disallowed."""
    kinds = ("open", "open", "open", "open", "closed")
    return [
        site.address_url(origin, f"/{kinds[page % len(kinds)]}/{page}")
        for page in range(pages)
        for origin in range(origins)
    ]


def prove(origins: int, pages: int, *, kill: bool, outage: float) -> dict[str, Any]:
    """Crawl, and return the counts of the server and of the workers.

    The queue of the crawl is in a separate Redis: only the one with the policies
    stops, because scrapy-redis does not expect an outage.
    """
    with (
        RedisServer() as queue,
        RedisServer() as policies,
        Site(addresses=origins) as site,
        tempfile.TemporaryDirectory() as name,
    ):
        if kill:
            # Slow, so that a killed worker always has leases.
            site.answer("/robots.txt", replies.trickle(BODY.encode(), 8, 0.1))
        else:
            site.robots(BODY)
        urls = urls_of(site, origins, pages)
        with queue.client() as client:
            workers.push(client, NAME, urls)
        settings = {
            "ROBOTS1994_STORE": f"{policies.url}?timeout=1",
            "LOG_LEVEL": "INFO",
        }
        began = time.monotonic()
        group = workers.start(3, Path(name), queue.url, NAME, **settings)
        site.wait("/robots.txt", count=max(1, origins // 2))
        leases = disturb(policies, group[0] if kill else None, outage)
        for worker in group:
            worker.process.wait(workers.TIME_LIMIT)
        return summarize(site, urls, group, leases) | {
            "seconds": round(time.monotonic() - began, 1)
        }


def disturb(policies: RedisServer, victim: Any, outage: float) -> int:
    """Kill *victim*, if any, and stop the store; return the number of leases before."""
    with policies.client() as client:
        leases = len(list(client.scan_iter(match="*:lease:*")))
    if victim is not None:
        victim.process.kill()
    if outage:
        policies.stop()
        threading.Event().wait(outage)
        policies.start()
    return leases


def summarize(
    site: Site, urls: list[str], group: list[Any], leases: int
) -> dict[str, Any]:
    """Return the counts of the server and of the workers."""
    seen = site.log()
    requested = Counter(each.host for each in seen if each.target == "/robots.txt")
    notes = [note for worker in group for note in worker.items()]
    logs = [worker.log for worker in group]
    return {
        "origins": len({url.split("/")[2] for url in urls}),
        "urls": len(urls),
        "robots_requests": requested.total(),
        "origins_requested": len(requested),
        "origins_decided": len({note["url"].split("/")[2] for note in notes}),
        "requested_more_than_once": sum(times > 1 for times in requested.values()),
        "leases_at_the_kill": leases,
        "disallowed_fetched": sum(each.target.startswith("/closed") for each in seen),
        "pages": [sum("status" in n for n in worker.items()) for worker in group],
        "refused": sum("refused" in note for note in notes),
        "lost": sum("failed" in note for note in notes),
        "outages_logged": sum(log.count("The crawl goes on with") for log in logs),
    }


def share(workers: int, origins: int, seconds: float, *, dead: bool) -> dict[str, Any]:
    """Let *workers* crawl a page of each origin, and return the counts."""
    with RedisServer() as policies, Site(addresses=origins) as site:
        reply = replace(replies.text(BODY), delay=seconds)
        if dead:
            reply = replace(replies.hang_up(), delay=seconds)
        # Open connections would cost the server a descriptor for each page.
        site.answer("*", replace(replies.html("page"), ending="close"))
        site.answer("/robots.txt", replace(reply, ending="close"))
        settings = {
            "ROBOTS1994_STORE": policies.url,
            "LOG_LEVEL": "INFO",
            "CONCURRENT_REQUESTS": 64,
        }
        urls = [site.address_url(number, "/open") for number in range(origins)]
        began = time.monotonic()
        group = []
        for number in range(workers):
            # Each starts at another URL, as workers with one queue do.
            first = number * origins // workers
            rotated = urls[first:] + urls[:first]
            group.append(start_crawl(rotated, settings=settings, timeout=1500))
        results = [worker.result() for worker in group]
        took = time.monotonic() - began
        requested = Counter(each.host for each in site.log("/robots.txt"))
        with policies.client() as client:
            commands = client.info("stats")["total_commands_processed"]
    return {
        "workers": workers,
        "origins": origins,
        "robots_requests": requested.total(),
        "origins_requested": len(requested),
        "requested_more_than_once": sum(times > 1 for times in requested.values()),
        "pages": sum(len(result.fetched) for result in results),
        "lost": sum(len(result.failed) for result in results),
        "store_failures": sum(
            result.stats.get("robots1994/store_failures", 0) for result in results
        ),
        "redis_commands": commands,
        "seconds": round(took, 1),
    }


def is_shared(measured: dict[str, Any], *, dead: bool) -> bool:
    """Return whether a live origin was requested once, a dead one at most once per worker."""
    pages = 0 if dead else measured["workers"] * measured["origins"]
    most = measured["origins"] * (measured["workers"] if dead else 1)
    is_once = measured["origins"] <= measured["robots_requests"] <= most
    return is_once and measured["pages"] == pages and not measured["store_failures"]


def is_right(measured: dict[str, Any], *, kill: bool, outage: float) -> bool:
    """Return whether the measurements are as expected."""
    extra = measured["robots_requests"] - measured["origins"]
    decided = (
        measured["origins_decided"]
        == measured["origins_requested"]
        == measured["origins"]
    )
    if measured["disallowed_fetched"] or measured["lost"] or not decided:
        return False
    if outage:
        return bool(measured["outages_logged"] and measured["reconnections_logged"])
    return bool(extra <= (measured["leases_at_the_kill"] if kill else 0))


def main() -> int:
    """Run the proof, print its measurements, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--origins", type=int, default=500)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--outage", type=float, default=0.0)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--dead", action="store_true")
    opts = parser.parse_args()
    if opts.workers:
        measured = share(opts.workers, opts.origins, opts.seconds, dead=opts.dead)
        holds = is_shared(measured, dead=opts.dead)
    else:
        how = {"kill": opts.kill, "outage": opts.outage}
        measured = prove(opts.origins, opts.pages, **how)
        holds = is_right(measured, **how)
    print(json.dumps(measured, indent=1))  # noqa: T201 - its interface
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
