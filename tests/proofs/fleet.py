"""Three workers of scrapy-redis, many origins, one real redis-server.

`python -m tests.proofs.fleet --origins 500 --pages 10 [--kill] [--outage SECONDS]`
prints what the server saw as JSON and ends with 0 if all of it is as promised: one
robots.txt request an origin in all, one more at most for each lease of a worker that
was killed, and no page that a policy forbids.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support import replies
from tests.support.crawl import ROOT
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--origins", type=int, default=500)
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--outage", type=float, default=0.0)
    opts = parser.parse_args()
    how = {"kill": opts.kill, "outage": opts.outage}
    told = prove(opts.origins, opts.pages, **how)
    print(json.dumps(told, indent=1))  # noqa: T201 - its interface
    return 0 if is_right(told, **how) else 1


if __name__ == "__main__":
    sys.exit(main())
