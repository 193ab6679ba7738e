"""Each kind of spider fetches allowed pages only."""

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
    """Return the sorted paths of the pages with an item."""
    base = site.url("")
    items = [item for item in result.items if "url" in item]
    return sorted(item["url"].removeprefix(base) for item in items)


def run(site: Site, spider: str, **spider_args: Any) -> CrawlResult:
    """Crawl with a spider of `spiders.py`."""
    return crawl(spider=f"{MODULE}:{spider}", spider_args=spider_args)


@pytest.mark.parametrize("reactor", reactors())
def test_crawl_spider_follows_allowed_links_only(reactor: Reactor, site: Site) -> None:
    """At any depth; the errback of its rule receives the line of a refusal."""
    site.robots("User-agent: *\nDisallow: /private\n")
    links = '<a href="/a">a</a><a href="/private/b">b</a><a href="/c">c</a>'
    site.answer("/", replies.html(links))
    site.answer("/a", replies.html('<a href="/private/d">d</a>'))

    result = crawl(
        spider=f"{MODULE}:LinkSpider",
        spider_args={"start_urls": [site.url("/")]},
        reactor=reactor,
    )

    assert pages(result, site) == ["/a", "/c"]
    why = [item["why"] for item in result.items if "why" in item]
    assert len(why) == 2
    assert all(WHY in reason for reason in why)


def test_sitemap_spider_reads_and_obeys_robots_txt(site: Site) -> None:
    """Its own request for robots.txt is allowed (O22), that for a disallowed page is not."""
    closed = f"User-agent: *\nDisallow: /private\nSitemap: {site.url('/map.xml')}\n"
    site.robots(closed)
    listed = "".join(
        f"<url><loc>{site.url(path)}</loc></url>" for path in ("/a", "/private/b", "/c")
    )
    namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
    site.answer("/map.xml", replies.text(f"<urlset {namespace}>{listed}</urlset>"))

    result = run(site, "SitemapPagesSpider", sitemap_urls=[site.url("/robots.txt")])

    assert pages(result, site) == ["/a", "/c"]
    assert result.stats["robotstxt/forbidden"] == 1


def test_disallowed_sitemap_is_not_requested(site: Site) -> None:
    """The URL of a sitemap is checked like any other."""
    where = site.url("/private/map.xml")
    site.robots(f"User-agent: *\nDisallow: /private\nSitemap: {where}\n")

    run(site, "SitemapPagesSpider", sitemap_urls=[site.url("/robots.txt")])

    assert set(site.targets()) == {"/robots.txt"}


def test_xml_feed_spider_fetches_allowed_pages(site: Site) -> None:
    """Of the entries of a feed."""
    site.robots("User-agent: *\nDisallow: /private\n")
    entries = "<item><link>/a</link></item><item><link>/private/b</link></item>"
    xml = (("Content-Type", "text/xml"),)
    feed = replies.Reply(200, f"<rss>{entries}</rss>".encode(), xml)
    site.answer("/feed.xml", feed)

    result = run(site, "FeedSpider", start_urls=[site.url("/feed.xml")])

    assert pages(result, site) == ["/a"]


def test_csv_feed_spider_fetches_allowed_pages(site: Site) -> None:
    """Of the rows of a table."""
    site.robots("User-agent: *\nDisallow: /private\n")
    site.answer("/rows.csv", replies.text("link\n/a\n/private/b\n"))

    result = run(site, "TableSpider", start_urls=[site.url("/rows.csv")])

    assert pages(result, site) == ["/a"]
    assert "/private/b" not in site.targets()
