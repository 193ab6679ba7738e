"""How a crawl closes while requests wait for a robots.txt (R6)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import signals

from tests.support import replies
from tests.support.crawl import COMPONENTS, start_crawl
from tests.support.side import Side, pages_of
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import Middleware, Reactor

OPEN = "User-agent: *\nDisallow: /private\n"
WAIT = 100
CONCURRENT = 16
SCRAPY_TASK_MESSAGES = re.compile(
    r".*Task was destroyed but.*\ntask: .* coro=<Scraper\..*\n"
)
"""Scrapy 2.16 logs these lines if a crawl without a reactor is forced to end."""


@pytest.mark.parametrize(
    ("limit", "most"),
    [
        ({"CLOSESPIDER_PAGECOUNT": 20}, 20 + 2 * CONCURRENT),
        # Even on a busy machine, the first page arrives within six seconds.
        pytest.param(
            {"CLOSESPIDER_TIMEOUT": 6, "DOWNLOAD_DELAY": 0.2},
            30 + 2 * CONCURRENT,
            marks=pytest.mark.long,
        ),
        # A few more pages arrive before the error is counted.
        ({"CLOSESPIDER_ERRORCOUNT": 1, "DOWNLOAD_DELAY": 0.05}, 3 * CONCURRENT),
    ],
    ids=["pages", "timeout", "errors"],
)
def test_limit_closes_a_crawl_whose_requests_waited(
    site: Site, reactor: Reactor, limit: dict[str, Any], most: int
) -> None:
    spider = "Raising" if "CLOSESPIDER_ERRORCOUNT" in limit else "Counted"
    site.robots(OPEN, gate="slow")
    running = Side(reactor=reactor).start(
        site, spider, spider_args={"pages": WAIT}, settings=limit
    )
    running.wait_for(f"all {WAIT} are yielded")
    site.open("slow")
    result = running.result()
    pages = pages_of(site)

    assert result.stats["finish_reason"].startswith("closespider_")
    assert 0 < len(pages) <= most
    assert result.failed == []


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_while_requests_wait(site: Site, reactor: Reactor, times: int) -> None:
    """R6: waiting pages are not fetched; after a single Ctrl-C, they do not fail either."""
    site.robots(OPEN, gate="never")
    args = {"pages": 10}
    side = Side(reactor=reactor, settings={"ROBOTS1994_TIMEOUT": 100})
    running = side.start(site, spider_args=args, hook="close_soon", timeout=30)
    site.wait("/robots.txt")
    running.send_sigint()
    if times > 1:
        running.wait_for("shutting down gracefully")
        running.send_sigint()
    result = running.result()

    assert site.targets() == ["/robots.txt"]
    assert (result.returncode, result.fetched) == (0, [])
    if times == 1:
        assert result.failed == []
        assert result.stats["finish_reason"] == "shutdown"
    left = replace(result, log=SCRAPY_TASK_MESSAGES.sub("", result.log))
    assert left.unclean == []


def test_resumed_crawl_requests_each_waiting_page_once(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """The first crawl stops while all requests wait for robots.txt. The second stops while another
    middleware delays them.
    """
    side = Side(reactor=reactor, settings={"JOBDIR": str(tmp_path)})
    args = {"pages": WAIT, "filtered": True}
    site.answer("/robots.txt", replies.Reply(503, gate="slow"))
    running = side.start(site, spider_args=args)
    running.wait_for(f"all {WAIT} are yielded")
    running.interrupt()
    site.open("slow")
    first = running.result()
    between = {f"{COMPONENTS}.InterruptingMiddleware": 10}
    second = side.crawl(
        site, spider_args=args, settings={"DOWNLOADER_MIDDLEWARES": between}
    )
    assert pages_of(site) == []
    site.robots(OPEN)
    side.crawl(site, spider_args=args)

    assert (first.failed, second.failed) == ([], [])
    assert sorted(pages_of(site)) == list(range(WAIT))


def test_redirects_of_a_resumed_crawl_are_still_filtered(
    site: Site, tmp_path: Path
) -> None:
    side = Side(settings={"JOBDIR": str(tmp_path)})
    args = {"pages": WAIT, "filtered": True}
    site.robots(OPEN, gate="slow")
    site.answer("*", replies.redirect("/same"))
    site.answer("/same", replies.text(b"same"))
    running = side.start(site, spider_args=args)
    running.wait_for(f"all {WAIT} are yielded")
    running.interrupt()
    site.open("slow")
    running.result()
    side.crawl(site, spider_args=args)

    assert len(pages_of(site)) == WAIT
    assert len(site.log("/same")) == 1


def test_pages_that_wait_for_a_crawl_delay_return_to_the_scheduler(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    settings = {
        "CONCURRENT_REQUESTS": 4,
        "JOBDIR": str(tmp_path),
        "ROBOTS1994_DIALECT": "extended",
        "ROBOTS1994_CRAWL_DELAY": 60,
    }
    args = {"pages": 12, "filtered": True}
    side = Side(reactor=reactor, settings=settings)
    site.robots("User-agent: *\nCrawl-delay: 3\n", gate="robots")
    running = side.start(site, spider_args=args)
    running.wait_for("all 12 are yielded")
    site.open("robots")
    site.wait("/p0")
    before = pages_of(site)
    running.send_sigint()
    running.result()
    after = pages_of(site)
    site.robots(OPEN)
    side.crawl(site, spider_args=args)

    # Up to two pages may have left the scheduler before the signal.
    assert len(after) <= len(before) + 2
    assert sorted(pages_of(site)) == list(range(12))


# Before Scrapy 2.18, a crawl with the limit 0 sends nothing. The signal `robots_parsed` is new in
# 2.18 too.
LIMITS = [(CONCURRENT, CONCURRENT), (0, WAIT)][: 1 + hasattr(signals, "robots_parsed")]


@pytest.mark.parametrize(("limit", "sent"), LIMITS)
def test_first_requests_that_wait_are_sent_at_the_close(
    site: Site, reactor: Reactor, limit: int, sent: int
) -> None:
    """Ours R6: `CONCURRENT_REQUESTS` limits how many waiting requests are sent. 0 sets no limit."""
    late = replies.Reply(body=OPEN.encode(), gate="late", delay=2)
    site.answer("/robots.txt", late)
    side = Side(reactor=reactor, settings={"CONCURRENT_REQUESTS": limit})
    running = side.start(site, spider_args={"pages": WAIT})
    site.wait("/robots.txt")
    running.wait_for(f"all {WAIT} are yielded")
    running.interrupt()
    site.open("late")
    running.result()

    assert len(pages_of(site)) == sent


def test_no_robots_txt_is_requested_after_the_close(
    site: Site, reactor: Reactor
) -> None:
    settings = {"CONCURRENT_REQUESTS": 4, "ROBOTS1994_MAX_WAITING": 0}
    site.answer("/robots.txt", replies.black_hole())
    args = {"pages": 40, "hosts": 40, "site": site.url("", host="h{n}.test")}
    side = Side(reactor=reactor, settings=settings)
    running = side.start(site, spider_args=args, hook="close_soon")
    running.wait_for("all 40 are yielded")
    site.wait("/robots.txt")
    running.interrupt()
    running.result()

    assert set(site.targets()) == {"/robots.txt"}
    assert len(site.targets()) <= 4


def test_start_request_of_a_stopped_crawl_was_not_refused(site: Site) -> None:
    site.robots(OPEN)
    site.robots(OPEN, at="slow.test", gate="never")
    urls = [site.url("/private/1"), site.url("/private/2", host="slow.test")]
    running = start_crawl(urls, hook="close_soon")
    running.wait_for("Forbidden by robots.txt")
    running.interrupt()

    assert "refused all start requests" not in running.result().log


def test_concurrency_changed_by_others_is_preserved(
    site: Site, reactor: Reactor
) -> None:
    # robots.txt arrives late, so that all requests still wait when the concurrency changes.
    file = replies.Reply(body=OPEN.encode(), gate="slow", delay=1.5)
    site.answer("/robots.txt", file)
    running = Side(reactor=reactor).start(
        site,
        spider_args={"pages": WAIT},
        settings={"SPIDER_MIDDLEWARES": {f"{COMPONENTS}.Gauge": 1}},
        hook="shrink_concurrency",
    )
    running.wait_for(f"all {WAIT} are yielded")
    site.open("slow")
    result = running.result()

    found = [result.stats[f"test/{key}"] for key in ("concurrency", "most_pages")]
    assert [*found, len(result.fetched)] == [4, 4, WAIT]


def test_callbacks_that_block_the_scraper_get_the_pages_they_await(
    site: Site, reactor: Reactor
) -> None:
    site.robots(OPEN)
    for number in range(4):
        site.answer(f"/p{number}", replies.html("held", gate="pages"))
    site.open_when("pages", count=5, host="a.test")
    site.answer("/awaited", replies.html("awaited", gate="awaited"))
    site.open_when("awaited", "/awaited", count=4)
    full = {"CONCURRENT_REQUESTS": 4, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}
    result = Side(reactor=reactor, settings=full | {"DOWNLOAD_TIMEOUT": 8}).crawl(
        site, "Awaiting", spider_args={"pages": 4}, timeout=60
    )

    assert result.items == [{"status": 200}] * 4


# R6: a request that a component awaits is finished even while the crawl closes.


@pytest.mark.parametrize(
    ("answers", "settings", "end"),
    [
        ([replies.text(OPEN, gate="late")], {}, 200),
        (
            [replies.Reply(503, gate="late"), replies.text(OPEN)],
            {"RETRY_ENABLED": True},
            200,
        ),
        # Even though robots.txt never arrives, the crawl ends, and the page is refused (R5).
        ([replies.black_hole()], {"ROBOTS1994_TIMEOUT": 4}, "ForbiddenByRobots"),
    ],
    ids=["late", "503 first", "never"],
)
def test_page_awaited_at_a_close_has_its_end(
    site: Site,
    reactor: Reactor,
    answers: list[replies.Reply],
    settings: dict[str, Any],
    end: int | str,
) -> None:
    site.robots(OPEN)
    site.answer("/robots.txt", answers, at="a.test")
    args = {"first": site.url("/first")}
    side = Side(reactor=reactor, settings=settings)
    running = side.start(
        site, "Downloading", spider_args=args, timeout=60, hook="close_soon"
    )
    site.wait("/robots.txt", host="a.test")
    running.wait_for("page 1 is yielded")
    running.interrupt()
    site.open("late")
    result = running.result()

    assert result.items == [{"end": end}]
    assert result.stats["finish_reason"] == "shutdown"


def test_copy_of_a_request_that_a_middleware_awaits_at_a_close_is_fetched(
    site: Site, reactor: Reactor
) -> None:
    """The copy that `TokenMiddleware` makes has the meta of a scheduled request, but is not
    scheduled itself.
    """
    site.robots(OPEN, gate="late")
    settings = {
        "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.TokenMiddleware": 50},
        "TOKEN_URL": site.url("/token", host="t{n}.test"),
    }
    side = Side(reactor=reactor, settings=settings)
    running = side.start(site, spider_args={"pages": 3}, timeout=30, hook="close_soon")
    site.wait("/robots.txt", count=3)
    running.interrupt()
    site.open("late")
    running.result()

    assert len(site.log("/token")) == 3


@pytest.mark.parametrize(
    ("pipeline", "found", "limit"),
    [
        ("OneFile", "path", {"CLOSESPIDER_PAGECOUNT": 10}),
        ("AwaitingPipeline", "status", {}),
    ],
    ids=["page count", "awaited page at SIGINT"],
)
def test_close_finishes_what_pipelines_await(
    pipeline: str, found: str, limit: dict[str, Any], tmp_path: Path
) -> None:
    ours = complete_items(tmp_path / "ours", "ours", pipeline, found, limit)
    builtin = complete_items(tmp_path / "built", "builtin", pipeline, found, limit)

    assert builtin[1] == 30
    assert ours == (builtin[0], 30)


def complete_items(
    folder: Path, middleware: Middleware, pipeline: str, found: str, limit: Any
) -> tuple[bool, int]:
    """Run a crawl that closes early, then resume it.

    Return whether every item of the first crawl has a value in the field *found*, and how many
    items of the two crawls have one.
    """
    settings = {
        "ITEM_PIPELINES": {f"{COMPONENTS}.{pipeline}": 1},
        "FILES_STORE": str(folder / "files"),
        "CONCURRENT_REQUESTS": 10,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 10,
        "JOBDIR": str(folder / "job"),
    }
    side = Side(middleware, settings=settings)
    with Site() as site:
        awaited = site.url("/x{n}", host="files.test")
        item = {"file": awaited, "awaited": awaited}
        args = {"pages": 30, "filtered": True, "item": item}
        site.robots(OPEN)
        site.robots(OPEN, at="files.test", gate="files")
        site.answer("*", replies.image(), at="files.test")
        running = side.start(site, spider_args=args, settings=limit)
        site.wait("/robots.txt", host="files.test")
        # The crawl starts to close before the robots.txt of `files.test` arrives.
        if not limit:
            site.wait("*", count=10, host="a.test")
            running.interrupt()
        running.wait_for("Closing spider")
        site.open("files")
        first = running.result()
        second = side.crawl(site, spider_args=args)
    items = [bool(it.get(found)) for it in [*first.items, *second.items]]
    return all(items[: len(first.items)]), sum(items)


def test_close_finishes_requests_that_a_job_cannot_store(tmp_path: Path) -> None:
    """With the built-in middleware, unserializable requests in the scheduler are lost."""
    found: dict[str, int] = {}
    for middleware in ("ours", "builtin"):
        side = Side(middleware, settings={"JOBDIR": str(tmp_path / middleware)})
        args = {"pages": 30, "filtered": True}
        with Site() as site:
            late = replies.Reply(body=OPEN.encode(), gate="late", delay=2)
            site.answer("/robots.txt", [late, replies.text(OPEN)])
            running = side.start(site, "Unserializable", spider_args=args)
            site.wait("/robots.txt")
            running.wait_for("all 30 are yielded")
            running.interrupt()
            site.open("late")
            running.result()
            side.crawl(site, "Unserializable", spider_args=args)
            found[middleware] = len(set(pages_of(site)))

    assert found["ours"] == 30 > found["builtin"] >= CONCURRENT - 1
