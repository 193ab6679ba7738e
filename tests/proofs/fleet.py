"""Workers of one crawl, many origins, one real redis-server: how many fetches?

`python -m tests.proofs.fleet --origins 500 --pages 10 [--kill] [--outage SECONDS]`:
three workers of scrapy-redis. It prints what the server saw as JSON and ends with 0 if
all of it is as promised: one robots.txt request an origin in all, one more at most for
each lease of a worker that was killed, and no page that a policy forbids.

`python -m tests.proofs.fleet --workers 6 --origins 800 --seconds 2`: each worker crawls
a page of every origin, so that all want each robots.txt, which takes so many seconds.
With `--dead` no robots.txt ever comes: the connection ends after so many seconds.
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

# Found by the line above, and by no type checker.
workers: Any = import_module("demo.workers")

BODY = "User-agent: *\nDisallow: /closed\n"
NAME = "proof"


def urls_of(site: Site, origins: int, pages: int) -> list[str]:
    """The pages of each origin, every fifth of them closed, page by page."""
    kinds = ("open", "open", "open", "open", "closed")
    return [
        site.address_url(origin, f"/{kinds[page % len(kinds)]}/{page}")
        for page in range(pages)
        for origin in range(origins)
    ]


def prove(origins: int, pages: int, *, kill: bool, outage: float) -> dict[str, Any]:
    """Crawl, and tell what the server saw.

    The queue of the crawl lies in a Redis of its own: it is the policies' that goes
    away, and what scrapy-redis does then is not our matter.
    """
    with (
        RedisServer() as queue,
        RedisServer() as policies,
        Site(addresses=origins) as site,
        tempfile.TemporaryDirectory() as name,
    ):
        if kill:
            # Slow, so that a worker has leases in hand whenever it dies.
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
        crew = workers.start(3, Path(name), queue.url, NAME, **settings)
        site.wait("/robots.txt", count=max(1, origins // 2))
        leases = disturb(policies, crew[0] if kill else None, outage)
        for worker in crew:
            worker.process.wait(workers.TIME_LIMIT)
        return tell(site, urls, crew, leases) | {
            "seconds": round(time.monotonic() - began, 1)
        }


def disturb(policies: RedisServer, victim: Any, outage: float) -> int:
    """Kill *victim*, if any, and stop the store; how many leases there were before."""
    with policies.client() as client:
        leases = len(list(client.scan_iter(match="*:lease:*")))
    if victim is not None:
        victim.process.kill()
    if outage:
        policies.stop()
        threading.Event().wait(outage)
        policies.start()
    return leases


def tell(site: Site, urls: list[str], crew: list[Any], leases: int) -> dict[str, Any]:
    """What the server saw and the workers noted."""
    seen = site.log()
    asked = Counter(each.host for each in seen if each.target == "/robots.txt")
    notes = [note for worker in crew for note in worker.items()]
    logs = [worker.log for worker in crew]
    return {
        "origins": len({url.split("/")[2] for url in urls}),
        "urls": len(urls),
        "robots_requests": asked.total(),
        "origins_asked": len(asked),
        "origins_decided": len({note["url"].split("/")[2] for note in notes}),
        "asked_more_than_once": sum(times > 1 for times in asked.values()),
        "leases_at_the_kill": leases,
        "closed_fetched": sum(each.target.startswith("/closed") for each in seen),
        "pages": [sum("status" in n for n in worker.items()) for worker in crew],
        "refused": sum("refused" in note for note in notes),
        "lost": sum("failed" in note for note in notes),
        "outages_logged": sum(log.count("The crawl goes on with") for log in logs),
        "reconnections_logged": sum(log.count("answers again") for log in logs),
    }


def share(workers: int, origins: int, seconds: float, *, dead: bool) -> dict[str, Any]:
    """Let *workers* crawl a page of each origin, and tell what the server saw."""
    with RedisServer() as policies, Site(addresses=origins) as site:
        reply = replace(replies.text(BODY), delay=seconds)
        if dead:
            reply = replace(replies.hang_up(), delay=seconds)
        # Connections that stay open would cost the server a descriptor for each page.
        site.answer("*", replace(replies.html("page"), ending="close"))
        site.answer("/robots.txt", replace(reply, ending="close"))
        settings = {
            "ROBOTS1994_STORE": policies.url,
            "LOG_LEVEL": "INFO",
            "CONCURRENT_REQUESTS": 64,
        }
        urls = [site.address_url(number, "/open") for number in range(origins)]
        began = time.monotonic()
        crew = []
        for number in range(workers):
            # Each begins somewhere else, as workers of one queue do.
            first = number * origins // workers
            turned = urls[first:] + urls[:first]
            crew.append(start_crawl(turned, settings=settings, patience=1500))
        results = [worker.result() for worker in crew]
        took = time.monotonic() - began
        asked = Counter(each.host for each in site.log("/robots.txt"))
        with policies.client() as client:
            commands = client.info("stats")["total_commands_processed"]
    return {
        "workers": workers,
        "origins": origins,
        "robots_requests": asked.total(),
        "origins_asked": len(asked),
        "asked_more_than_once": sum(times > 1 for times in asked.values()),
        "pages": sum(len(result.fetched) for result in results),
        "lost": sum(len(result.failed) for result in results),
        "store_failures": sum(
            result.stats.get("robots1994/store_failures", 0) for result in results
        ),
        "redis_commands": commands,
        "seconds": round(took, 1),
    }


def is_shared(told: dict[str, Any], *, dead: bool) -> bool:
    """Whether each origin was asked once, or, a dead one, once by each at most."""
    pages = 0 if dead else told["workers"] * told["origins"]
    most = told["origins"] * (told["workers"] if dead else 1)
    is_once = told["origins"] <= told["robots_requests"] <= most
    return is_once and told["pages"] == pages and not told["store_failures"]


def is_right(told: dict[str, Any], *, kill: bool, outage: float) -> bool:
    """Whether it is as promised."""
    extra = told["robots_requests"] - told["origins"]
    decided = told["origins_decided"] == told["origins_asked"] == told["origins"]
    if told["closed_fetched"] or told["lost"] or not decided:
        return False
    if outage:
        return bool(told["outages_logged"] and told["reconnections_logged"])
    return bool(extra <= (told["leases_at_the_kill"] if kill else 0))


def main() -> int:
    """Prove, print, and say by the exit code whether it holds."""
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
        told = share(opts.workers, opts.origins, opts.seconds, dead=opts.dead)
        is_so = is_shared(told, dead=opts.dead)
    else:
        how = {"kill": opts.kill, "outage": opts.outage}
        told = prove(opts.origins, opts.pages, **how)
        is_so = is_right(told, **how)
    print(json.dumps(told, indent=1))  # noqa: T201 - its interface
    return 0 if is_so else 1


if __name__ == "__main__":
    sys.exit(main())
