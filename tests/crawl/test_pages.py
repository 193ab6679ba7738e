"""Tests of crawls that obey the directives of pages (ROBOTS1994_PAGES)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Reactor, crawl
from tests.support.left_out import table
from tests.support.replies import Reply
from tests.support.site import Site


def page(*links: str, tag: str = "", header: str = "", rel: str = "") -> Reply:
    """Return a page with *links*. A meta tag or header is added unless its argument is
    empty.
    """
    meta = f'<meta name="robots" content="{tag}">' if tag else ""
    anchors = "".join(f'<a href="{link}" rel="{rel}">x</a>' for link in links)
    made = replies.html(f"<html><head>{meta}</head><body>{anchors}</body></html>")
    further = (("X-Robots-Tag", header),) if header else ()
    return Reply(made.status, made.body, made.headers + further)


SITE = {
    "/": page("/open", "/shut", "/unindexed", "/none", "/header", "/"),
    "/open": page("/open/1"),
    "/shut": page("/shut/1", "/shut", tag="NOFOLLOW"),
    "/unindexed": page("/unindexed/1", tag="noindex, follow"),
    "/none": page("/none/1", tag="none"),
    "/header": page("/header/1", header="other: none, rover: noindex"),
}
ALL_PAGES = sorted([*SITE, *(f"{path}/1" for path in SITE if path != "/")])


def follow(
    site: Site,
    pages: Any,
    spider: str = "PlainSpider",
    reactor: Reactor = "asyncio",
    hook: str = "count_dropped",
    **settings: Any,
) -> CrawlResult:
    """Crawl the site from its first page with ROBOTS1994_PAGES set to *pages*."""
    own = {"ROBOTS1994_PAGES": pages, "USER_AGENT": "rover/1.0"}
    return crawl(
        [site.url("/")],
        spider=spider,
        reactor=reactor,
        hook=hook,
        settings=own | settings,
    )


def walk(site: Site, pages: Any, **options: Any) -> CrawlResult:
    """Script the pages of `SITE`, and crawl the site from its first page."""
    for target, reply in SITE.items():
        site.answer(target, reply)
    return follow(site, pages, **options)


def paths(urls: list[str]) -> list[str]:
    """Return the paths of *urls*, sorted and without duplicates."""
    return sorted({urlsplit(url).path for url in urls})


def exported(result: CrawlResult) -> list[str]:
    """Return the paths of the pages whose items were exported."""
    return paths([item["url"] for item in result.items])


UNINDEXED = {"/unindexed", "/none", "/header"}


@table("spider", "PlainSpider", "AsyncSpider")
def test_pages_are_obeyed(site: Site, spider: str, reactor: Reactor) -> None:
    """Requests from a NOFOLLOW page and items from a NOINDEX page are dropped.

    No other request or item is dropped.
    """
    result = walk(site, pages=True, spider=spider, reactor=reactor)
    followed = [it for it in ALL_PAGES if it not in {"/shut/1", "/none/1"}]
    url = site.url("/unindexed")

    assert paths(result.fetched_urls) == followed
    assert exported(result) == [it for it in followed if it not in UNINDEXED]
    assert result.stats["robots1994/pages/noindex"] == 3
    assert result.stats["robots1994/pages/nofollow"] == 2
    assert result.stats["robots1994/pages/requests_dropped/nofollow"] == 2
    assert result.stats["robots1994/pages/items_dropped"] == 3
    assert result.stats["item_dropped_count"] == 3
    assert result.stats["item_dropped_reasons_count/DroppedByPage"] == 3
    # The signal `item_dropped` has the item, the page of the item, and an exception that
    # names the tag.
    why = f'Not to be indexed: "noindex" in the meta tag robots of {url}'
    assert result.stats[f"test/dropped{url}"] == [url, url, "DroppedByPage", why]
    lines = result.lines("Not followed: ")
    assert len(lines) == 2
    assert all("in the meta tag robots of http" in line for line in lines)
    assert not result.error


def test_asynchronous_handlers_of_dropped_items_end(
    site: Site, reactor: Reactor
) -> None:
    """The crawl closes only when the asynchronous handlers of `item_dropped` have ended."""
    result = walk(site, pages=True, reactor=reactor, hook="count_dropped_slowly")

    assert result.stats["test/dropped"] == 3
    assert result.unclean == []


def test_item_of_an_errback_is_dropped_whatever_the_order_of_the_middlewares(
    site: Site,
) -> None:
    """If HttpErrorMiddleware raises an exception for a page before our middleware reads the
    page, the directives of the page still count.
    """
    site.answer("/gone", Reply(status=404, headers=(("X-Robots-Tag", "noindex"),)))
    result = crawl(
        [site.url("/gone")],
        spider="tests.support.spiders:ErrbackItemSpider",
        settings={
            "ROBOTS1994_PAGES": True,
            "SPIDER_MIDDLEWARES": {"scrapy_robots1994.RobotsPages": 543},
        },
    )

    assert result.items == []
    assert result.stats["robots1994/pages/items_dropped"] == 1


def test_page_that_scrapy_cannot_parse_is_not_lost(site: Site) -> None:
    """If Scrapy cannot parse a page, the callback still receives the page, and the
    directives of the page are obeyed.

    The unparsable page has a NOINDEX directive, so the item of the page is dropped.
    """
    tag = '<base href="http://[domain]/"><meta name="robots" content="noindex">'
    site.answer("/broken", replies.html(f"{tag}<a rel=nofollow href=/x>"))
    result = crawl(
        [site.url("/broken")],
        spider="PlainSpider",
        # Disable MetaRefreshMiddleware, because it raises an exception for a page that
        # Scrapy cannot parse.
        settings={
            "ROBOTS1994_PAGES": ["noindex", "rel-nofollow"],
            "METAREFRESH_ENABLED": False,
        },
        spider_args={"follow": ""},
    )

    assert paths(result.fetched_urls) == ["/broken"]
    assert result.stats["robots1994/pages/items_dropped"] == 1
    assert not result.error


def test_item_that_is_yielded_twice_is_dropped_twice(
    site: Site, reactor: Reactor
) -> None:
    """If a callback yields one item object twice, the item is dropped both times.

    Scrapy can process the two yielded items at the same time.
    """
    result = walk(site, pages="noindex", spider="TwiceSpider", reactor=reactor)

    assert exported(result) == [it for it in ALL_PAGES if it not in UNINDEXED]
    assert result.stats["robots1994/pages/items_dropped"] == 6


def test_pages_are_obeyed_where_robots_txt_is_not(site: Site) -> None:
    """A request that is exempt from robots.txt is not exempt from page directives."""
    site.robots("User-agent: *\nDisallow: /\n")
    site.answer("/", page("/1", tag="none"))
    result = crawl(
        [CrawlRequest(site.url("/"), meta={"dont_obey_robotstxt": True})],
        spider="PlainSpider",
        settings={"ROBOTS1994_PAGES": True},
    )

    assert (result.fetched_urls, result.failed) == ([site.url("/")], [])
    assert exported(result) == []


@table(
    ("chosen", "followed", "indexed"),
    (["nofollow"], False, True),
    ("noindex", True, False),
    (False, True, True),
)
def test_pages_each_directive_can_be_enabled_separately(
    site: Site, chosen: Any, followed: bool, indexed: bool
) -> None:
    """A page directive is obeyed only if ROBOTS1994_PAGES names the directive. The meta of
    a page contains all directives of the page.
    """
    result = walk(site, pages=chosen)

    assert ("/shut/1" in paths(result.fetched_urls)) is followed
    assert ("/unindexed" in exported(result)) is indexed
    found = {urlsplit(item["url"]).path: item["directives"] for item in result.items}
    if chosen == ["nofollow"]:
        assert found["/unindexed"] == [False, True]
        assert found["/none"] == [False, False]
        assert found["/open"] == [True, True]


@table("content", "noindex nofollow", "noindex;nofollow")
def test_pages_terms_without_a_comma_are_reported_at_debug_and_not_obeyed(
    site: Site, content: str
) -> None:
    """Terms in a meta tag that are not separated by commas are not obeyed. One line at
    DEBUG lists the terms that are not separated by commas.
    """
    site.answer("/", page("/a", tag=content))
    result = follow(site, pages=True)
    url = site.url("/")

    assert paths(result.fetched_urls) == exported(result) == ["/", "/a"]
    (line,) = result.lines("Not understood")
    said = f'Not understood: "{content}" in the meta tag robots of {url}'
    assert line.endswith(f"DEBUG: {said}")


def test_links_with_rel_nofollow_are_dropped_if_configured(site: Site) -> None:
    """With "rel-nofollow", a request is dropped if every link to its URL on the page has
    rel=nofollow.
    """
    shut = page("/a#top", "/b", "/c.png", rel="ugc nofollow")
    body = shut.body.replace(b"</body>", b'<a href="/b#x">x</a></body>')
    site.answer("/", Reply(200, body, shut.headers))
    result = follow(site, pages="rel-nofollow")

    assert paths(result.fetched_urls) == ["/", "/b"]
    assert result.stats["robots1994/pages/requests_dropped/rel-nofollow"] == 2


def test_configured_order_of_our_components_is_not_changed(site: Site) -> None:
    """If the user has disabled a component in the settings, the add-on does not enable this
    component.
    """
    ours = "scrapy_robots1994.RobotsPages"
    site.answer("/", SITE["/shut"])
    result = follow(site, pages=True, SPIDER_MIDDLEWARES={ours: None})

    assert paths(result.fetched_urls) == ["/", "/shut", "/shut/1"]
