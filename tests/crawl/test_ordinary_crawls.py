"""Ordinary crawls get about as many pages with our middleware as with the built-in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import scrapy
from packaging.version import Version
from packaging.version import parse as parse_version

from tests.support import replies
from tests.support.crawl import COMPONENTS, crawl
from tests.support.side import Side
from tests.support.site import Site

if TYPE_CHECKING:
    from tests.support.crawl import Middleware

OPEN = "User-agent: *\nDisallow: /private\n"
BOTH: tuple[Middleware, ...] = ("builtin", "ours")


LATE = replies.text(OPEN, gate="late")
SIXTY = {"hosts": 60, "pages": 180, "item": {"page": "{n}"}}


@pytest.mark.parametrize(
    ("limit", "least", "delay"),
    [
        ({"CLOSESPIDER_PAGECOUNT": 60}, 22, 0.5),
        ({"CLOSESPIDER_PAGECOUNT": 60, "CONCURRENT_REQUESTS": 1}, 28, 0.1),
        # Scrapy 2.13 calls callbacks 0.1 s late: without a delay, too many pages would arrive.
        ({"CLOSESPIDER_PAGECOUNT_NO_ITEM": 50, "DOWNLOAD_DELAY": 0.2}, 150, 0.1),
        ({"CLOSESPIDER_ITEMCOUNT": 10}, 10, 0.1),
    ],
)
def test_limits_leave_about_as_many_items_as_the_built_in(
    limit: dict[str, Any], least: int, delay: float
) -> None:
    """Limits count a robots.txt as a page, and our middleware may fetch 16 more robots.txt files
    than the built-in one. On a busy machine, a limit takes effect a few pages late, so ours needs
    only 80% as many items as the built-in one.
    """
    found: dict[str, tuple[int, int]] = {}
    for middleware in BOTH:
        with Site() as site:
            site.answer("/robots.txt", replies.Reply(200, OPEN.encode(), delay=delay))
            args = {"site": site.url("", host="h{n}.test")} | SIXTY
            result = Side(middleware).crawl(site, spider_args=args, settings=limit)
            found[middleware] = len(result.items), len(site.log("/robots.txt"))

    assert found["ours"][0] >= min(least, 0.8 * found["builtin"][0])
    assert found["ours"][1] <= found["builtin"][1] + 16


@pytest.mark.parametrize(
    "answers", [[LATE], [replies.reset(), LATE]], ids=["late", "reset"]
)
def test_sigint_leaves_as_many_items_as_the_built_in(
    answers: list[replies.Reply],
) -> None:
    found: list[int] = []
    for middleware in BOTH:
        with Site() as site:
            for number in range(60):
                site.answer("/robots.txt", answers, at=f"h{number}.test")
            args = {"site": site.url("", host="h{n}.test")} | SIXTY
            running = Side(middleware, settings={"RETRY_ENABLED": True}).start(
                site, spider_args=args
            )
            # Not 16: with the built-in middleware, a robots.txt request and the page that waits for
            # it both count towards the limit of 16 requests.
            site.wait("/robots.txt", count=8)
            running.interrupt()
            site.open("late")
            found.append(len(running.result().items))

    assert found[1] >= found[0] > 0


@pytest.mark.parametrize("concurrent", [2, 16])
@pytest.mark.parametrize("order", [50, 543], ids=["before ours", "after ours"])
def test_middleware_that_awaits_a_request_for_each_page(
    concurrent: int, order: int
) -> None:
    """The awaited requests must be sent even if pages occupy all slots."""
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
    for middleware in BOTH:
        with Site() as site:
            site.robots(OPEN)
            site.robots(OPEN, at="slow.test", gate="pages")
            site.answer("*", replies.html("page", gate="pages"))
            # The gate opens after 42 requests: those for both robots.txt files and all quick pages.
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
