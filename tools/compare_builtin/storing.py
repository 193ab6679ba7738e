"""Scenarios about the lifetime of policies, and about the size limit of a file."""

from __future__ import annotations

import tempfile

from tests.support import replies
from tests.support.site import Site
from tools.compare_builtin.crawls import (
    CLOSED,
    IN_PROCESS,
    PRIVATE,
    crawl,
    pages,
    times,
    unless,
    verb,
)
from tools.compare_builtin.registry import Finding, Side, scenario

LIMIT = 512_000
LINES = 400_000
HOSTS, MAX_ORIGINS = 30, 10


@scenario(
    6,
    "robots.txt changes (ROBOTS1994_TTL is 1 s); many hosts, a store for 10",
    "requested again, obeyed; no more than 10 in memory",
)
def expiry(side: Side) -> Finding:
    """Crawl three pages, one after the other. Each page takes longer than the lifetime of
    the policy.
    """
    with Site() as site:
        site.answer("/robots.txt", [replies.text(""), replies.text(CLOSED)])
        for page, link in (("/one", "/two"), ("/two", "/three")):
            body = f'<a href="{link}">on</a>'.encode()
            kind = (("Content-Type", "text/html"),)
            site.answer(page, replies.Reply(200, body, kind, chunk=10, pause=0.8))

        crawl(
            side,
            [site.url("/one")],
            {"ROBOTS1994_TTL": 1, "ROBOTS1994_MIN_TTL": 1},
            spider_args={"follow": True},
        )

        requests, last = len(site.log("/robots.txt")), bool(site.log("/three"))
    stored = _parsed_after_many_hosts(side)
    did = f"requested {times(requests)}; "
    did += f"the page that is now disallowed was {'fetched' if last else 'refused'}; "
    did += f"{stored} parsed files in memory after {HOSTS} hosts"
    facts = {"robots_requests": requests, "fetched_closed": last, "stored": stored}
    return Finding(did, requests > 1 and not last and stored <= MAX_ORIGINS, facts)


def _parsed_after_many_hosts(side: Side) -> int:
    """Return the number of parsed files in memory at the end of a crawl of many hosts."""
    settings = {"ROBOTS1994_STORE": f"memory://?max_origins={MAX_ORIGINS}"}
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url("/", host=f"host-{number}.test") for number in range(HOSTS)]
        done = crawl(side, urls, settings, hook=f"{IN_PROCESS}:count_parsed")
    parsed: int = done.stats["scenario/parsed"]
    return parsed


@scenario(
    10,
    "HTTP cache on: a 503 in one run, a Disallow in the next",
    "the next run requests it again and obeys",
)
def http_cache(side: Side) -> Finding:
    """Run two crawls with one cache folder. The server recovers before the second crawl."""
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": folder}
        site.answer("/robots.txt", replies.status(503))
        urls = [site.url("/private"), site.url("/page")]
        crawl(side, urls, cache)
        site.forget()
        site.robots(PRIVATE)

        second = crawl(side, urls, cache)

        requests = len(site.log("/robots.txt"))
    fetched, control = (url in second.fetched_urls for url in urls)
    did = (
        f"requested again {times(requests)}; " if requests else "not requested again; "
    )
    did += verb(fetched) + unless(control, "missed the allowed page")
    facts = {"robots_requests": requests, "fetched": fetched}
    return Finding(did, requests > 0 and control and not fetched, facts)


@scenario(
    11,
    "a robots.txt of 8 MB",
    "no more than the limit is read, its lines are obeyed",
)
def size_limit(side: Side) -> Finding:
    """Serve a file whose first rule decides. 400,000 further rules follow the first rule."""
    filler = b"".join(b"Disallow: /no/%07d\n" % number for number in range(LINES))
    whole = PRIVATE.encode() + filler
    with Site() as site:
        site.answer("/robots.txt", replies.text(whole))

        urls = [site.url("/private"), site.url("/page")]
        done = crawl(side, urls, hook=f"{IN_PROCESS}:record_cost")

        fetched = sorted(page.partition("/")[2] for page in pages(site))
    read = done.stats.get("scenario/robots_bytes", 0)
    stop = done.stats.get("scenario/longest_stop", 0.0)
    did = f"read {read / 1e6:.1f} MB; the crawl paused for {stop:.1f} s; "
    did += verb("private" in fetched)
    # Allow some bytes over the limit, because the event loop has read these bytes before
    # the download stops.
    ok = 0 < read < 2 * LIMIT and fetched == ["page"]
    facts = {"bytes": read, "of": len(whole), "longest_stop": stop, "fetched": fetched}
    return Finding(did, ok, facts)
