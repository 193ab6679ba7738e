"""Each kind of spider fetches what is open and is refused what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.support import replies
from tests.support.crawl import Reactor, crawl, reactors

if TYPE_CHECKING:
    from tests.support.crawl import CrawlResult
    from tests.support.site import Site

MODULE = "tests.components.spiders"
WHY = 'line 2, "Disallow: /private", of the record for "*" (line 1)'


def pages(result: CrawlResult, site: Site) -> list[str]:
    """The paths of the pages that became items, sorted."""
    base = site.url("")
    items = [item for item in result.items if "url" in item]
    return sorted(item["url"].removeprefix(base) for item in items)


def run(site: Site, spider: str, **spider_args: Any) -> CrawlResult:
    """Crawl with a spider of `spiders.py` against a site that closes /private."""
    return crawl(spider=f"{MODULE}:{spider}", spider_args=spider_args)


@pytest.mark.parametrize("reactor", reactors())
def test_a_crawl_spider_follows_open_links_alone(reactor: Reactor, site: Site) -> None:
    """Also links behind links; the errback of its rule learns the line."""
    site.robots("User-agent: *\nDisallow: /private\n")
    links = '<a href="/a">a</a><a href="/private/b">b</a><a href="/c">c</a>'
    site.answer("/", replies.html(links))
    site.answer("/a", replies.html('<a href="/private/d">d</a>'))

    result = crawl(
        spider=f"{MODULE}:Following",
        spider_args={"start_urls": [site.url("/")]},
        reactor=reactor,
    )

    assert pages(result, site) == ["/a", "/c"]
    why = [item["why"] for item in result.items if "why" in item]
    assert len(why) == 2
    assert all(WHY in said for said in why)


def test_a_sitemap_spider_reads_robots_txt_and_obeys_it(site: Site) -> None:
    """Its own request for robots.txt passes (O22), a closed page does not."""
    closed = f"User-agent: *\nDisallow: /private\nSitemap: {site.url('/map.xml')}\n"
    site.robots(closed)
    listed = "".join(
        f"<url><loc>{site.url(path)}</loc></url>" for path in ("/a", "/private/b", "/c")
    )
    named = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    site.answer("/map.xml", replies.text(f"<urlset {named}>{listed}</urlset>"))

    result = run(site, "Mapped", sitemap_urls=[site.url("/robots.txt")])

    assert pages(result, site) == ["/a", "/c"]
    assert result.stats["robotstxt/forbidden"] == 1


def test_a_closed_sitemap_is_not_read(site: Site) -> None:
    """A sitemap is a URL as any other."""
    where = site.url("/private/map.xml")
    site.robots(f"User-agent: *\nDisallow: /private\nSitemap: {where}\n")

    run(site, "Mapped", sitemap_urls=[site.url("/robots.txt")])

    assert set(site.targets()) == {"/robots.txt"}


def test_an_xml_feed_spider(site: Site) -> None:
    """The entries of a feed that are open."""
    site.robots("User-agent: *\nDisallow: /private\n")
    entries = "<item><link>/a</link></item><item><link>/private/b</link></item>"
    xml = (("Content-Type", "text/xml"),)
    feed = replies.Reply(200, f"<rss>{entries}</rss>".encode(), xml)
    site.answer("/feed.xml", feed)

    result = run(site, "Fed", start_urls=[site.url("/feed.xml")])

    assert pages(result, site) == ["/a"]


def test_a_csv_feed_spider(site: Site) -> None:
    """The rows of a table that are open."""
    site.robots("User-agent: *\nDisallow: /private\n")
    site.answer("/rows.csv", replies.text("link\n/a\n/private/b\n"))

    result = run(site, "Listed", start_urls=[site.url("/rows.csv")])

    assert pages(result, site) == ["/a"]
    assert "/private/b" not in site.targets()
