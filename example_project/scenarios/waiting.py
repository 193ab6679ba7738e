"""Scenarios in which requests wait for a robots.txt."""

from __future__ import annotations

from typing import Literal

from scenarios.crawls import IN_CRAWL, PRIVATE, crawl, crawl_or_hang, pages, unless
from scenarios.registry import CrawlError, Finding, Side, scenario
from tests.support import replies
from tests.support.site import Site

SLOW, HEALTHY, PAGES = 20, 10, 16
PATIENCE = 8.0
HELD_UP = 3.0
"""Healthy hosts that take this many times longer than with robots off are held up."""


@scenario(1, "six disallowed URLs of one host at once", "none is fetched")
def six_at_once(side: Side) -> Finding:
    """Six requests wait for one robots.txt that forbids them all."""
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url(f"/private/{number}") for number in range(6)]
        urls.append(site.url("/open", host="another.test"))

        crawl(side, urls)

        targets = site.targets()
    count = sum(target.startswith("/private") for target in targets)
    control = "/open" in targets
    did = f"fetched {count} of 6" + unless(control, "missed an open page")
    return Finding(did, control and not count, {"fetched": count})


@scenario(
    9,
    f"{SLOW} hosts with a slow robots.txt beside {HEALTHY} healthy hosts",
    "the healthy ones are not held up",
    alone=True,
)
def slow_beside_healthy(side: Side) -> Finding:
    """How long the healthy hosts take, against the same crawl with robots off."""
    base, measured = _healthy_seconds("off"), _healthy_seconds(side)
    ratio = measured / base
    did = f"healthy ones took {ratio:.1f} times as long as with robots off"
    seconds = f"{measured:.1f} s, {base:.1f} s"
    facts = {"ratio": ratio, "seconds": measured, "seconds_off": base}
    return Finding(f"{did} ({seconds})", ratio < HELD_UP, facts)


def _healthy_seconds(side: Side | Literal["off"]) -> float:
    """Return the seconds from the first request to the last one of a healthy host."""
    slow = [f"slow-{number}.test" for number in range(SLOW)]
    healthy = [f"healthy-{number}.test" for number in range(HEALTHY)]
    with Site() as site:
        site.answer("*", replies.trickle(b"a page", 3, 0.05))
        for host in slow:
            site.answer("/robots.txt", replies.trickle(b"#" * 20, 10, 1.5), at=host)
        for host in healthy:
            site.robots(PRIVATE, at=host)
        urls = [site.url("/", host=host) for host in slow]
        urls += [site.url(f"/{n}", host=host) for n in range(PAGES) for host in healthy]

        crawl(side, urls)

        log, at_port = site.log(), {f"{host}:{site.port}" for host in healthy}
    pages_seen = [s for s in log if s.host in at_port and s.target != "/robots.txt"]
    if len(pages_seen) != HEALTHY * PAGES:
        raise CrawlError(f"{len(pages_seen)} of {HEALTHY * PAGES} healthy pages came")
    return max(seen.at for seen in pages_seen) - log[0].at


@scenario(
    12,
    "the coroutine that fetches robots.txt is cancelled",
    "the crawl ends, nothing forbidden is fetched",
)
def cancelled(side: Side) -> Finding:
    """Four requests wait; a middleware cancels the fetch they wait for."""
    settings = {"DOWNLOADER_MIDDLEWARES": {f"{IN_CRAWL}.CancelRobots": 950}}
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url(f"/private/{number}") for number in range(4)]

        ended = crawl_or_hang(side, urls, settings, PATIENCE)

        count = len(pages(site))
    how = "the crawl ended" if ended else f"no end in {PATIENCE:.0f} s: waits for ever"
    facts = {"ended": ended is not None, "fetched": count}
    return Finding(f"{how}; fetched {count} of 4", bool(ended) and count == 0, facts)
