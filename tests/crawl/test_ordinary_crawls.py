"""Ordinary crawls with ours and with the built-in: ours never fetches or exports less.

Each test compares two crawls of one site by the server's log and by their items.
"""

from __future__ import annotations

import time
from email.utils import formatdate
from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from packaging.version import Version
from packaging.version import parse as parse_version

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlResult, crawl
from tests.support.left_out import table
from tests.support.side import Side
from tests.support.site import Site

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.crawl import Middleware

OPEN = "User-agent: *\nDisallow: /private\n"
DAY = 86_400
BOTH: tuple[Middleware, ...] = ("builtin", "ours")


def replayed(
    folder: Path,
    middleware: Middleware,
    cache: dict[str, Any],
    again: dict[str, Any] | None,
    recorder: Middleware | None = None,
    /,
    **headers: str,
) -> tuple[CrawlResult, list[str]]:
    """Record a crawl of five pages with *cache*, and repeat it with *again*.

    Without *again*, the server is gone. *recorder* is the middleware of the first crawl, if
    that is another one. Return the result of the second crawl, and the targets that it
    requested.
    """
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(folder / middleware)}
    settings |= cache
    page = replies.status(200, b"page", Cache_Control="max-age=1000")
    with Site() as site:
        site.answer("/robots.txt", replies.status(200, OPEN.encode(), **headers))
        site.answer("*", page)
        urls = [site.url(f"/{number}") for number in range(5)]
        first = crawl(urls, middleware=recorder or middleware, settings=settings)
        assert len(first.fetched) == 5
        site.forget()
        if again is not None:
            result = crawl(urls, middleware=middleware, settings=settings | again)
            return result, site.targets()
    return crawl(urls, middleware=middleware, settings=settings), []


def cached(
    policy: str = "DummyPolicy", storage: str = "FilesystemCacheStorage"
) -> dict[str, str]:
    """Return the settings of a policy and a storage of the cache."""
    return {
        "HTTPCACHE_POLICY": f"scrapy.extensions.httpcache.{policy}",
        "HTTPCACHE_STORAGE": f"scrapy.extensions.httpcache.{storage}",
    }


RFC, DBM = "RFC2616Policy", "DbmCacheStorage"
REPLAY = {"HTTPCACHE_IGNORE_MISSING": True}


@table(
    ("record", "again", "age"),
    (cached(RFC), REPLAY, 40 * DAY),
    # A robots.txt of unknown age is used as the last good policy.
    (cached(), None, None),
    # A fresh robots.txt is used without a request: the longest lifetime is a day.
    ({}, {}, 100),
    # No robots.txt is recorded, and the cache refuses requests that it does not have.
    ({"ROBOTSTXT_OBEY": False}, REPLAY | {"ROBOTSTXT_OBEY": True}, None),
    (cached(RFC), REPLAY, 10),
    (cached(RFC, DBM), REPLAY, None),
    (cached(), REPLAY, None),
    (cached(storage=DBM), REPLAY, 10),
    (cached(RFC), None, None),
    short=4,
)
def test_recorded_crawl_replays_without_a_request(
    record: dict[str, Any],
    again: dict[str, Any] | None,
    age: int | None,
    tmp_path: Path,
) -> None:
    """The robots.txt has a Date, no Date, or a Date of last month."""
    date = {} if age is None else {"Date": formatdate(time.time() - age, usegmt=True)}

    found = [replayed(tmp_path, it, record, again, **date) for it in BOTH]

    assert [(len(result.fetched), sent) for result, sent in found] == [(5, [])] * 2


@table("policy", RFC, "DummyPolicy")
def test_cache_of_one_middleware_replays_under_the_other(
    policy: str, tmp_path: Path
) -> None:
    """The server is gone. The cache policy stores the robots.txt of either middleware."""
    found = [
        replayed(tmp_path, it, cached(policy), None, other, Cache_Control="max-age=9")
        for it, other in (BOTH, BOTH[::-1])
    ]

    assert [len(result.fetched) for result, _ in found] == [5, 5]


@table(
    ("headers", "then", "reason"),
    # R5 (unreachable): the server is gone, and no policy is known.
    ({"Cache_Control": "no-store"}, replies.reset(), "unreachable"),
    # A robots.txt of unknown age is requested again.
    ({}, replies.text("User-agent: *\nDisallow: /\n"), "rule"),
    # This robots.txt is older than STALE_TTL.
    (
        {"Date": formatdate(time.time() - 40 * DAY, usegmt=True)},
        replies.reset(),
        "unreachable",
    ),
    short=2,
    ids=["no-store", "no date", "old"],
)
def test_cached_robots_txt_that_does_not_count_sends_no_page(
    site: Site,
    headers: dict[str, str],
    then: replies.Reply,
    reason: str,
    tmp_path: Path,
) -> None:
    """The answer to the next request for robots.txt decides."""
    settings = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path)}
    known = replies.status(200, OPEN.encode(), **headers)
    site.answer("/robots.txt", [known, then])
    crawl([site.url("/1")], settings=settings)
    result = crawl([site.url("/2")], settings=settings)

    assert "/2" not in site.targets()
    assert result.reasons == [reason]


TOKENS = {f"{COMPONENTS}.TokenMiddleware": 543}
LATE = replies.text(OPEN, gate="late")
SIXTY = {"hosts": 60, "pages": 180, "item": {"page": "{n}"}}


@table(
    ("limit", "least", "delay"),
    # In this row, robots.txt files are slower.
    ({"CLOSESPIDER_PAGECOUNT": 60}, 22, 0.5),
    ({"CLOSESPIDER_PAGECOUNT": 60, "CONCURRENT_REQUESTS": 1}, 28, 0.1),
    # The delay is needed because Scrapy 2.13 calls back 0.1 s late, after more pages
    # without an item.
    ({"CLOSESPIDER_PAGECOUNT_NO_ITEM": 50, "DOWNLOAD_DELAY": 0.2}, 150, 0.1),
    ({"CLOSESPIDER_ITEMCOUNT": 10}, 10, 0.1),
    # In this row, each page requests a token from a second host.
    ({"CLOSESPIDER_PAGECOUNT": 20, "DOWNLOADER_MIDDLEWARES": TOKENS}, 5, 0.1),
)
def test_limits_leave_about_as_many_items_as_the_built_in(
    limit: dict[str, Any], least: int, delay: float
) -> None:
    """A robots.txt counts as a page. Our middleware fetches at most 16 more
    robots.txt files than the built-in.

    A busy machine notices a limit some pages late, so *least* is the number of items
    without these pages.
    """
    found: dict[str, tuple[int, int]] = {}
    for middleware in BOTH:
        with Site() as site:
            site.answer("/robots.txt", replies.Reply(200, OPEN.encode(), delay=delay))
            tokens = {"TOKEN_URL": site.url("/token", host="t{n}.test")}
            args = {"site": site.url("", host="h{n}.test")} | SIXTY
            result = Side(middleware, settings=tokens).crawl(
                site, spider_args=args, settings=limit
            )
            found[middleware] = len(result.items), len(site.log("/robots.txt"))

    assert found["ours"][0] >= min(least, 0.8 * found["builtin"][0])
    assert found["ours"][1] <= found["builtin"][1] + 16


@table("answers", [LATE], [replies.reset(), LATE], ids=["late", "reset"])
def test_sigint_leaves_as_many_items_as_the_built_in(
    answers: list[replies.Reply],
) -> None:
    """Each robots.txt arrives after the close has begun, or after a reset connection."""
    found: list[int] = []
    for middleware in BOTH:
        with Site() as site:
            for number in range(60):
                site.answer("/robots.txt", answers, at=f"h{number}.test")
            args = {"site": site.url("", host="h{n}.test")} | SIXTY
            running = Side(middleware, settings={"RETRY_ENABLED": True}).start(
                site, spider_args=args
            )
            # With the built-in, the robots.txt of a request takes a slot, too.
            site.wait("/robots.txt", count=8)
            running.interrupt()
            site.open("late")
            found.append(len(running.result().items))

    assert found[1] >= found[0] > 0


@table("concurrent", 2, 16)
@table("order", 50, 543, ids=["before ours", "after ours"])
def test_middleware_that_awaits_a_request_for_each_page(
    concurrent: int, order: int
) -> None:
    """Each awaited request is for another origin, and does not wait behind pages."""
    found: list[int] = []
    for middleware in BOTH:
        with Site() as site:
            site.robots(OPEN)
            settings = {
                "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.TokenMiddleware": order},
                "TOKEN_URL": site.url("/token", host="t{n}.test"),
                "CONCURRENT_REQUESTS": concurrent,
            }
            urls = [site.url(f"/p{number}") for number in range(30)]
            result = crawl(urls, middleware=middleware, settings=settings)
            tokens = {seen.host for seen in site.log("/token")}
        found.append(len(result.fetched))
        assert len(tokens) == 30

    assert found == [30, 30]


@pytest.mark.skipif(
    parse_version(scrapy.__version__) < Version("2.18"),
    reason="before Scrapy 2.18 the limit 0 sends nothing",
)
def test_no_limit_of_concurrent_requests() -> None:
    """CONCURRENT_REQUESTS = 0: all pages of a slow and a quick origin are requested at
    once.
    """
    for middleware in BOTH:
        with Site() as site:
            site.robots(OPEN)
            site.robots(OPEN, at="slow.test", gate="pages")
            site.answer("*", replies.html("page", gate="pages"))
            # Without a limit, all pages of the quick origin wait for the gate.
            quick = [site.url(f"/{it}", host="quick.test") for it in range(40)]
            slow = [site.url(f"/{it}", host="slow.test") for it in range(40)]
            site.open_when("pages", count=42)
            settings = {
                "CONCURRENT_REQUESTS": 0,
                "CONCURRENT_REQUESTS_PER_DOMAIN": 100,
                "DOWNLOAD_TIMEOUT": 20,
            }
            result = crawl(slow + quick, middleware=middleware, settings=settings)

        assert len(result.fetched) == 80
