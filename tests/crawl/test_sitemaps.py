"""Sitemaps of a robots.txt are signalled; the file is requested once per origin."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from scrapy import signals

from tests.support import replies
from tests.support.crawl import Reactor, crawl, start_crawl
from tests.support.left_out import long_after
from tests.support.replies import Reply
from tests.support.site import Site

SPIDER = "MapSpider"
HOOK = "note_sitemaps"


def sitemap(*urls: str) -> Reply:
    """Return a sitemap of *urls*."""
    places = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    body = (
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    )
    return Reply(200, body.encode(), (("Content-Type", "application/xml"),))


@pytest.mark.parametrize("dialect", long_after(1, ["1994", "extended"]))
def test_sitemap_spider_fetches_each_robots_txt_once(
    site: Site, reactor: Reactor, dialect: str
) -> None:
    """Each of two origins gets one request for robots.txt, and its rules are obeyed."""
    hosts = ("a.test", "b.test")
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

    fetches = [seen.host for seen in site.log("/robots.txt")]
    expected = sorted(
        site.url(path, host=host) for path in ("/1", "/2") for host in hosts
    )

    assert len(fetches) == len(set(fetches)) == 2
    assert result.fetched_urls == expected
    assert result.stats["robotstxt/forbidden"] == 2


def test_sitemap_spider_gets_a_file_in_memory_without_a_request(site: Site) -> None:
    """The page has put the policy in memory, and the spider gets the file from there."""
    site.robots("User-agent: *\nDisallow: /shut\n")
    site.answer("/page", replies.html("<a href='/robots.txt'></a>"))
    result = crawl(
        [site.url("/page")],
        spider="Following",
        spider_args={"robots": site.url("/robots.txt")},
    )

    assert len(site.log("/robots.txt")) == 1
    assert result.fetched_urls == [site.url("/robots.txt")]


def test_sitemap_spider_gets_a_missing_robots_txt_as_404(site: Site) -> None:
    """The spider gets the 404, and the file is requested once."""
    result = crawl([site.url("/robots.txt")], spider=SPIDER)

    assert site.targets() == ["/robots.txt"]

    assert result.stats["httperror/response_ignored_status_count/404"] == 1
    assert result.stats["finish_reason"] == "finished"


def test_sitemap_spider_may_fetch_robots_txt_itself_after_a_failure(site: Site) -> None:
    """After a connection was reset there is no file in memory, so it is sent."""
    site.answer("/robots.txt", [replies.reset(), replies.text("")])
    result = crawl([site.url("/robots.txt")], spider=SPIDER)

    assert site.targets() == ["/robots.txt", "/robots.txt"]

    assert result.stats["finish_reason"] == "finished"


def test_file_a_sitemap_spider_waits_for_is_not_sent_while_the_crawl_closes(
    site: Site,
) -> None:
    """R6 (closing): it goes back to the scheduler, as a page does."""
    site.answer("/robots.txt", replies.black_hole())
    running = start_crawl(
        [site.url("/robots.txt")], spider=SPIDER, settings={"DOWNLOAD_TIMEOUT": 5}
    )
    site.wait("/robots.txt")
    os.kill(running.pid, signal.SIGINT)
    result = running.result()
    assert site.targets() == ["/robots.txt"]

    assert result.stats["finish_reason"] == "shutdown"


def test_signal_has_the_sitemaps_of_a_file_and_is_sent_once(
    site: Site, reactor: Reactor
) -> None:
    """The sitemap URLs are absolute, unique, and of http or https only."""
    invalid = "http://[x", "http://", "mailto:a@b", "ftp://h/b"
    valid = "/a.xml", "http://h.test/c", "/a.xml"
    body = "".join(f"Sitemap: {url}\n" for url in (*invalid, *valid))
    site.robots(body)
    pages = [site.url("/1"), site.url("/2")]
    result = crawl(
        pages, hook=HOOK, reactor=reactor, settings={"ROBOTS1994_DIALECT": "extended"}
    )

    expected = [site.url("/a.xml"), "http://h.test/c"]

    assert result.stats["test/sitemaps"] == expected
    assert result.stats["test/origin"] == pages[0].removesuffix("/1")
    assert result.stats["test/request"] in pages
    assert result.stats["test/times"] == 1


def test_dialect_1994_sends_no_signal(site: Site) -> None:
    """Sitemap is an unknown field there (F6)."""
    site.robots("Sitemap: /a.xml\n")
    result = crawl([site.url("/1")], hook=HOOK)

    assert "test/times" not in result.stats


def test_signals_are_sent_for_a_policy_of_a_store(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """Also by the second crawl, which requests no robots.txt; each once for an origin."""
    names = ["robots_parsed"] if hasattr(signals, "robots_parsed") else []
    site.robots("Sitemap: /a.xml\nUser-agent: *\nDisallow: /private\n")
    for _ in range(2):
        result = crawl(
            [site.url("/1"), site.url("/2")],
            hook=HOOK,
            signals=names,
            reactor=reactor,
            settings={
                "ROBOTS1994_DIALECT": "extended",
                "ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db",
            },
        )

        assert [name for name, _ in result.sent] == names
        assert result.stats["test/sitemaps"] == [site.url("/a.xml")]
        assert result.stats["test/times"] == 1
    assert len(site.log("/robots.txt")) == 1
