"""Tests of crawls that read and obey usage preferences (ROBOTS1994_USAGE)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, CrawlResult, Reactor, crawl
from tests.support.replies import Reply
from tests.support.site import Site

ROBOTS = (
    "User-agent: *\nContent-Usage: search=y\nContent-Usage: /shut train-ai=n, search=y\n"
    "Content-Signal: /signal ai-train=no\nDisallow: /closed\n"
)
SHUT = 'train-ai disallow: "train-ai=n" in robots.txt line 3'
REFUSED = "scrapy_robots1994.crawl.features.usage.RefusedByUsage"


def page(
    *links: str, tag: str = "", headers: tuple[tuple[str, str], ...] = ()
) -> Reply:
    """Return a page with links, and with a meta tag unless *tag* is empty."""
    meta = f'<meta name="robots" content="{tag}">' if tag else ""
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    made = replies.html(f"<html><head>{meta}</head><body>{anchors}</body></html>")
    return Reply(made.status, made.body, made.headers + headers)


SITE = {
    "/": page("/plain", "/shut", "/signal", "/noai", "/header", "/closed"),
    "/plain": page(),
    "/shut": page(),
    "/signal": page(),
    "/noai": page(tag="noai"),
    "/header": page(headers=(("Content-Usage", "train-ai=n, search=Y"),)),
    "/closed": page(),
}
NOT_FOR_TRAINING = {"/shut", "/signal", "/noai", "/header"}


def fill(site: Site) -> None:
    """Script the replies in `SITE`, and the robots.txt in `ROBOTS`."""
    site.robots(ROBOTS)
    for target, reply in SITE.items():
        site.answer(target, reply)


def settings(usage: object, *purposes: str, **more: Any) -> dict[str, Any]:
    """Return the settings of a crawl that reads preferences."""
    own = {"ROBOTS1994_USAGE": usage, "ROBOTS1994_PURPOSES": list(purposes)}
    return {"USER_AGENT": "rover/1.0"} | own | more


def walk(site: Site, usage: object, *purposes: str, **options: Any) -> CrawlResult:
    """Crawl `SITE` from its first page, and return the result."""
    fill(site)
    more = options.pop("settings", {})
    options = {"spider": "UsageSpider", "hook": "count_dropped"} | options
    return crawl(
        [site.url("/")], settings=settings(usage, *purposes, **more), **options
    )


def pages_of(site: Site) -> set[str]:
    """Return the paths that the crawl requested, except for /robots.txt."""
    return {it for it in site.targets() if it != "/robots.txt"}


def items_of(result: CrawlResult) -> dict[str, Any]:
    """Return a dictionary that maps the path of each page to its item."""
    return {urlsplit(item["url"]).path: item for item in result.items}


def test_report_hands_over_counts_and_drops_nothing(
    site: Site, reactor: Reactor
) -> None:
    """The items contain the preferences, and a line at the close counts the pages."""
    result = walk(site, "report", "train-ai", reactor=reactor)
    items = items_of(result)

    assert pages_of(site) == set(SITE) - {"/closed"}
    assert set(items) == set(SITE) - {"/closed"}
    assert items["/shut"]["usage"] == [
        SHUT,
        'search allow: "search=y" in robots.txt line 3',
    ]
    assert items["/shut"]["read"] == ["robots.txt", "header", "meta"]
    assert items["/plain"]["train-ai"] == "unstated"
    assert items["/noai"]["usage"][1:] == [
        'train-ai disallow: "noai" in meta tag robots'
    ]
    assert result.stats["robots1994/usage/train-ai/disallow"] == 4
    assert "robots1994/usage/search/allow" not in result.stats
    assert result.stats["robots1994/usage/not_understood"] == 1
    assert "4 of 6 pages disallow train-ai" in result.log
    assert "pages are for train-ai (AIPREF vocab-" in result.log
    assert (
        'Not understood: "search=Y" in the header Content-Usage of http' in result.log
    )
    assert len(result.lines("DEBUG: Usage preferences of")) == 1


def test_report_says_that_all_pages_disallow(site: Site) -> None:
    """At the close, the log says how many pages disallow the purpose."""
    site.robots("User-agent: *\nContent-Usage: train-ai=n\n")
    site.answer("*", page())
    urls = [site.url(f"/{it}") for it in range(2)]
    more = settings("report", "train-ai")
    result = crawl(urls, spider="UsageSpider", settings=more)

    assert len(result.lines("INFO: all 2 pages disallow train-ai")) == 1


@pytest.mark.parametrize("usage", [True, "items"])
def test_items_of_pages_that_are_not_for_a_purpose_are_dropped(
    site: Site, usage: object, reactor: Reactor
) -> None:
    """robots.txt, a header or a meta tag decides. The pages are requested and followed."""
    result = walk(site, usage, "train-ai", reactor=reactor)

    assert pages_of(site) == set(SITE) - {"/closed"}
    assert set(items_of(result)) == {"/", "/plain"}
    assert result.stats["robots1994/usage/items_dropped/train-ai"] == 4
    assert result.stats["item_dropped_count"] == 4
    url = site.url("/signal")
    said = f'<200 {url}> is not for train-ai ("ai-train=no", line 4 of robots.txt)'
    assert len(result.lines(f"DEBUG: {said}; its item is dropped")) == 1
    assert "pages disallow" not in result.log
    (line,) = result.lines("INFO: Usage preferences: pages must not be used for")
    assert "for train-ai, so 4 items were dropped and 0 requests were not sent" in line


def test_requests_that_are_not_for_a_purpose_are_not_sent(
    site: Site, reactor: Reactor
) -> None:
    """By robots.txt; that is no refusal by a rule. By a header or a meta tag, the item is
    dropped.
    """
    result = walk(site, "requests", "tdm", "train-ai", reactor=reactor)

    assert pages_of(site) == {"/", "/plain", "/noai", "/header"}
    assert set(items_of(result)) == {"/", "/plain"}
    declined = {urlsplit(it.url).path for it in result.failed if it.name == REFUSED}
    assert declined == {"/shut", "/signal"}
    assert result.stats["robots1994/usage/requests_dropped/train-ai"] == 2
    assert result.stats["robotstxt/forbidden"] == 1
    assert len(result.lines("DEBUG: <GET ", "not requested")) == 2
    url = site.url("/signal")
    said = f'<GET {url}> is not for train-ai ("ai-train=no", line 4 of robots.txt)'
    assert len(result.lines(f"DEBUG: {said}: not requested")) == 1
    (line,) = result.lines("INFO: Usage preferences: pages must not be used for")
    assert "so 2 items were dropped and 2 requests were not sent" in line


BY_HAND = {
    "DOWNLOADER_MIDDLEWARES": {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scrapy_robots1994.Robots1994Middleware": 100,
    },
    "SPIDER_MIDDLEWARES": {"scrapy_robots1994.RobotsPages": 5},
    "ADDONS": {},
    "ROBOTSTXT_OBEY": True,
}
OPEN = set(SITE) - {"/closed"}


PAGES_ALONE = {"ROBOTSTXT_OBEY": False}


@pytest.mark.parametrize(
    "row",
    [
        ("report", [], {}, OPEN, 6),
        ("items", ["search", "train-ai"], BY_HAND, {"/", "/plain"}, 6),
        ("items", ["train-ai"], PAGES_ALONE, set(SITE) - {"/noai", "/header"}, None),
    ],
)
def test_items_are_kept_by_purposes_and_components(
    site: Site, row: tuple[Any, ...]
) -> None:
    """Without a purpose, statements about every purpose are counted. The add-on is not
    needed. With ROBOTSTXT_OBEY = False, pages are read, but no robots.txt.
    """
    usage, purposes, more, kept, searchable = row
    result = walk(site, usage, *purposes, settings=more)
    is_read = more.get("ROBOTSTXT_OBEY", True)

    assert set(items_of(result)) == kept
    assert result.stats.get("robots1994/usage/search/allow") == searchable
    assert ("/robots.txt" in site.targets()) is is_read
    read = ["robots.txt"] * is_read + ["header", "meta"]
    assert items_of(result)["/plain"]["read"] == read


def test_start_request_that_is_declined_is_no_refused_start(site: Site) -> None:
    """It is counted by its purpose, and does not close the crawl early."""
    fill(site)
    more = settings("requests", "train-ai", ROBOTS1994_CLOSE_WHEN_DENIED=True)
    result = crawl([site.url("/shut")], settings=more)

    assert pages_of(site) == set()
    assert result.stats["finish_reason"] == "finished"
    assert result.stats["robots1994/usage/requests_dropped/train-ai"] == 1
    assert "robots1994/starts_refused" not in result.stats
    assert "robotstxt/forbidden" not in result.stats


def test_each_hop_of_a_redirect_has_the_preferences_of_its_own_robots_txt(
    site: Site,
) -> None:
    """After a redirect to another origin, the preferences of that origin's robots.txt apply."""
    site.robots("User-agent: *\nContent-Usage: /a train-ai=n\n", at="a.test")
    site.robots("User-agent: *\nContent-Usage: /b search=y\n", at="b.test")
    site.answer("/a", replies.redirect(site.url("/b", host="b.test")))
    site.answer("/c", replies.redirect(site.url("/a", host="a.test")))
    site.answer("/b", page())
    urls = [site.url("/a", host="a.test"), site.url("/c", host="b.test")]

    told = crawl(urls[:1], spider="UsageSpider", settings=settings("items", "train-ai"))
    said = 'search allow: "search=y" in robots.txt line 2'
    assert [it["usage"] for it in told.items] == [[said]]
    site.forget()
    more = settings("requests", "train-ai")
    declined = crawl(urls, spider="UsageSpider", settings=more)
    assert pages_of(site) == {"/c"}
    assert declined.stats["robots1994/usage/requests_dropped/train-ai"] == 2


def test_resumed_crawl_requests_and_drops_what_an_uninterrupted_one_does(
    site: Site, tmp_path: Path
) -> None:
    """Requests wait in JOBDIR, one for the retry of a page, with its preferences."""
    fill(site)
    site.answer("/noai", [replies.status(503), SITE["/noai"]])
    more = {"JOBDIR": str(tmp_path), "CONCURRENT_REQUESTS": 1, "RETRY_ENABLED": True}
    first, second = (
        crawl(
            [site.url("/")] * (limit > 0),
            spider="UsageSpider",
            settings=settings(
                "requests", "train-ai", CLOSESPIDER_PAGECOUNT=limit, **more
            ),
        )
        for limit in (2, 0)
    )

    assert first.stats["finish_reason"] == "closespider_pagecount"
    assert pages_of(site) == OPEN - {"/shut", "/signal"}
    assert len(site.log("/noai")) == 2
    kept = [*items_of(first), *items_of(second)]
    assert sorted(kept) == ["/", "/plain"]


def test_page_of_the_http_cache_has_the_preferences_of_now(
    site: Site, tmp_path: Path
) -> None:
    """A page from the HTTP cache has the preferences of the current robots.txt."""
    cached = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": str(tmp_path),
        "ROBOTS1994_STORE": f"sqlite:///{tmp_path}/robots.db",
    }
    site.robots("User-agent: *\nContent-Signal: ai-train=no\n")
    site.answer("/", page())
    more = settings("report", **cached)
    urls = [site.url("/")]
    runs = [crawl(urls, spider="UsageSpider", settings=more) for _ in range(2)]

    assert len(site.log("/")) == 1
    assert runs[0].items == runs[1].items
    assert "ai-train=no" in runs[1].items[0]["usage"][0]


def test_request_with_the_meta_of_a_page_has_preferences_of_its_own(site: Site) -> None:
    """A callback may copy the meta of its page, which was checked or exempt."""
    site.robots("User-agent: *\nContent-Usage: /again train-ai=n\n")
    site.answer("/again", page())
    site.answer("/plain", page())
    urls = [
        CrawlRequest(site.url("/again")),
        CrawlRequest(site.url("/again"), meta={"dont_obey_robotstxt": True}),
    ]
    result = crawl(urls, spider="UsageSpider", settings=settings("report", "train-ai"))

    assert {
        tuple(it["usage"]) for it in result.items if it["url"].endswith("/plain")
    } == {()}
    read = [it["read"] for it in result.items if it["url"].endswith("/again")]
    assert sorted(map(len, read)) == [2, 3]


@pytest.mark.parametrize(
    ("status", "read"),
    [(404, ["robots.txt", "header", "meta"]), (401, ["header", "meta"])],
)
def test_missing_robots_txt_states_nothing_and_an_unknown_one_is_not_read(
    site: Site, status: int, read: list[str]
) -> None:
    """A 404 counts as read, a 401 does not."""
    site.answer("/robots.txt", replies.status(status))
    site.answer("/", page())
    more = settings("report", ROBOTS1994_FORBIDDEN="allow")
    result = crawl([site.url("/")], spider="UsageSpider", settings=more)

    assert [(it["read"], it["usage"]) for it in result.items] == [(read, [])]


def test_items_are_dropped_once_where_pages_forbid_them_too(site: Site) -> None:
    """NOINDEX counts first. The callback yields one item object twice."""
    site.robots("User-agent: *\nContent-Usage: train-ai=n\n")
    site.answer("/", page(tag="noindex"))
    result = crawl(
        [site.url("/")],
        spider="TwiceSpider",
        settings=settings("items", "train-ai", ROBOTS1994_PAGES=True),
    )

    assert result.items == []
    assert result.stats["item_dropped_count"] == 2
    assert result.stats["robots1994/pages/items_dropped"] == 2
    assert "robots1994/usage/items_dropped/train-ai" not in result.stats


def test_nothing_is_imported_where_it_is_off() -> None:
    """A crawl imports no lint, and nothing about usage preferences without a setting that
    reads pages.
    """
    code = (
        "import sys; from scrapy.settings import Settings; import scrapy_robots1994 as r; "
        "r.Addon().update_settings(Settings()); "
        "r.Robots1994Middleware; "
        "r.RobotsTxt.parse('Content-Usage: x').allowed('/', 'x'); "
        "print([it for it in sys.modules if "
        "'usage' in it or it == 'http_sf' or '1994.lint' in it])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert found.stdout.strip() == "[]"


def test_crawl_does_not_start_without_the_extra(site: Site) -> None:
    """With ROBOTS1994_USAGE, a missing library stops the crawl and names the extra."""
    settings = {"ROBOTS1994_USAGE": "report"}
    result = crawl([site.url("/")], settings=settings, hook="without_http_sf")

    assert site.targets() == []
    (line,) = result.lines("CRITICAL: The crawl cannot start: ROBOTS1994_USAGE")
    assert "pip install 'scrapy_robots1994[usage]'" in line
