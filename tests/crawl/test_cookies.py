"""Cookies that servers set during a fetch of robots.txt."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.support.crawl import CrawlRequest, crawl
from tests.support.replies import Reply, redirect, text
from tests.support.site import Site

FILE = text("User-agent: *\nDisallow: /closed\n")
COOKIES = {"COOKIES_ENABLED": True}


def setting(reply: Reply, *cookies: str) -> Reply:
    lines = tuple(("Set-Cookie", it) for it in cookies)
    return Reply(reply.status, reply.body, (*reply.headers, *lines))


def cookies_of(site: Site, target: str = "/robots.txt") -> list[str]:
    return [it.headers.get("cookie", "") for it in site.log(target)]


@pytest.mark.parametrize(
    ("robots", "check"),
    [
        ([setting(redirect("/robots.txt"), "human=1"), FILE], None),
        ([redirect("/check"), FILE], setting(redirect("/robots.txt"), "human=1")),
    ],
)
def test_cookie_check_in_front_of_robots_txt_is_passed(
    site: Site, robots: Sequence[Reply], check: Reply | None
) -> None:
    """Ours R2. Page requests send the cookie too, because it is in Scrapy's cookie jar."""
    site.answer("/robots.txt", robots)
    if check:
        site.answer("/check", check)
    pages = [site.url("/open"), site.url("/closed")]
    result = crawl(pages, settings=COOKIES)

    assert result.fetched_urls == [site.url("/open")]
    assert result.reasons == ["rule"]
    assert cookies_of(site) == ["", "human=1"]
    assert cookies_of(site, "/open") == ["human=1"]


def test_robots_txt_uses_the_cookie_jar_of_its_page(site: Site) -> None:
    """Ours 3.1: the meta of the page request names the jar."""
    first = setting(redirect("/robots.txt"), "human=1")
    site.answer("/robots.txt", [first, FILE])
    meta = {"cookiejar": 7}
    pages = [CrawlRequest(site.url(path), meta) for path in ("/open", "/closed")]
    other = CrawlRequest(site.url("/other"), {"cookiejar": 8})
    result = crawl([*pages, other], settings=COOKIES)

    assert result.reasons == ["rule"]
    assert cookies_of(site) == ["", "human=1"]
    assert cookies_of(site, "/open") == ["human=1"]
    assert cookies_of(site, "/other") == [""]
