"""The signals of our middleware, and sitemaps in robots.txt."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from scrapy import signals
from scrapy.utils.sitemap import sitemap_urls_from_robots

from scrapy_robots1994 import Robots1994Parser
from tests.oracle.reading import DIALECTS
from tests.support import replies
from tests.support.crawl import DAY, Reactor, crawl, crawl_over_time
from tests.support.crawler import idle_crawler
from tests.support.replies import Reply
from tests.support.site import Site

SPIDER = "MapSpider"


def sitemap(*urls: str) -> Reply:
    places = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    body = (
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{places}</urlset>'
    )
    return Reply(200, body.encode(), (("Content-Type", "application/xml"),))


@pytest.mark.parametrize("dialect", ["1994", "extended"])
def test_sitemap_spider_obeys_the_robots_txt_that_it_reads(
    site: Site, reactor: Reactor, dialect: str
) -> None:
    """A SitemapSpider requests robots.txt itself, to find the sitemaps."""
    hosts = ("a.test", "b.test")
    for host in hosts:
        pages = [site.url(path, host=host) for path in ("/1", "/2", "/shut")]
        where = site.url("/map.xml", host=host)
        site.robots(f"Sitemap: {where}\nUser-agent: *\nDisallow: /shut\n", at=host)
        site.answer("/map.xml", sitemap(*pages), at=host)
    urls = [site.url("/robots.txt", host=host) for host in hosts]
    settings = {"ROBOTS1994_DIALECT": dialect}
    result = crawl(urls, spider=SPIDER, reactor=reactor, settings=settings)

    permitted = [site.url(path, host=host) for path in ("/1", "/2") for host in hosts]
    assert result.fetched_urls == sorted(permitted)
    assert result.stats["robotstxt/forbidden"] == 2


def test_signals_of_a_file_are_sent_once_also_for_a_policy_of_a_store(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    """The handlers get each http or https sitemap once, as an absolute URL, and nothing else."""
    invalid = "http://[x", "http://", "mailto:a@b", "ftp://h/b"
    valid = "/a.xml", "http://h.test/c", "/a.xml"
    site.robots("".join(f"Sitemap: {url}\n" for url in (*invalid, *valid)))
    names = ["robots_parsed"] if hasattr(signals, "robots_parsed") else []
    pages = [site.url("/1"), site.url("/2")]
    store = {"ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db"}
    for dialect in ("extended", "extended", "1994"):
        result = crawl(
            pages,
            hook="note_sitemaps",
            signals=names,
            reactor=reactor,
            settings=store | {"ROBOTS1994_DIALECT": dialect},
        )
        assert [name for name, _ in result.sent] == names
        if dialect == "1994":
            # In the dialect "1994", Sitemap is an unknown field (F6).
            assert "test/times" not in result.stats
        else:
            assert result.stats["test/sitemaps"] == [site.url("/a.xml"), valid[1]]
            assert result.stats["test/origin"] == pages[0].removesuffix("/1")
            assert result.stats["test/request"] in pages
            assert result.stats["test/times"] == 1
    assert len(site.log("/robots.txt")) == 1


@pytest.mark.skipif(
    not hasattr(signals, "robots_parsed"), reason="this Scrapy has no robots_parsed"
)
def test_last_good_file_is_not_signalled_again(site: Site) -> None:
    """The second fetch fails, so only the first and the third send the signal."""
    file = replies.text("User-agent: *\nDisallow: /shut\n")
    site.answer("/robots.txt", [file, replies.status(503), file])
    steps = [step for it in range(3) for step in ([site.url(f"/{it}")], 2 * DAY)]
    result = crawl_over_time(
        *steps, signals=["robots_parsed"], settings={"RETRY_ENABLED": False}
    )

    assert (len(site.log("/robots.txt")), len(result.sent)) == (3, 2)


# Newer versions of Scrapy warn about `str`, but 2.13 accepts nothing else.
@pytest.mark.filterwarnings("ignore:Passing `str` type as `robots_text`")
@pytest.mark.parametrize("dialect", DIALECTS)
def test_parser_has_the_sitemaps_that_a_sitemap_spider_reads(dialect: str) -> None:
    """With Scrapy's pull request 8069, a SitemapSpider gets its sitemaps from the parser."""
    text = "Sitemap: /a.xml\r\nUser-agent: *\nsitemap:http://h.test/b\n Sitemap: c#d"
    crawler = idle_crawler({"ROBOTS1994_DIALECT": dialect})
    sitemaps = Robots1994Parser.from_crawler(crawler, text.encode()).sitemaps()
    read = sitemap_urls_from_robots(text, base_url="http://h.test/robots.txt")

    assert [*sitemaps] == ["/a.xml", "http://h.test/b", "c"]
    # Our parser reads the fragment as a comment (F5).
    joined = [urljoin("http://h.test/", it) for it in sitemaps]
    assert [urldefrag(it)[0] for it in read] == joined


def test_each_refusal_is_signalled_once_even_if_a_handler_fails(
    site: Site, reactor: Reactor
) -> None:
    """One refused request waits for its policy, and the other finds the policy in memory."""
    site.robots("User-agent: *\nDisallow: /a\n")
    pages = [site.url(path) for path in ("/a/1", "/a/2", "/b")]
    result = crawl(
        pages,
        hook="record_refusals",
        reactor=reactor,
        settings={"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0},
    )

    sent = {key: value for key, value in result.stats.items() if "test/" in key}
    assert sent == {f"test/{page} 2 /a asking": 1 for page in pages[:2]}
    assert result.failed_urls == pages[:2]


NEVER_FRESH = {f"ROBOTS1994_{it}": 0 for it in ("TTL", "STALE_TTL")}


@pytest.mark.parametrize("lifetimes", [{}, NEVER_FRESH], ids=["TTL", "no TTL"])
def test_handler_may_await_a_page_of_the_origin(
    site: Site, reactor: Reactor, lifetimes: dict[str, int], tmp_path: Path
) -> None:
    """While the handlers run, the new policy already decides, even if its lifetime is zero."""
    site.robots("User-agent: *\nSitemap: /sitemap.xml\n")
    store = f"sqlite:///{tmp_path / 'robots.db'}"
    settings = {"ROBOTS1994_STORE": store, "ROBOTS1994_DIALECT": "extended"}
    args = {"site": site.url("", host="h{n}.test"), "pages": 8, "hosts": 8}
    for _ in range(2):
        result = crawl(
            spider="Counted",
            spider_args=args,
            settings=settings | lifetimes,
            reactor=reactor,
            hook="await_a_page",
            timeout=30,
        )

        assert len(result.fetched) == 8
        assert result.stats["test/awaited/200"] >= 8
        assert result.stats["finish_reason"] == "finished"
    assert lifetimes or len(site.log("/robots.txt")) == 8


def test_handler_may_await_the_close_of_the_crawl(site: Site, reactor: Reactor) -> None:
    """Closing cancels the fetch of robots.txt, but not the handler."""
    site.robots("User-agent: *\nSitemap: /sitemap.xml\n")

    result = crawl(
        [site.url("/page")],
        settings={"ROBOTS1994_DIALECT": "extended"},
        reactor=reactor,
        hook="on_sitemaps_close",
        timeout=30,
    )

    assert result.stats["finish_reason"] == "no page wanted"
    assert "Traceback" not in result.log
    assert site.targets() == ["/robots.txt"]
