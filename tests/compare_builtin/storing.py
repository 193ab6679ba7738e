"""Scenarios about how long and how much of a policy is stored."""

from __future__ import annotations

import tempfile

from tests.compare_builtin.crawls import (
    CLOSED,
    IN_PROCESS,
    PRIVATE,
    crawl,
    pages,
    times,
    unless,
    verb,
)
from tests.compare_builtin.registry import Finding, Side, scenario
from tests.support import replies
from tests.support.site import Site

LIMIT = 512_000
LINES = 400_000
HOSTS, MAX_ORIGINS = 30, 10


@scenario(
    6,
    "robots.txt changes (ROBOTS1994_TTL is 1 s); many hosts, a store for 10",
    "requested again, obeyed; no more than 10 in memory",
)
def expiry(side: Side) -> Finding:
    """Three pages that link in a chain, each slower than the policy lives."""
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

        asked, last = len(site.log("/robots.txt")), bool(site.log("/three"))
    stored = _parsed_after_many_hosts(side)
    did = f"asked {times(asked)}; "
    did += f"the page that is closed by now was {'fetched' if last else 'refused'}; "
    did += f"{stored} parsed files in memory after {HOSTS} hosts"
    facts = {"robots_requests": asked, "fetched_closed": last, "stored": stored}
    return Finding(did, asked > 1 and not last and stored <= MAX_ORIGINS, facts)


def _parsed_after_many_hosts(side: Side) -> int:
    """Return how many parsed files the process holds at the end of a crawl."""
    bounded = {"ROBOTS1994_STORE": f"memory://?max_origins={MAX_ORIGINS}"}
    with Site() as site:
        site.robots(PRIVATE)
        urls = [site.url("/", host=f"host-{number}.test") for number in range(HOSTS)]
        done = crawl(side, urls, bounded, hook=f"{IN_PROCESS}:count_parsed")
    parsed: int = done.stats["scenario/parsed"]
    return parsed


@scenario(
    10,
    "HTTP cache on: a 503 in one run, a Disallow in the next",
    "the next run requests it again and obeys",
)
def http_cache(side: Side) -> Finding:
    """Two runs with one cache folder; the server has recovered before the second."""
    with Site() as site, tempfile.TemporaryDirectory() as folder:
        cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": folder}
        site.answer("/robots.txt", replies.status(503))
        urls = [site.url("/private"), site.url("/page")]
        crawl(side, urls, cache)
        site.forget()
        site.robots(PRIVATE)

        second = crawl(side, urls, cache)

        asked = len(site.log("/robots.txt"))
    fetched, control = (url in second.fetched_urls for url in urls)
    did = f"requested again {times(asked)}; " if asked else "not requested again; "
    did += verb(fetched) + unless(control, "missed the allowed page")
    facts = {"robots_requests": asked, "fetched": fetched}
    return Finding(did, asked > 0 and control and not fetched, facts)


@scenario(
    11,
    "a robots.txt of 8 MB",
    "no more than the limit is read, its lines are obeyed",
)
def size_limit(side: Side) -> Finding:
    """The rule that counts stands in the first lines, then 400,000 others."""
    filler = b"".join(b"Disallow: /no/%07d\n" % number for number in range(LINES))
    whole = PRIVATE.encode() + filler
    with Site() as site:
        site.answer("/robots.txt", replies.text(whole))

        urls = [site.url("/private"), site.url("/page")]
        done = crawl(side, urls, hook=f"{IN_PROCESS}:weigh")

        fetched = sorted(page.partition("/")[2] for page in pages(site))
    read = done.stats.get("scenario/robots_bytes", 0)
    stop = done.stats.get("scenario/longest_stop", 0.0)
    did = f"read {read / 1e6:.1f} MB; the crawl stood still for {stop:.1f} s; "
    did += verb("private" in fetched)
    # What is on its way when the limit is reached still arrives: one read of the loop.
    ok = 0 < read < 2 * LIMIT and fetched == ["page"]
    facts = {"bytes": read, "of": len(whole), "longest_stop": stop, "fetched": fetched}
    return Finding(did, ok, facts)
