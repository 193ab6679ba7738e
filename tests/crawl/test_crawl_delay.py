"""ROBOTS1994_CRAWL_DELAY applies the delays in robots.txt files."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy.settings import default_settings

from tests.support import replies
from tests.support.crawl import CrawlResult, Reactor, crawl, start_crawl
from tests.support.site import Site

EXTENDED: dict[str, Any] = {
    "ROBOTS1994_DIALECT": "extended",
    "ROBOTS1994_CRAWL_DELAY": True,
    # Scrapy 2.19 deprecated RANDOMIZE_DOWNLOAD_DELAY.
    **(
        {"DOWNLOAD_DELAY_JITTER": 0.5}
        if hasattr(default_settings, "DOWNLOAD_DELAY_JITTER")
        else {"RANDOMIZE_DOWNLOAD_DELAY": True}
    ),
}


def stating(delay: float) -> str:
    return f"User-agent: *\nCrawl-delay: {delay}\nDisallow:\n"


def states(result: CrawlResult, host: str = "127.0.0.1") -> list[tuple[Any, ...]]:
    """Return the state of the download slot of *host* after each download.

    A state consists of the slot's delay, its concurrency, and the delay before its next request.
    """
    return [tuple(state) for state in result.stats[f"test/slot/{host}"]]


def test_each_origin_has_its_delay_and_one_without_has_none(
    site: Site, reactor: Reactor
) -> None:
    """A slot with a crawl delay has no jitter, even if the settings enable it."""
    delays = {f"{delay}.test": delay for delay in (0.06, 0.07, 0.08)}
    for host, delay in delays.items():
        site.robots(stating(delay), at=host)
    hosts = [*delays, "free.test"]
    pages = [site.url(f"/{n}", host=host) for n in range(5) for host in hosts]
    result = crawl(pages, settings=EXTENDED, reactor=reactor, hook="note_slots")

    assert len(result.fetched) == len(pages)
    for host, delay in delays.items():
        assert states(result, host)[1:] == [(delay, 1, delay)] * 5
    assert set(states(result, "free.test")) == {(0, 8, 0)}
    assert result.stats["robots1994/crawl_delay/kept"] == len(delays)


@pytest.mark.parametrize(
    "settings",
    [
        {"DOWNLOAD_SLOTS": {"127.0.0.1": {"delay": 0.4, "concurrency": 3}}},
        {"DOWNLOAD_DELAY": 0.4},
    ],
)
def test_longer_configured_delay_stays(site: Site, settings: dict[str, Any]) -> None:
    site.robots(stating(0.3))
    pages = [site.url(f"/{n}") for n in range(4)]
    result = crawl(pages, settings=EXTENDED | settings, hook="note_slots")

    assert {delay for delay, *_ in states(result)} == {0.4}


def test_longer_delay_of_a_newer_file_is_applied(site: Site) -> None:
    files = [replies.text(stating(0.1)), replies.text(stating(0.3))]
    site.answer("/robots.txt", files)
    pages = [site.url(f"/{n}") for n in range(3)]
    one_by_one = {"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0}
    settings = EXTENDED | one_by_one | {"ROBOTS1994_TTL": 0}
    result = crawl(pages, settings=settings, hook="note_slots")

    assert [delay for delay, *_ in states(result) if delay][-2:] == [0.3, 0.3]
    assert result.stats["robots1994/crawl_delay/kept"] == 2


def test_autothrottle_never_lowers_the_delay_below_that_of_the_file(site: Site) -> None:
    """AutoThrottle starts with a longer delay and lowers it, because the server is fast."""
    throttled = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.6}
    site.robots(stating(0.3))
    pages = [site.url(f"/{n}") for n in range(5)]
    result = crawl(pages, settings=EXTENDED | throttled, hook="note_slots")

    delays = [delay for delay, *_ in states(result)]
    assert (delays[0], delays[-1]) == (0.6, 0.3)


MANY = 16


def test_pages_that_wait_for_a_delay_stop_no_other_origin(
    site: Site, reactor: Reactor
) -> None:
    """There are more delayed pages than CONCURRENT_REQUESTS, and they come first in the queue."""
    site.robots(stating(60), at="slow.test", gate="robots")
    slow = [site.url(f"/{number}", host="slow.test") for number in range(MANY)]
    free = [
        site.url(f"/{page}", host=f"h{number}.test")
        for page in range(3)
        for number in range(20)
    ]
    settings = {
        "CONCURRENT_REQUESTS": 2,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
    }
    running = start_crawl([*slow, *free], settings=EXTENDED | settings, reactor=reactor)
    running.wait_for(f"all {MANY + 60} are yielded")
    site.open("robots")
    for number in range(20):
        site.wait("*", count=4, host=f"h{number}.test")
    running.kill()

    assert sum(seen.host.startswith("slow") for seen in site.log()) <= 4


def test_redirects_obey_the_crawl_delay_of_their_target(site: Site) -> None:
    site.robots(stating(0.5), at="slow.test")
    hosts = [f"h{number}.test" for number in range(4)]
    for host in hosts:
        target = site.url(f"/{host}", host="slow.test")
        site.answer("/moved", replies.redirect(target), at=host)
    moved = [site.url("/moved", host=it) for it in hosts]
    result = crawl(moved, settings=EXTENDED, hook="note_slots")

    assert len(result.fetched) == 4
    assert states(result, "slow.test")[1:] == [(0.5, 1, 0.5)] * 4
