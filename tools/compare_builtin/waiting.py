"""Scenarios in which requests wait for a robots.txt."""

from __future__ import annotations

import time

from tests.support.crawl import start_crawl
from tests.support.site import Site
from tools.compare_builtin.crawls import (
    IN_PROCESS,
    PRIVATE,
    crawl,
    crawl_or_hang,
    pages,
    unless,
)
from tools.compare_builtin.registry import Finding, Side, scenario

SLOW, HEALTHY, PAGES = 20, 10, 16
TIME_LIMIT = 8.0
"""The number of seconds after which a running crawl counts as hung."""

QUIET = 5
"""The number of seconds without a new request after which the wait ends."""


@scenario(1, "six disallowed URLs of one host at once", "none is fetched")
def six_at_once(side: Side) -> Finding:
    """Let six requests wait for one robots.txt, which disallows all six URLs."""
    with Site() as site:
        site.robots(PRIVATE, gate="six")
        site.robots(PRIVATE, at="another.test")
        urls = [site.url(f"/private/{number}") for number in range(6)]
        urls.append(site.url("/allowed", host="another.test"))
        # Requests are sent in order, so all six requests wait when `/allowed` is
        # requested.
        site.open_when("six", "/allowed")

        crawl(side, urls)

        targets = site.targets()
    count = sum(target.startswith("/private") for target in targets)
    control = "/allowed" in targets
    did = f"fetched {count} of 6" + unless(control, "missed an allowed page")
    return Finding(did, control and not count, {"fetched": count})


@scenario(
    9,
    f"{SLOW} hosts whose robots.txt is delayed, and {HEALTHY} healthy hosts",
    "all pages of the healthy ones are fetched meanwhile",
)
def slow_and_healthy(side: Side) -> Finding:
    """Count the pages of the healthy hosts that are requested before the robots.txt files
    of the slow hosts arrive.
    """
    slow = [f"slow-{number}.test" for number in range(SLOW)]
    healthy = [f"healthy-{number}.test" for number in range(HEALTHY)]
    with Site() as site:
        site.robots(PRIVATE)
        for host in slow:
            site.robots(PRIVATE, at=host, gate="slow")
        site.open_when("slow", "/healthy", count=HEALTHY * PAGES)
        urls = [site.url("/slow", host=host) for host in slow]
        urls += [site.url("/healthy", host=host) for host in healthy] * PAGES
        running = start_crawl(urls, middleware=side)
        meanwhile = _requested_until_quiet(site)
        site.open("slow")
        running.result()
        total, slow_pages = len(site.log("/healthy")), len(site.log("/slow"))
    wanted = HEALTHY * PAGES
    did = f"{meanwhile} of {wanted} healthy pages requested meanwhile"
    did += unless(total == wanted and slow_pages == SLOW, "lost pages")
    facts = {"meanwhile": meanwhile, "of": wanted, "slow_pages": slow_pages}
    right = meanwhile == total == wanted and slow_pages == SLOW
    return Finding(did, right, facts)


def _requested_until_quiet(site: Site) -> int:
    """Return how many pages of healthy hosts are requested before the first page of a slow
    host. If no page of a slow host is requested, count until requests stop.
    """
    seen, quiet = 0, 0
    while quiet < QUIET and len(site.log("/slow")) == 0:
        time.sleep(1)
        now = len(site.log())
        quiet, seen = (quiet + 1, seen) if now == seen and now else (0, now)
    first_slow = next(
        (at for at, it in enumerate(site.log()) if it.target == "/slow"), None
    )
    return sum(it.target == "/healthy" for it in site.log()[:first_slow])


@scenario(
    12,
    "the coroutine that fetches robots.txt is cancelled",
    "the crawl ends, no disallowed page is fetched",
)
def cancelled(side: Side) -> Finding:
    """Cancel the fetch for which four requests wait."""
    settings = {"DOWNLOADER_MIDDLEWARES": {f"{IN_PROCESS}.CancelRobots": 950}}
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url(f"/private/{number}") for number in range(4)]

        ended = crawl_or_hang(side, urls, settings, TIME_LIMIT)

        count = len(pages(site))
    how = (
        "the crawl ended" if ended else f"no end in {TIME_LIMIT:.0f} s: waits for ever"
    )
    facts = {"ended": ended is not None, "fetched": count}
    return Finding(f"{how}; fetched {count} of 4", bool(ended) and count == 0, facts)
