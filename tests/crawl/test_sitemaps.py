"""Sitemaps that a robots.txt names are signalled, with one request for it an origin."""

from __future__ import annotations

import asyncio
import threading

import pytest

from scrapy_robots1994 import Origin, RobotsTxt
from scrapy_robots1994.crawl import backend
from scrapy_robots1994.crawl.parser import sitemaps_of
from tests.support import replies
from tests.support.answered import AnsweredMiddleware
from tests.support.crawl import Reactor, crawl, reactors
from tests.support.replies import Reply
from tests.support.site import Site

SPIDER = "tests.crawl.sitemap_spiders:MapSpider"
HOOK = "tests.crawl.sitemap_spiders:note_sitemaps"


def sitemap(*urls: str) -> Reply:
    """A sitemap of these pages."""
    places = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    body = (
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    )
    return Reply(200, body.encode(), (("Content-Type", "application/xml"),))


@pytest.mark.parametrize("dialect", ["1994", "extended"])
@pytest.mark.parametrize("reactor", reactors())
def test_sitemap_spider_fetches_each_robots_txt_once(
    reactor: Reactor, dialect: str
) -> None:
    """Two origins, pages of both, one request for either robots.txt; rules are obeyed."""
    hosts = ("a.test", "b.test")
    with Site() as site:
        for host in hosts:
            pages = [site.url(path, host=host) for path in ("/1", "/2", "/shut")]
            where = site.url("/map.xml", host=host)
            site.robots(f"Sitemap: {where}\nUser-agent: *\nDisallow: /shut\n", at=host)
            site.answer("/map.xml", sitemap(*pages), at=host)
        result = crawl(
            [site.url("/robots.txt", host=host) for host in hosts],
            spider=SPIDER,
            reactor=reactor,
            settings={"ROBOTS1994_DIALECT": dialect},
        )

        asked = [seen.host for seen in site.log("/robots.txt")]
        expected = sorted(
            site.url(path, host=host) for path in ("/1", "/2") for host in hosts
        )

    assert len(asked) == len(set(asked)) == 2
    assert result.fetched_urls == expected
    assert result.stats["robotstxt/forbidden"] == 2


def test_sitemap_spider_gets_a_file_whose_rules_are_in_memory_without_a_request() -> (
    None
):
    """A page was judged by the rules, so the next request looks no further."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /shut\n")
        site.answer("/page", replies.html("<a href='/robots.txt'></a>"))
        result = crawl(
            [site.url("/page")],
            spider="tests.crawl.sitemap_spiders:Following",
            spider_args={"robots": site.url("/robots.txt")},
        )

        assert len(site.log("/robots.txt")) == 1
        assert result.fetched_urls == [site.url("/robots.txt")]


def test_sitemap_spider_gets_a_missing_robots_txt_as_404() -> None:
    """A 404 is a 404, and is requested once."""
    with Site() as site:
        result = crawl([site.url("/robots.txt")], spider=SPIDER)

        assert site.targets() == ["/robots.txt"]

    assert result.stats["httperror/response_ignored_status_count/404"] == 1
    assert result.stats["finish_reason"] == "finished"


def test_sitemap_spider_may_fetch_robots_txt_itself_after_a_failure() -> None:
    """A connection that was cut leaves no file to hand out."""
    with Site() as site:
        site.answer("/robots.txt", [replies.reset(), replies.text("")])
        result = crawl([site.url("/robots.txt")], spider=SPIDER)

        assert site.targets() == ["/robots.txt", "/robots.txt"]

    assert result.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("reactor", reactors())
def test_the_signal_offers_the_sitemaps_of_a_file_once(reactor: Reactor) -> None:
    """Absolute, of http and https alone, each once; with origin, file and request."""
    body = (
        "Sitemap: /a.xml\nSitemap: ftp://h/b\nSitemap: http://h.test/c\nSitemap: /a.xml"
    )
    with Site() as site:
        site.robots(body)
        pages = [site.url("/1"), site.url("/2")]
        result = crawl(
            pages,
            hook=HOOK,
            reactor=reactor,
            settings={"ROBOTS1994_DIALECT": "extended"},
        )

        expected = [site.url("/a.xml"), "http://h.test/c"]

    assert result.stats["test/sitemaps"] == expected
    assert result.stats["test/origin"] == pages[0].removesuffix("/1")
    assert result.stats["test/request"] in pages
    assert result.stats["test/times"] == 1


def test_the_dialect_of_1994_offers_none() -> None:
    """Sitemap is no field of it (F6)."""
    with Site() as site:
        site.robots("Sitemap: /a.xml\n")
        result = crawl([site.url("/1")], hook=HOOK)

    assert "test/times" not in result.stats


def test_sitemaps_that_are_no_urls_are_left_out() -> None:
    """Whatever the line says."""
    body = "Sitemap: http://[x\nSitemap: http://\nSitemap: mailto:a@b\nSitemap: s.xml"
    origin = Origin.of("http://h.example:8080")
    assert origin is not None

    robots = RobotsTxt.parse(body, dialect="extended")

    assert sitemaps_of(origin, robots) == ("http://h.example:8080/s.xml",)


def test_the_sitemaps_of_a_large_file_are_found_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Thirty thousand of them would stop all other requests for half a second."""
    threads = []

    def watched(origin: Origin, robots: RobotsTxt) -> tuple[str, ...]:
        threads.append(threading.current_thread())
        return sitemaps_of(origin, robots)

    monkeypatch.setattr(backend, "sitemaps_of", watched)
    body = b"".join(b"Sitemap: /%d\n" % number for number in range(1_000))
    settings = {"ROBOTS1994_DIALECT": "extended"}
    middleware = AnsweredMiddleware(lambda _: (body, ()), settings)

    assert asyncio.run(middleware.permits("http://a.test/"))
    assert threads
    assert threading.main_thread() not in threads
