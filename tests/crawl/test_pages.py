"""ROBOTS1994_PAGES and ROBOTS1994_USAGE in crawls."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Reactor, crawl
from tests.support.replies import Reply
from tests.support.site import Site

PAGES = "scrapy_robots1994.RobotsPages"


def page(*links: str, tag: str = "", rel: str = "", **headers: str) -> Reply:
    meta = f'<meta name="robots" content="{tag}">' if tag else ""
    anchors = "".join(f'<a href="{link}" rel="{rel}">x</a>' for link in links)
    made = replies.html(f"<html><head>{meta}</head><body>{anchors}</body></html>")
    further = ((name.replace("_", "-"), value) for name, value in headers.items())
    return Reply(made.status, made.body, (*made.headers, *further))


DIRECTIVES = {
    "/": page("/open", "/shut", "/unindexed", "/none", "/header", "/"),
    "/open": page("/open/1"),
    "/shut": page("/shut/1", "/shut", tag="NOFOLLOW"),
    "/unindexed": page("/unindexed/1", tag="noindex, follow"),
    "/none": page("/none/1", tag="none"),
    "/header": page("/header/1", X_Robots_Tag="other: none, rover: noindex"),
}
ALL_PAGES = {*DIRECTIVES, *(f"{path}/1" for path in DIRECTIVES if path != "/")}
UNINDEXED = {"/unindexed", "/none", "/header"}

ROBOTS = (
    "User-agent: *\nContent-Usage: search=y\nContent-Usage: /shut train-ai=n, search=y\n"
    "Content-Signal: /signal ai-train=no\nDisallow: /closed\n"
)
USAGE = {
    "/": page("/plain", "/shut", "/signal", "/noai", "/header", "/closed"),
    "/plain": page(),
    "/shut": page(),
    "/signal": page(),
    "/noai": page(tag="noai"),
    "/header": page(Content_Usage="train-ai=n, search=Y"),
}
OPEN = set(USAGE)
PLAIN = {"/", "/plain"}


def fill(site: Site, pages: dict[str, Reply], robots: str = "") -> None:
    site.robots(robots)
    for target, reply in pages.items():
        site.answer(target, reply)


def follow(site: Site, pages: Any, *urls: str, **options: Any) -> CrawlResult:
    own = {"ROBOTS1994_PAGES": pages, "USER_AGENT": "rover/1.0"}
    more = own | options.pop("settings", {})
    options = {"spider": "PlainSpider", "hook": "count_dropped"} | options
    return crawl(list(map(site.url, urls or ["/"])), settings=more, **options)


def use(
    site: Site, usage: object, *purposes: str, urls: Any = None, **options: Any
) -> CrawlResult:
    own = {"ROBOTS1994_USAGE": usage, "ROBOTS1994_PURPOSES": list(purposes)}
    more = {"USER_AGENT": "rover/1.0"} | own | options.pop("settings", {})
    options = {"spider": "UsageSpider", "hook": "count_dropped"} | options
    return crawl([site.url("/")] if urls is None else urls, settings=more, **options)


def pages_of(site: Site) -> set[str]:
    return {it for it in site.targets() if it != "/robots.txt"}


def items_of(result: CrawlResult) -> dict[str, Any]:
    return {urlsplit(item["url"]).path: item for item in result.items}


@pytest.mark.parametrize("spider", ["PlainSpider", "AsyncSpider"])
def test_pages_are_obeyed(site: Site, spider: str, reactor: Reactor) -> None:
    fill(site, DIRECTIVES)
    result = follow(site, pages=True, spider=spider, reactor=reactor)
    followed = ALL_PAGES - {"/shut/1", "/none/1"}

    assert pages_of(site) == followed
    assert {*items_of(result)} == followed - UNINDEXED
    for url in map(site.url, UNINDEXED):
        dropped = result.stats[f"test/dropped{url}"]
        assert list(dropped)[:3] == [url, url, "DroppedByPage"]
    assert not result.error


def test_asynchronous_handlers_of_dropped_items_end(
    site: Site, reactor: Reactor
) -> None:
    fill(site, DIRECTIVES)
    result = follow(site, pages=True, reactor=reactor, hook="count_dropped_slowly")

    assert result.stats["test/dropped"] == 3
    assert result.unclean == []


def test_items_of_spider_middlewares_are_dropped(site: Site) -> None:
    fill(site, DIRECTIVES)
    adding = {"SPIDER_MIDDLEWARES": {"tests.support.components.AddsItems": 100}}
    result = follow(site, "noindex", "/", "/unindexed", settings=adding)

    added = {it["url"] for it in result.items if it.get("added")}
    assert site.url("/") in added
    assert site.url("/unindexed") not in added


def test_item_of_an_errback_is_dropped_whatever_the_order_of_the_middlewares(
    site: Site,
) -> None:
    """HttpErrorMiddleware may raise an error for a page before our middleware reads it."""
    site.answer("/gone", Reply(status=404, headers=(("X-Robots-Tag", "noindex"),)))
    spider = "tests.support.spiders:ErrbackItemSpider"
    order = {"SPIDER_MIDDLEWARES": {PAGES: 543}}
    result = follow(site, "noindex", "/gone", spider=spider, hook="", settings=order)

    assert result.items == []
    assert result.stats["robots1994/pages/items_dropped"] == 1


def test_page_that_scrapy_cannot_parse_is_not_lost(site: Site) -> None:
    tag = '<base href="http://[domain]/"><meta name="robots" content="noindex">'
    site.answer("/again", replies.html(f"{tag}<a rel=nofollow href=/plain>"))
    image = Reply(body=b"\x01nofollow", headers=(("Content-Type", "image/png"),))
    site.answer("/image/again", image)
    # MetaRefreshMiddleware would raise an error for the broken page.
    more = {"METAREFRESH_ENABLED": False}
    pages = ["noindex", "rel-nofollow"]
    spider = {"spider": "UsageSpider", "spider_args": {"follow": ""}}
    result = follow(site, pages, "/again", "/image/again", settings=more, **spider)

    paths = "/again", "/image/again", "/image/plain", "/plain"
    assert result.fetched_urls == [*map(site.url, paths)]
    assert result.stats["robots1994/pages/items_dropped"] == 1
    assert not result.error


def test_items_that_are_yielded_twice_are_dropped_twice_and_for_one_reason(
    site: Site,
) -> None:
    """NOINDEX takes precedence over usage preferences."""
    robots = "User-agent: *\nContent-Usage: train-ai=n\n"
    fill(site, {"/": page(tag="noindex")}, robots)
    more = {"ROBOTS1994_PAGES": True}
    result = use(site, "items", "train-ai", spider="TwiceSpider", settings=more)

    assert result.items == []
    assert result.stats["item_dropped_count"] == 2
    assert result.stats["robots1994/pages/items_dropped"] == 2
    assert "robots1994/usage/items_dropped/train-ai" not in result.stats


def test_resumed_crawl_requests_and_drops_what_an_uninterrupted_one_does(
    site: Site, tmp_path: Path
) -> None:
    """The request that retries a page is stored on disk with usage preferences in its meta."""
    fill(site, USAGE, ROBOTS)
    site.answer("/noai", [replies.status(503), USAGE["/noai"]])
    more = {"JOBDIR": str(tmp_path), "CONCURRENT_REQUESTS": 1, "RETRY_ENABLED": True}
    limits = {"CLOSESPIDER_PAGECOUNT": 2}
    first = use(site, "requests", "train-ai", settings=more | limits)
    second = use(site, "requests", "train-ai", urls=[], settings=more)

    assert first.stats["finish_reason"] == "closespider_pagecount"
    assert pages_of(site) == OPEN - {"/shut", "/signal"}
    assert len(site.log("/noai")) == 2
    assert sorted([*items_of(first), *items_of(second)]) == sorted(PLAIN)


def test_request_with_the_meta_of_a_page_has_preferences_of_its_own(site: Site) -> None:
    """A callback may copy the meta of its page to other requests."""
    pages = {"/again": page(), "/plain": page()}
    fill(site, pages, "User-agent: *\nContent-Usage: /again train-ai=n\n")
    url, exempt = site.url("/again"), {"dont_obey_robotstxt": True}
    urls = [CrawlRequest(url), CrawlRequest(url, meta=exempt)]
    result = use(site, "report", "train-ai", urls=urls)

    again = [it for it in result.items if it["url"] == url]
    assert sorted(len(it["read"]) for it in again) == [2, 3]
    assert {tuple(it["usage"]) for it in result.items if it not in again} == {()}


def test_crawl_does_not_start_without_the_extra(site: Site) -> None:
    result = use(site, "report", hook="without_http_sf")

    assert site.targets() == []
    (line,) = result.lines("CRITICAL: The crawl cannot start: ROBOTS1994_USAGE")
    assert "pip install 'scrapy_robots1994[usage]'" in line
