"""A test crawl correctly reports fetched pages, failures, warnings and signals."""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import TYPE_CHECKING

import pytest
import scrapy

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl, reactors, start_crawl

if TYPE_CHECKING:
    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /secret"
VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))
LEAKING = {(2, minor) for minor in range(14, 20)}


@pytest.mark.parametrize("reactor", reactors())
def test_builtin_fetches_disallowed_pages_when_six_wait(
    site: Site, reactor: Reactor
) -> None:
    """Six disallowed URLs at once: the built-in of Scrapy 2.14 to 2.19 fetches some.

    The other versions fetch none; all of the six are accounted for.
    """
    site.robots(CLOSED, gate="six")
    site.robots(CLOSED, at="another.test")
    urls = [site.url(f"/secret/{number}") for number in range(6)]
    urls.append(site.url("/open", host="another.test"))
    # Requests are sent in order, so all six wait by then.
    site.open_when("six", "/open")

    result = crawl(urls, middleware="builtin", reactor=reactor)

    fetched = [seen for seen in site.targets() if seen.startswith("/secret")]
    assert len(fetched) == len(result.fetched) - 1 == 6 - len(result.failed)
    assert {failed.name for failed in result.failed} == {
        "scrapy.exceptions.IgnoreRequest"
    }
    if VERSION in LEAKING:
        assert fetched


@pytest.mark.parametrize("reactor", reactors())
def test_names_under_test_reach_the_site(site: Site, reactor: Reactor) -> None:
    """A made-up host name is sent unchanged, and the server answers it."""
    urls = [site.url("/", host=f"origin-{number}.test") for number in range(3)]

    result = crawl(urls, middleware="off", reactor=reactor)

    assert result.fetched_urls == urls
    assert result.error == ""


def test_failures_come_back_with_their_names(site: Site) -> None:
    """A reset connection is a failure; a 503 is a page."""
    site.answer("/reset", replies.reset())
    site.answer("/busy", replies.status(503))

    result = crawl([site.url("/reset"), site.url("/busy")], middleware="off")

    assert result.fetched == [(site.url("/busy"), 503)]
    assert [failed.url for failed in result.failed] == [site.url("/reset")]
    assert result.failed[0].verdict is None


def test_started_crawl_runs_in_the_background(site: Site) -> None:
    """A response waits at its gate until the test opens it."""
    site.answer("/page", replies.html("late", gate="page"))

    running = start_crawl([site.url("/page")], middleware="off")
    site.wait("/page")
    site.open("page")

    assert running.result().fetched == [(site.url("/page"), 200)]


def test_meta_and_headers_go_with_the_request(site: Site) -> None:
    """A `CrawlRequest` may have a header, and meta such as dont_obey_robotstxt."""
    site.robots(CLOSED)
    request = CrawlRequest(
        site.url("/secret"), {"dont_obey_robotstxt": True}, {"X-Robot": "me"}
    )

    result = crawl([request], middleware="builtin")

    assert result.fetched_urls == [request.url]
    assert site.log("/secret")[0].headers["x-robot"] == "me"


def test_links_are_followed_with_the_follow_argument(site: Site) -> None:
    """With `follow` the spider requests the links of a page, too."""
    site.answer("/", replies.html('<a href="/next">next</a>'))

    result = crawl([site.url("/")], middleware="off", spider_args={"follow": True})

    assert result.fetched_urls == [site.url("/"), site.url("/next")]


def loud_hook(crawler: scrapy.crawler.Crawler) -> None:
    """Warn, and set an attribute of the crawler, like a hook of a test."""
    import warnings  # noqa: PLC0415 (runs in the crawling process)

    warnings.warn("heard", stacklevel=1)
    crawler.hooked = True  # type: ignore[attr-defined]  # the test's own mark


def test_warnings_and_signals_come_back(site: Site) -> None:
    """The crawling process reports its warnings and the requested signals."""
    hook = "tests.smoke.test_crawl:loud_hook"

    result = crawl(
        [site.url("/")],
        middleware="off",
        hook=hook,
        signals=["spider_opened"],
        may_warn=True,
    )

    assert ("UserWarning", "heard", __file__) in result.warnings
    assert [name for name, _ in result.sent] == ["spider_opened"]


def leaking_hook(crawler: scrapy.crawler.Crawler) -> None:
    """Leave a socket open until the interpreter ends, like a faulty component."""
    sys.modules["left open"] = socket.socket()  # type: ignore[assignment]  # lives long


def forgetful_hook(crawler: scrapy.crawler.Crawler) -> None:
    """Leave a coroutine that is never awaited in a cycle, like a faulty component."""
    cycle: list[object] = [asyncio.sleep(0)]
    cycle.append(cycle)


@pytest.mark.parametrize(
    ("hook", "message"),
    [
        ("loud_hook", "UserWarning.*heard"),
        ("forgetful_hook", "never awaited"),
        ("leaking_hook", "ResourceWarning.*unclosed"),
    ],
)
def test_crawl_that_warns_fails(
    hook: str, message: str, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A warning in the crawling process is an error, even at the end of the process."""
    monkeypatch.setattr("tests.support.warned.IS_NEWEST", True)
    crawling = start_crawl([site.url("/")], hook=f"tests.smoke.test_crawl:{hook}")

    with pytest.raises(AssertionError, match=message):
        crawling.result()


@pytest.mark.parametrize("reactor", reactors())
def test_crawl_that_cannot_start_says_why(reactor: Reactor) -> None:
    """If an add-on cannot be loaded, the result has the error."""
    settings = {"ADDONS": {"nowhere.Addon": 1}}

    result = crawl(["http://a.test/"], settings=settings, reactor=reactor)

    assert "nowhere" in result.error
    assert result.fetched == []
