"""Tests of the requests that the browser of scrapy-playwright sends by itself.

The tests read the browser's requests from the server's log.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.support import evidence, replies
from tests.support.browsing import SETTINGS
from tests.support.commands import scrapy
from tests.support.crawl import CrawlRequest, CrawlResult, crawl
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.browser,
    pytest.mark.long,
    pytest.mark.plugin("scrapy_playwright"),
]

RULES = "User-agent: *\nDisallow: /static/\nDisallow: /no\n"
CHECKED: dict[str, Any] = {"ROBOTS1994_BROWSER": True}
PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


@pytest.fixture
def site() -> Iterator[Site]:
    """Yield a site with two origins on one host. The robots.txt of the second origin
    disallows /hidden.
    """
    with Site(ports=2) as started:
        started.robots(RULES)
        other = started.url("", port=1).removeprefix("http://")
        started.robots("User-agent: *\nDisallow: /hidden\n", at=other)
        yield started


def browse(*pages: CrawlRequest, settings: dict[str, Any] | None = None) -> CrawlResult:
    """Crawl *pages* with the browser, and return the result."""
    return crawl(
        pages,
        spider="tests.support.browsing:BrowsingSpider",
        settings=SETTINGS | (settings or {}),
        may_warn=True,
    )


def page(url: str, **meta: Any) -> CrawlRequest:
    """Return a request that the browser sends."""
    return CrawlRequest(url, meta={"playwright": True} | meta)


@pytest.mark.parametrize("is_checked", [True, False])
def test_what_a_page_loads_is_judged_by_the_policy_of_its_origin(
    site: Site, tmp_path: Path, *, is_checked: bool
) -> None:
    """For a picture, script, frame or data request of a page, the policy of the
    requested origin decides.

    Each robots.txt is fetched once.
    """
    other = site.url("", port=1)
    site.answer(
        "/page",
        replies.html(
            "<link rel=stylesheet href=/static/a.css><script src=/static/a.js></script>"
            "<script>fetch('/no/data')</script><iframe src=/no/frame></iframe>"
            f"<img src=/ok.png><img src={other}/pic.png><img src={other}/hidden.png>"
            f"<img src={site.refused_url('/x.png')}><img src={PICTURE}>"
        ),
    )
    settings: dict[str, Any] = {"ROBOTS1994_BROWSER": is_checked}
    settings["CONCURRENT_REQUESTS_PER_DOMAIN"] = 1
    settings["ROBOTS1994_EVIDENCE"] = str(tmp_path)
    result = browse(page(site.url("/page")), settings=settings)

    seen = sorted(it.target for it in site.log())
    robots = ["/robots.txt"] * (1 + is_checked)
    aborted = ["/static/a.css", "/static/a.js", "/no/data", "/no/frame", "/hidden.png"]
    refused = [] if is_checked else aborted
    assert seen == sorted(["/page", "/ok.png", "/pic.png", *robots, *refused])
    assert result.fetched_urls == [site.url("/page")]
    # The picture at the origin that refuses connections is also disallowed (R5,
    # unreachable).
    assert result.stats.get("robots1994/browser/disallowed", 0) == 6 * is_checked
    assert result.stats.get("robots1994/browser/not_known", 0) == 0
    assert len(result.lines("that the browser sent by itself")) == is_checked
    _, _, lines = evidence.only(tmp_path)
    decided = [(it["decision"], it.get("client")) for it in lines]
    assert decided.count(("refused", "browser")) == 6 * is_checked
    assert decided.count(("allowed", "browser")) == 2 * is_checked
    checked = scrapy("robots-check", "--evidence", str(tmp_path), "--verify")
    assert checked.out.endswith(": 0 differences\n")


NAVIGATIONS = {
    "link": "document.querySelector('a').click()",
    "form": "document.forms[0].submit()",
    "script": "location = '/no/script'",
    "refresh": "document.head.innerHTML = "
    "'<meta http-equiv=refresh content=\"0;url=/no/refresh\">'",
    "allowed": "location = '/fine'",
}


@pytest.mark.parametrize("is_checked", [True, False])
def test_navigation_of_a_page_is_judged(site: Site, *, is_checked: bool) -> None:
    """A disallowed navigation by a link, a form, a script or a meta refresh is aborted.

    An allowed navigation is not aborted.
    """
    html = "<a href=/no/link>a</a><form action=/no/form method=post></form>"
    for name in NAVIGATIONS:
        site.answer(f"/{name}", replies.html(html))
    pages = [
        page(site.url(f"/{name}"), playwright_include_page=True, script=script)
        for name, script in NAVIGATIONS.items()
    ]
    result = browse(*pages, settings={"ROBOTS1994_BROWSER": is_checked})

    reached = {it.target for it in site.log() if it.target.startswith("/no")}
    every = {f"/no/{name}" for name in NAVIGATIONS if name != "allowed"}
    assert reached == (set() if is_checked else every)
    assert "/fine" in site.targets()
    assert len(result.fetched) == len(NAVIGATIONS)


def test_url_that_scrapy_requested_passes(site: Site) -> None:
    """A page with `dont_obey_robotstxt` is loaded, but the pictures in the page are checked."""
    site.answer("/no/page", replies.html("<img src=/no/pic.png><img src=/ok.png>"))
    target = site.url("/no/./page").replace("127.0.0.1", "LOCALHOST")
    result = browse(page(target, dont_obey_robotstxt=True), settings=CHECKED)

    assert sorted(site.targets()) == ["/no/page", "/ok.png", "/robots.txt"]
    assert len(result.fetched) == 1


def test_later_navigation_to_a_url_that_scrapy_requested_is_judged(site: Site) -> None:
    """After Scrapy has requested a page with `dont_obey_robotstxt`, the browser still
    aborts the navigation of another page to the URL of this page.
    """
    first = page(site.url("/no/page"), dont_obey_robotstxt=True)
    script = "location = '/no/page'"
    second = page(site.url("/page"), playwright_include_page=True, script=script)
    settings = CHECKED | {"CONCURRENT_REQUESTS": 1}
    result = browse(replace(first, priority=1), second, settings=settings)

    assert site.targets().count("/no/page") == 1
    assert [url for url, _ in result.fetched] == [first.url, second.url]
    assert result.stats["robots1994/browser/disallowed"] == 1


def test_request_without_a_policy_is_aborted(site: Site) -> None:
    """R7 (our own fault): if a component breaks the fetch of a picture's robots.txt, the
    browser does not load the picture.

    The page with the picture is fetched.
    """
    site.answer("/page", replies.html(f"<img src={site.url('/p.png', port=1)}>"))
    name = "tests.support.components.BreakSecondRobots"
    settings = CHECKED | {"DOWNLOADER_MIDDLEWARES": {name: 850}}
    result = browse(page(site.url("/page")), settings=settings)

    assert sorted(site.targets()) == ["/page", "/robots.txt"]
    assert result.stats["robots1994/browser/not_known"] == 1
    assert result.fetched_urls == [site.url("/page")]


def test_function_of_the_project_is_asked_first(site: Site) -> None:
    """The function in PLAYWRIGHT_ABORT_REQUEST can abort any request. Requests that the
    function in PLAYWRIGHT_ABORT_REQUEST does not abort are checked.
    """
    site.answer(
        "/page", replies.html("<img src=/a.png><img src=/b.gif><img src=/no.gif>")
    )
    own = "tests.support.browsing.abort_pictures"
    settings = CHECKED | {"PLAYWRIGHT_ABORT_REQUEST": own}
    result = browse(page(site.url("/page")), settings=settings)

    assert sorted(site.targets()) == ["/b.gif", "/page", "/robots.txt"]
    assert result.stats["playwright/request_count/aborted"] == 2
    assert result.stats["robots1994/browser/disallowed"] == 1
    assert not result.lines("ROBOTS1994_BROWSER has no effect")


def test_function_of_the_project_that_does_not_exist_stops_the_crawl(
    site: Site,
) -> None:
    """If PLAYWRIGHT_ABORT_REQUEST names a function that does not exist, the crawl does not
    start.

    The error message contains the name of the setting.
    """
    settings = CHECKED | {"PLAYWRIGHT_ABORT_REQUEST": "tests.support.nothing"}
    result = browse(page(site.url("/page")), settings=settings)

    assert "PLAYWRIGHT_ABORT_REQUEST: " in result.error
    assert site.targets() == []
