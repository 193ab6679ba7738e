"""Waiting for a robots.txt delays no other origin, and the waiting requests are bounded.

No clock is asked: the slow robots.txt files stand at a gate that opens only when all
pages of the healthy hosts have been requested; if waiting delayed them, it never would.
"""

from __future__ import annotations

from typing import Any

import pytest
from pydispatch import dispatcher  # type: ignore[import-untyped]
from scrapy import signals
from scrapy.core.downloader import Downloader

from scrapy_robots1994.crawl.concurrency import UncountedRequests
from scrapy_robots1994.crawl.downloads import DownloadLimits
from scrapy_robots1994.crawl.waiting import POLL_SECONDS, WaitingRequests
from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Reactor, crawl, reactors
from tests.support.site import Site

SLOW, WELL, PAGES = 12, 5, 4
FEW: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 3,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "SPIDER_MIDDLEWARES": {"tests.crawl.parts.Gauge": 1},
}
OPEN = "User-agent: *\nDisallow: /private\n"


def crawl_beside_slow(site: Site, **options: Any) -> CrawlResult:
    """Crawl slow hosts, then healthy ones; the gate opens when the latter are done."""
    site.robots(OPEN)
    for number in range(SLOW):
        site.robots(OPEN, at=f"slow-{number}.test", gate="slow")
    site.open_when("slow", "/well", count=WELL * PAGES)
    # A scheduler that keeps equal requests once has none that are equal.
    slow = [
        CrawlRequest(
            site.url("/slow", host=f"slow-{n}.test"), meta={"page": page}, priority=1
        )
        for page in range(PAGES)
        for n in range(SLOW)
    ]
    well = [
        CrawlRequest(site.url("/well", host=f"well-{n}.test"), meta={"page": page})
        for page in range(PAGES)
        for n in range(WELL)
    ]
    settings = FEW | options.pop("settings", {})
    return crawl([*slow, *well], settings=settings, **options)


def assert_all_came(result: CrawlResult) -> None:
    """Every page of every host, and nothing failed."""
    assert result.failed == []
    assert len(result.fetched) == (SLOW + WELL) * PAGES


@pytest.mark.parametrize("reactor", reactors())
def test_slow_robots_txt_delays_no_other_origin(reactor: Reactor) -> None:
    """48 requests wait, with 3 places: all healthy pages are fetched before any answer."""
    with Site() as site:
        result = crawl_beside_slow(site, reactor=reactor)

    assert_all_came(result)


@pytest.mark.parametrize("reactor", reactors())
def test_released_requests_obey_the_configured_concurrency(reactor: Reactor) -> None:
    """48 are released at once; 3 pages are on their way, and slots are as before."""
    with Site() as site:
        result = crawl_beside_slow(site, reactor=reactor)

    assert result.stats["test/most_pages"] <= 3
    assert result.stats["test/slots"] == [[1, 0.0]]


def test_the_spider_is_not_idle_while_something_waits() -> None:
    """Idle once, at the end; not when only waiting requests are left."""
    with Site() as site:
        result = crawl_beside_slow(site, signals=["spider_idle"])

    assert [name for name, _ in result.sent] == ["spider_idle"]
    assert_all_came(result)


def test_no_more_wait_than_the_setting_lets() -> None:
    """`ROBOTS1994_MAX_WAITING` is 4, with 3 places: the others stay in the scheduler."""
    with Site() as site:
        site.robots(OPEN)
        urls = [site.url("/page", host=f"h{number}.test") for number in range(40)]
        result = crawl(urls, settings=FEW | {"ROBOTS1994_MAX_WAITING": 4})

    assert len(result.fetched) == 40
    # Of one origin both the request and its fetch are active, one without a place.
    assert result.stats["test/most_held"] <= 2 * (4 + 3)


@pytest.mark.parametrize("reactor", reactors())
def test_redirects_to_another_scheme_wait_for_no_connection(reactor: Reactor) -> None:
    """Twelve fetches are sent on to https at once; a pool for 3 pages has room for all."""
    with Site(tls="valid") as site:
        for number in range(SLOW):
            host = f"slow-{number}.test"
            target = site.secure_url("/robots.txt", host=host)
            site.answer(
                "/robots.txt", replies.redirect(target), at=site.url("", host=host)
            )
        site.answer("/robots.txt", replies.text(OPEN, gate="slow"))
        site.open_when("slow", "/robots.txt", count=2 * SLOW)
        urls = [site.url("/page", host=f"slow-{n}.test") for n in range(SLOW)]
        settings = FEW | {"ROBOTS1994_TIMEOUT": 10}
        result = crawl(urls, settings=settings, reactor=reactor)

    assert result.failed == []
    assert len(result.fetched) == SLOW


def test_no_more_robots_txt_are_fetched_at_once_than_the_setting_lets() -> None:
    """`ROBOTS1994_MAX_FETCHES` 2, twelve slow hosts: two at once, and all come."""
    with Site() as site:
        for number in range(SLOW):
            site.robots(OPEN, at=f"slow-{number}.test", gate="slow")
        site.open_when("slow", "/robots.txt", count=2)
        urls = [site.url("/page", host=f"slow-{n}.test") for n in range(SLOW)]
        result = crawl(urls, settings=FEW | {"ROBOTS1994_MAX_FETCHES": 2})

    assert len(result.fetched) == SLOW
    assert result.stats["test/most_robots"] == 2


def test_cached_pages_do_not_delay_released_requests() -> None:
    """An HTTP cache answers half the pages: the others still find their places."""
    dropping = {"DOWNLOADER_MIDDLEWARES": {"tests.crawl.parts.AnswerPages": 950}}
    with Site() as site:
        result = crawl_beside_slow(site, settings=dropping)

    assert_all_came(result)


class ListingDownloader(Downloader):
    """A downloader that counts its requests in a list."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self.active: Any = RequestList()


class RequestList(list[Any]):
    """A list with the method of a set that Scrapy calls."""

    add = list.append


def test_downloader_without_its_set_loses_no_request() -> None:
    """Requests that wait count, as a warning says, and leave one after the other."""
    settings = {"DOWNLOADER": "tests.crawl.test_waiting.ListingDownloader"}
    with Site() as site:
        site.robots(OPEN)
        urls = [site.url("/page", host=f"h{number % 6}.test") for number in range(40)]
        result = crawl(urls, settings=FEW | settings)

    assert len(result.fetched) == 40
    assert "This Scrapy has no downloader.active" in result.log


def note_listeners(crawler: Any) -> None:
    """Note at each page how many listeners of waiting and of fetches there are."""

    def note(response: Any) -> None:
        heard = (
            signals.request_reached_downloader,
            signals.bytes_received,
            signals.response_downloaded,
            signals.response_received,
            signals.request_left_downloader,
        )
        receivers = [
            receiver
            for signal in heard
            for receiver in dispatcher.liveReceivers(
                dispatcher.getAllReceivers(crawler, signal)
            )
        ]
        owners = [getattr(receiver, "__self__", None) for receiver in receivers]
        ours = (WaitingRequests, UncountedRequests, DownloadLimits)
        number = sum(isinstance(owner, ours) for owner in owners)
        crawler.stats.set_value(f"test/{response.url[-1]}", number)

    crawler.signals.connect(note, signals.response_received, weak=False)


@pytest.mark.parametrize("reactor", reactors())
def test_nothing_listens_once_nothing_waits(reactor: Reactor) -> None:
    """Each listener costs each page some microseconds, for the rest of the crawl."""
    with Site() as site:
        site.robots(OPEN)
        # Page 2 is sent after a pause that is longer than that between two polls.
        result = crawl(
            [site.url("/1"), site.url("/2")],
            hook="tests.crawl.test_waiting:note_listeners",
            reactor=reactor,
            settings={"DOWNLOAD_DELAY": 10 * POLL_SECONDS},
        )

    assert result.stats["test/2"] == 0
