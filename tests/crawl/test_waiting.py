"""Requests that wait for a robots.txt neither delay nor starve other requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import (
    COMPONENTS,
    CrawlRequest,
    CrawlResult,
    Reactor,
    crawl,
    crawl_over_time,
    reactors,
    start_crawl,
)
from tests.support.site import Site

SLOW, QUICK, PAGES = 12, 5, 4
ALL = (SLOW + QUICK) * PAGES
FEW: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 3,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "SPIDER_MIDDLEWARES": {f"{COMPONENTS}.Gauge": 1},
}
OPEN = "User-agent: *\nDisallow: /private\n"


def crawl_with_slow_hosts(site: Site, **options: Any) -> CrawlResult:
    """Hold back each slow robots.txt until all pages of the quick hosts have been requested.

    If slow hosts delayed quick ones, the gate would never open.
    """
    site.robots(OPEN)
    for number in range(SLOW):
        site.robots(OPEN, at=f"slow-{number}.test", gate="slow")
    site.open_when("slow", "/well", count=QUICK * PAGES)
    # The requests for a host differ in their meta, because a scheduler may drop equal requests.
    slow = [
        CrawlRequest(
            site.url("/slow", host=f"slow-{n}.test"), meta={"page": page}, priority=1
        )
        for page in range(PAGES)
        for n in range(SLOW)
    ]
    quick = [
        CrawlRequest(site.url("/well", host=f"well-{n}.test"), meta={"page": page})
        for page in range(PAGES)
        for n in range(QUICK)
    ]
    settings = FEW | options.pop("settings", {})
    return crawl([*slow, *quick], settings=settings, **options)


def test_slow_robots_txt_delays_no_other_origin(site: Site, reactor: Reactor) -> None:
    """Without a reactor, only half of the connections are for fetches, so 3 connections would not
    suffice.
    """
    most = 32 if reactor == "none" else 3
    result = crawl_with_slow_hosts(
        site,
        reactor=reactor,
        signals=["spider_idle"],
        settings={"CONCURRENT_REQUESTS": most},
    )

    assert (len(result.fetched), result.failed) == (ALL, [])
    # Scrapy must not send `spider_idle` while requests still wait.
    assert [name for name, _ in result.sent] == ["spider_idle"]
    assert result.stats["test/most_pages"] <= most
    assert result.stats["test/slots"] == [[1, 0.0]]


def test_number_of_waiting_requests_is_limited(site: Site) -> None:
    # All 20 requests would wait at once if there were no limit.
    site.answer("/robots.txt", replies.Reply(body=OPEN.encode(), delay=2))
    urls = [site.url("/page", host=f"h{number}.test") for number in range(20)]
    result = crawl(urls, settings=FEW | {"ROBOTS1994_MAX_WAITING": 4})

    assert len(result.fetched) == 20
    assert 3 < result.stats["test/most_robots"] <= 4 + 3


def test_request_that_waited_makes_room_for_another(site: Site) -> None:
    """If a request that waits for robots.txt kept the only slot, /last would never be requested."""
    file = replies.text(OPEN)
    gated = replace(file, gate="slow")
    site.robots(OPEN)
    site.answer("/robots.txt", [file, file, file, gated], at="slow.test")
    site.open_when("slow", "/last")
    slow = site.url("/slow", host="slow.test")
    # With a lifetime of 0, robots.txt is fetched for each request.
    settings = {
        "CONCURRENT_REQUESTS": 1,
        "ROBOTS1994_MAX_WAITING": 3,
        "ROBOTS1994_TTL": 0,
        "TEST_BOUNDS": {"crawl.waiting.MAX_OF_ORIGIN": 1},
    }
    hook = "tests.unit.bounds:shrink_in_crawl"
    last: list[str | CrawlRequest] = [CrawlRequest(slow, priority=1), site.url("/last")]
    result = crawl_over_time(*[[slow]] * 3, last, settings=settings, hook=hook)

    assert len(result.fetched) == 5
    assert site.targets()[-2:] == ["/last", "/slow"]


def test_waiting_requests_leave_only_while_the_spider_keeps_up(
    site: Site, reactor: Reactor
) -> None:
    """SCRAPER_SLOT_MAX_ACTIVE_SIZE limits the responses in memory, even if requests have waited."""
    site.robots(OPEN, gate="known")
    # Without a reactor, CONCURRENT_REQUESTS = 1 leaves one connection for robots.txt.
    site.open_when("known", "/robots.txt", count=1 if reactor == "none" else SLOW)
    result = crawl(
        [site.url("/page", host=f"h{number}.test") for number in range(SLOW)],
        spider="ItemSpider",
        spider_args={"item": {"key": "value"}},
        settings={
            "CONCURRENT_REQUESTS": 1,
            "ITEM_PIPELINES": {f"{COMPONENTS}.SlowPipeline": 1},
            "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1,
        },
        reactor=reactor,
    )

    assert len(result.items) == SLOW
    assert result.stats["test/most_items"] <= 2


def test_paused_engine_sends_no_waiting_request(site: Site, reactor: Reactor) -> None:
    site.robots(OPEN, gate="known")
    site.open_when("known", "/robots.txt", count=1 if reactor == "none" else SLOW)
    urls = [site.url("/page", host=f"h{number}.test") for number in range(SLOW)]
    result = crawl(
        urls,
        spider="PausingSpider",
        settings={"CONCURRENT_REQUESTS": 1},
        reactor=reactor,
    )

    assert result.fetched_urls == sorted(urls)
    (item,) = result.items
    # When the engine paused, one page may already have been on its way to the downloader.
    assert item["sent"] <= 1


def test_number_of_parallel_fetches_is_limited(site: Site) -> None:
    for number in range(SLOW):
        site.robots(OPEN, at=f"slow-{number}.test", gate="slow")
    site.open_when("slow", "/robots.txt", count=2)
    urls = [site.url("/page", host=f"slow-{n}.test") for n in range(SLOW)]
    more = {
        "CONCURRENT_REQUESTS": 2 * SLOW,
        "TEST_BOUNDS": {"crawl.fetch.MAX_FETCHES": 2},
    }
    hook = "tests.unit.bounds:shrink_in_crawl"
    result = crawl(urls, settings=FEW | more, hook=hook)

    assert len(result.fetched) == SLOW
    assert result.stats["test/most_robots"] == 2


WAITING_OF_ORIGIN = 64
"""Up to this many waiting requests of one origin take no slot."""
MANY = 150
FEWER = WAITING_OF_ORIGIN - 4
QUEUES = [
    "scrapy.pqueues.ScrapyPriorityQueue",
    "scrapy.pqueues.DownloaderAwarePriorityQueue",
]


def test_waiting_requests_are_not_overtaken_by_less_urgent_ones(
    site: Site, reactor: Reactor
) -> None:
    site.robots("", at="urgent.test", gate="known")
    site.open_when("known", "/less", count=10)
    urgent = [
        CrawlRequest(site.url(f"/{number}", host="urgent.test"), priority=1)
        for number in range(FEWER)
    ]
    less = [
        CrawlRequest(site.url("/less", host="less.test"), {"page": number})
        for number in range(2 * FEWER)
    ]
    result = crawl(
        [*urgent, *less],
        settings={
            "CONCURRENT_REQUESTS": 4 if reactor == "none" else 2,
            "SCHEDULER_PRIORITY_QUEUE": QUEUES[0],
        },
        reactor=reactor,
    )
    hosts = [seen.host.partition(".")[0] for seen in site.log()]

    assert len(result.fetched) == 3 * FEWER
    pages = hosts[hosts.index("urgent") + 1 :]
    first = pages.index("urgent")
    last = max(at for at, host in enumerate(pages) if host == "urgent")
    # Pages before the first urgent one do not count: the urgent origin had no policy yet.
    assert pages[first:last].count("less") <= 4


@pytest.mark.parametrize(
    ("reactor", "queue"),
    [
        *((reactor, QUEUES[0]) for reactor in reactors()),
        (reactors()[0], QUEUES[1]),
    ],
)
def test_scheduler_is_not_starved_while_waiting_requests_leave(
    site: Site, reactor: Reactor, queue: str
) -> None:
    """Up to 64 waiting requests of an origin may overtake urgent ones.

    Scrapy 2.13 calls callbacks 0.1 s late, so the site sends only one page until the urgent
    requests are scheduled.
    """
    page = replies.html("many")
    # If two hosts are equally busy, Scrapy 2.13 takes the one whose name sorts first: urgent.test.
    site.answer("*", [page, replace(page, gate="urgent")], at="usual.test")
    site.robots("", at="usual.test", gate="known")
    many = [site.url(f"/many/{n}", host="usual.test") for n in range(MANY)]
    known = CrawlRequest(site.url("/known", host="urgent.test"), priority=1)
    urgent = [site.url(f"/urgent/{n}", host="urgent.test") for n in range(3)]
    running = start_crawl(
        [known, *many],
        spider="UrgentSpider",
        spider_args={"urgent": urgent},
        settings={"CONCURRENT_REQUESTS": 2, "SCHEDULER_PRIORITY_QUEUE": queue},
        hook="log_scheduled",
        reactor=reactor,
    )
    running.wait_for(f"all {MANY + 1} are yielded")
    site.open("known")
    running.wait_for(f"scheduled {urgent[-1]}")
    site.open("urgent")
    result = running.result()
    targets = site.targets()

    assert len(result.fetched) == MANY + 4
    last = max(at for at, target in enumerate(targets) if "/urgent/" in target)
    assert (
        sum("/many/" in target for target in targets[:last]) <= WAITING_OF_ORIGIN + 10
    )


FIRST = b"User-agent: *\nDisallow: /first\n"


def test_requests_that_wait_for_a_large_file_are_decided_one_after_the_other(
    site: Site, reactor: Reactor
) -> None:
    """Ours O28: matching many wildcards can take milliseconds, so each turn of the event loop makes
    only one decision.
    """
    many = b"".join(b"Disallow: /*%d/\n" % number for number in range(1_000))
    site.robots(FIRST + many)
    urls = [site.url(f"/page{number}") for number in range(8)]
    settings = {"ROBOTS1994_DIALECT": "rfc9309"}

    result = crawl(urls, reactor=reactor, settings=settings, hook="count_decisions")

    assert result.fetched_urls == sorted(urls)
    # The hook resets its count late, so the count may include the first decision of the next turn.
    assert result.stats["test/decisions_in_a_turn"] <= 2


def test_large_files_are_read_one_after_the_other(site: Site, reactor: Reactor) -> None:
    many = b"".join(b"Disallow: /%d/\n" % number for number in range(1_000))
    site.robots(FIRST + many)
    # The files differ, because identical files are parsed only once.
    for number in range(6):
        site.robots(FIRST + many + b"#" * number, at=f"h{number}.test")
    urls = [site.url("/page", host=f"h{number}.test") for number in range(6)]

    result = crawl(urls, reactor=reactor, hook="count_readings")

    assert result.fetched_urls == sorted(urls)
    assert result.stats["test/readings"] == 6
    assert result.stats["test/readings_at_once"] == 1
    assert result.stats["test/readings_on_the_loop"] == 0
