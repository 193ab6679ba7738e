"""A crawl that closes while requests wait loses none of them, and ends promptly.

`python -m tests.closing` runs the same crawls in the sizes of issue 18's table.
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from tests.closing import rows
from tests.closing.rows import OPEN, Side, pages_of, wait_for
from tests.support import replies
from tests.support.crawl import Reactor, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

WAIT = 200
CONCURRENT = 16
ONCE = "tests.closing.spiders:Redirecting"


@pytest.mark.parametrize("reactor", reactors())
def test_page_count_closes_a_crawl_whose_requests_waited(reactor: Reactor) -> None:
    """While Scrapy closes, a few more pages are fetched, limited by the concurrency."""
    limit = {"CLOSESPIDER_PAGECOUNT": 20}

    assert rows.closes_by(Side(reactor=reactor), WAIT, limit) <= 20 + 2 * CONCURRENT


def test_timeout_closes_a_crawl_whose_requests_waited() -> None:
    """Requests that still wait are not sent one by one with the download delay."""
    limit = {"CLOSESPIDER_TIMEOUT": 2, "DOWNLOAD_DELAY": 0.2}

    assert rows.closes_by(Side(), WAIT, limit) < WAIT // 2


@pytest.mark.parametrize("reactor", reactors())
def test_resumed_crawl_requests_each_waiting_page_once(
    reactor: Reactor, tmp_path: Path
) -> None:
    """The crawl is interrupted while all requests wait; a later response has no effect."""
    found = rows.resumed(Side(reactor=reactor), WAIT, tmp_path)

    assert sorted(found) == list(range(WAIT))
    assert set(found.values()) == {1}


@pytest.mark.parametrize("reactor", reactors())
def test_pages_that_wait_for_a_crawl_delay_return_to_the_scheduler(
    reactor: Reactor, tmp_path: Path
) -> None:
    """All pages in the queue of their slot return, as a file may state any delay."""
    settings = {
        "CONCURRENT_REQUESTS": 2,
        "JOBDIR": str(tmp_path),
        "ROBOTS1994_DIALECT": "extended",
        "ROBOTS1994_CRAWL_DELAY": 60,
    }
    args = {"pages": 12, "filtered": True}
    side = Side(reactor=reactor, settings=settings)
    with Site() as site:
        # The delay applies between robots.txt and the first page, too.
        site.robots("User-agent: *\nCrawl-delay: 5\n")
        hook = "tests.closing.spiders:let_all_but_one_count"
        running = side.start(site, spider_args=args, hook=hook)
        site.wait("/p0")
        before = pages_of(site)
        os.kill(running.pid, signal.SIGINT)
        running.result()
        after = pages_of(site)
        site.robots(OPEN)
        side.crawl(site, spider_args=args)
        found = pages_of(site)

    assert after == before
    assert sorted(found) == list(range(12))


@pytest.mark.parametrize("reactor", reactors())
def test_no_robots_txt_is_requested_after_the_close(reactor: Reactor) -> None:
    """Silent origins occupy 4 of 4 fetches; no other robots.txt is ever requested."""
    before, after, _ = rows.silent_origins(Side(reactor=reactor), 40, 4)

    assert (before, after) == (4, 0)


@pytest.mark.parametrize("reactor", reactors())
def test_urgent_requests_leave_before_earlier_ones(reactor: Reactor) -> None:
    """Few places, so that the urgent ones are still with the scheduler.

    At most the requests that have a place or are on their way leave before them.
    """
    few = {"ROBOTS1994_MAX_WAITING": 20, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}
    places = rows.urgent_places(Side(reactor=reactor, settings=few), WAIT, 10)

    assert len(places) == 10
    assert max(places) < 20 + 2 * CONCURRENT + len(places)


def test_waiting_requests_are_sent_by_priority() -> None:
    """Each has a place, and none is left in the scheduler."""
    with Site() as site:
        site.robots(OPEN, gate="slow")
        args = {"pages": WAIT, "urgent": 10}
        running = Side().start(site, spider_args=args)
        wait_for(running, "are yielded")
        site.open("slow")
        running.result()
        order = pages_of(site)

    assert sorted(order[:10]) == list(range(WAIT, WAIT + 10))
    # In each priority by arrival, but for those that are on their way together.
    expected = sorted(range(WAIT), key=lambda number: (number % 3, number))
    places = {number: place for place, number in enumerate(order[10:])}
    assert all(
        abs(places[number] - place) <= CONCURRENT
        for place, number in enumerate(expected)
    )


@pytest.mark.parametrize("reactor", reactors())
def test_concurrency_changed_by_others_is_preserved(reactor: Reactor) -> None:
    """Set to 4 while hundreds wait: 4 at once, 4 at the end, and all pages are fetched."""
    found = rows.foreign_concurrency(Side(reactor=reactor), WAIT)

    assert found == (4, 4, WAIT)


@pytest.mark.parametrize("reactor", reactors())
def test_page_awaited_outside_the_scheduler_fails_when_the_crawl_closes(
    reactor: Reactor,
) -> None:
    """If it went back to the scheduler, it would be requested again and again."""
    with Site() as site:
        site.robots(OPEN)
        site.robots(OPEN, at="a.test", gate="never")
        args = {"site": site.url("", host="a.test"), "first": site.url("/first")}
        running = Side(reactor=reactor).start(site, "Downloading", spider_args=args)
        site.wait("/robots.txt", host="a.test")
        os.kill(running.pid, signal.SIGINT)
        result = running.result()

    assert result.items == [{"error": "FetchAborted"}]
    assert result.stats["robots1994/requests_waited"] <= 3
    assert "go back to the scheduler, or fail with FetchAborted" in result.log


@pytest.mark.parametrize("reactor", reactors())
def test_awaited_page_that_waits_for_a_crawl_delay_fails_when_the_crawl_closes(
    reactor: Reactor,
) -> None:
    """The page is in the queue of its slot, and no scheduler would take it back."""
    settings = {"ROBOTS1994_DIALECT": "extended", "ROBOTS1994_CRAWL_DELAY": 60}
    with Site() as site:
        site.robots("User-agent: *\nCrawl-delay: 60\n", at="a.test")
        args = {"first": site.url("/first", host="b.test")}
        hook = "tests.closing.spiders:interrupt_at_the_first_page"
        side = Side(reactor=reactor, settings=settings)
        result = side.crawl(site, "Downloading", spider_args=args, hook=hook)
        targets = site.targets()

    assert result.items == [{"error": "FetchAborted"}]
    assert targets == ["/robots.txt", "/first", "/robots.txt"]


def test_request_that_returned_to_the_scheduler_is_unchanged(tmp_path: Path) -> None:
    """In the crawl that resumes it has its own `dont_filter` and no key of ours."""
    args = {"pages": 5, "filtered": True}
    settings = {"JOBDIR": str(tmp_path)}
    with Site() as site:
        site.robots(OPEN, gate="slow")
        running = Side().start(site, spider_args=args, settings=settings)
        site.wait("/robots.txt")
        os.kill(running.pid, signal.SIGINT)
        first = running.result()
        site.open("slow")
        result = Side().crawl(site, "Redirecting", spider_args=args, settings=settings)

    assert (first.fetched, first.failed) == ([], [])
    assert result.items == [{"dont_filter": False, "marks": []}] * 5


@pytest.mark.parametrize("reactor", reactors())
def test_returned_page_survives_a_second_interrupted_crawl(
    reactor: Reactor, tmp_path: Path
) -> None:
    """The second crawl closes while the page is in a middleware that runs before ours."""
    middleware = {"tests.closing.spiders.InterruptingMiddleware": 10}
    job = {"JOBDIR": str(tmp_path)}
    args = {"pages": WAIT, "filtered": True}
    side = Side(reactor=reactor, settings=job)
    with Site() as site:
        site.answer("/robots.txt", replies.black_hole())
        running = side.start(site, spider_args=args)
        wait_for(running, f"all {WAIT} are yielded")
        os.kill(running.pid, signal.SIGINT)
        running.result()
        again = {"DOWNLOADER_MIDDLEWARES": middleware}
        second = side.crawl(site, spider_args=args, settings=again)
        site.robots(OPEN)
        side.crawl(site, spider_args=args)
        found = pages_of(site)

    assert second.failed == []
    assert sorted(found) == list(range(WAIT))


def test_cached_pages_do_not_wait_for_a_poll(tmp_path: Path) -> None:
    """No request waits for a poll of the engine: 300 pages take few of them."""
    settings: dict[str, Any] = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
    }
    with Site() as site:
        site.robots(OPEN)
        args = {"pages": 300}
        Side().crawl(site, spider_args=args, settings=settings)
        result = Side().crawl(
            site,
            spider_args=args,
            settings=settings,
            hook="tests.closing.spiders:count_polls",
        )

    assert len(result.fetched) == 300
    assert result.stats["test/polls"] < 300 / CONCURRENT


@pytest.mark.parametrize("reactor", reactors())
def test_signal_handler_may_await_a_page_of_the_origin(
    reactor: Reactor,
) -> None:
    """The policy is in memory before the handler runs, so it waits for nothing."""
    with Site() as site:
        site.robots("Sitemap: /s.xml\nUser-agent: *\nDisallow: /private\n")
        result = Side(reactor=reactor).crawl(
            site,
            spider_args={"pages": 3},
            settings={"ROBOTS1994_DIALECT": "extended"},
            hook="tests.closing.spiders:await_a_page",
        )

    assert len(result.fetched) == 3
    assert result.stats["test/awaited/200"] >= 1
    assert result.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("reactor", reactors())
def test_signal_handler_may_await_a_page_whose_stored_policy_left_memory(
    reactor: Reactor, tmp_path: Path
) -> None:
    """Memory has room for one of eight origins, all of them loaded from the store."""
    store = f"sqlite:///{tmp_path / 'robots.db'}?in_memory=1"
    settings = {"ROBOTS1994_STORE": store, "ROBOTS1994_DIALECT": "extended"}
    with Site() as site:
        site.robots("Sitemap: /s.xml\nUser-agent: *\nDisallow: /private\n")
        url = site.url("", host="h{n}.test")
        args = {"site": url, "pages": 8, "hosts": 8}
        side = Side(reactor=reactor, settings=settings)
        side.crawl(site, spider_args=args)
        site.forget()
        hook = "tests.closing.spiders:await_a_page"
        result = side.crawl(site, spider_args=args, hook=hook, timeout=30)
        fetches = site.log("/robots.txt")

    assert len(result.fetched) == 8
    assert result.stats["test/awaited/200"] >= 8
    assert fetches == []


def test_handler_may_await_a_page_while_the_spider_opens() -> None:
    """The engine is not running yet, so it has no room for a page that waited."""
    with Site() as site:
        site.robots(OPEN)
        result = Side().crawl(
            site,
            spider_args={"pages": 3},
            settings={"SITE": site.url("")},
            hook="tests.closing.spiders:await_pages_at_the_start",
            timeout=20,
        )

    assert len(result.fetched) == 3
    assert result.stats["test/login"] == 200
    assert result.stats["test/private"] == "refused"


@pytest.mark.parametrize("reactor", reactors())
def test_callback_that_blocks_the_scraper_gets_the_pages_it_awaits(
    reactor: Reactor,
) -> None:
    """The scraper has no room until the callback ends, which awaits pages that waited."""
    with Site() as site:
        site.robots(OPEN)
        site.answer("/first", replies.html("x" * 6_000_000))
        args = {"first": site.url("/first")}
        side = Side(reactor=reactor)
        result = side.crawl(site, "Heavy", spider_args=args, timeout=30)

    assert result.items == [{"status": 200}] * 2


@pytest.mark.parametrize("reactor", reactors())
def test_callbacks_that_block_the_scraper_get_their_pages_at_once(
    reactor: Reactor,
) -> None:
    """The server answers none of the awaited pages before all are requested."""
    with Site() as site:
        site.robots(OPEN)
        for number in range(4):
            site.answer(f"/p{number}", replies.html("held", gate="pages"))
        site.open_when("pages", count=5, host="a.test")
        site.answer("/awaited", replies.html("awaited", gate="awaited"))
        site.open_when("awaited", "/awaited", count=4)
        # The first page fills the scraper.
        full = {"CONCURRENT_REQUESTS": 4, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}
        result = Side(reactor=reactor, settings=full | {"DOWNLOAD_TIMEOUT": 8}).crawl(
            site, "Awaiting", spider_args={"pages": 4}, timeout=60
        )

    assert result.items == [{"status": 200}] * 4


def test_silent_origin_does_not_cause_spider_idle() -> None:
    """Spiders make their next batch of requests on it: it is sent once, at the end."""
    with Site() as site:
        site.answer("/robots.txt", replies.text(OPEN, gate="slow"))
        running = Side().start(site, spider_args={"pages": 3}, signals=["spider_idle"])
        site.wait("/robots.txt")
        wait_for(running, "all 3 are yielded")
        site.open("slow")
        result = running.result()

    assert [name for name, _ in result.sent] == ["spider_idle"]
