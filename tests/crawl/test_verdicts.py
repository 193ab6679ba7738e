"""`Robots1994Middleware.check` returns a verdict without requesting the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import replies
from tests.support.crawl import COMPONENTS, Reactor, crawl, start_crawl
from tests.support.project import CLOSED

if TYPE_CHECKING:
    from tests.support.site import Site

SPIDER = "CheckingSpider"


def test_check_returns_the_verdict_of_a_request(site: Site, reactor: Reactor) -> None:
    """`policy_of` also returns a policy that is no longer fresh, as here with a TTL of 0."""
    site.robots(CLOSED)
    site.robots(CLOSED + "# large\n" * 2_000, at="large.test")
    expected = {
        site.url("/open"): (True, "no-rule", None, "parsed"),
        site.url("/private"): (False, "rule", 2, "parsed"),
        site.url("/a/../private#x"): (False, "rule", 2, "parsed"),
        site.url("/private", host="large.test"): (False, "rule", 2, "parsed"),
        site.url("/robots.txt"): (True, "robots.txt-itself", None, None),
        site.url("/", host="exempt.test"): (True, "unchecked", None, None),
        site.refused_url("/x"): (False, "unreachable", None, "unreachable"),
        "ftp://h.test/private": (True, "unchecked", None, None),
    }
    settings = {"ROBOTS1994_EXEMPT": ["exempt.test"], "ROBOTS1994_TTL": 0}
    result = crawl(list(expected), spider=SPIDER, reactor=reactor, settings=settings)

    found = {
        it["url"]: (it["allowed"], it["reason"], it["line"], it["outcome"])
        for it in result.items
    }
    assert found == expected
    assert site.targets() == ["/robots.txt"] * 2
    assert "robotstxt/forbidden" not in result.stats


def test_check_raises_what_a_waiting_request_fails_with(
    site: Site, reactor: Reactor
) -> None:
    """The fetch for the first page fails locally (R7). The other URLs lack a host or a scheme."""
    name = f"{COMPONENTS}.BreakRobots"
    pages = [site.url("/open"), "http:///open", "foo"]
    settings = {"DOWNLOADER_MIDDLEWARES": {name: 850}}
    result = crawl(pages, spider=SPIDER, reactor=reactor, settings=settings)

    errors = [it["error"] for it in result.items]
    assert errors == ["ZeroDivisionError", "NotSupported", "NotSupported"]
    assert site.targets() == []


def test_check_ends_when_the_crawl_closes(site: Site, reactor: Reactor) -> None:
    """Here, only `check` waits for robots.txt."""
    site.answer("/robots.txt", replies.black_hole())
    running = start_crawl(
        [site.url("/open")],
        spider=SPIDER,
        reactor=reactor,
        settings={"ROBOTS1994_TIMEOUT": 100},
        timeout=30,
    )
    site.wait("/robots.txt")
    running.interrupt()

    assert running.result().stats["robots1994/fetch_aborted"] == 1
