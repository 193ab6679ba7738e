"""Tests of the cookies that are set during a fetch of robots.txt.

A cookie that is set during a fetch is sent only with later requests of that fetch.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.support.crawl import CrawlRequest, CrawlResult, crawl
from tests.support.left_out import table
from tests.support.replies import Reply, redirect, status, text
from tests.support.site import Site

FILE = text("User-agent: *\nDisallow: /closed\n")
COOKIES = {"COOKIES_ENABLED": True}


def setting(reply: Reply, *cookies: str) -> Reply:
    """Return a copy of *reply* that sets *cookies*."""
    lines = tuple(("Set-Cookie", it) for it in cookies)
    return Reply(reply.status, reply.body, (*reply.headers, *lines))


def cookies_of(site: Site, target: str = "/robots.txt") -> list[str]:
    """Return the Cookie header of each request for *target*."""
    return [it.headers.get("cookie", "") for it in site.log(target)]


def crawl_two(site: Site, **settings: object) -> CrawlResult:
    """Crawl a page that `FILE` allows and a page that `FILE` disallows, and return the
    result.
    """
    pages = [site.url("/open"), site.url("/closed")]
    return crawl(pages, settings=COOKIES | settings)


@table(
    ("robots", "check"),
    ([setting(redirect("/robots.txt"), "human=1"), FILE], None),
    ([redirect("/check"), FILE], setting(redirect("/robots.txt"), "human=1")),
    short=2,
)
def test_cookie_check_in_front_of_robots_txt_is_passed(
    site: Site, robots: Sequence[Reply], check: Reply | None
) -> None:
    """Ours R2 (redirects): after a cookie check, robots.txt is requested with the new cookie.

    The built-in middleware also sends the new cookie for robots.txt. Our crawl requests
    pages without the cookie.
    """
    site.answer("/robots.txt", robots)
    if check:
        site.answer("/check", check)
    result = crawl_two(site)

    assert result.fetched_urls == [site.url("/open")]
    assert result.reasons == ["rule"]
    assert cookies_of(site) == ["", "human=1"]
    assert cookies_of(site, "/open") == [""]


def test_only_cookies_for_the_url_are_sent(site: Site) -> None:
    """A cookie is sent only if its attributes Secure, Path and Domain match the URL.

    A cookie that is too long is never sent.
    """
    lines = (
        "secure=1; Secure",
        "path=1; Path=/elsewhere",
        "domain=1; Domain=other.test",
        "own=1",
        f"long={'x' * 5_000}",
    )
    site.answer("/robots.txt", [setting(redirect("/robots.txt"), *lines), FILE])
    crawl_two(site)

    assert cookies_of(site) == ["", "own=1"]


def test_retry_has_the_cookies_of_the_fetch(site: Site) -> None:
    """A retry after a 503 sends the cookie that was set by the 503."""
    site.answer("/robots.txt", [setting(status(503), "human=1"), FILE])
    result = crawl_two(site, RETRY_ENABLED=True)

    assert result.fetched_urls == [site.url("/open")]
    assert cookies_of(site) == ["", "human=1"]


@table(
    ("cookies", "requests"),
    (["a=1"], ["", "a=1"]),
    ([f"a={number}" for number in range(9)], ["", *(f"a={it}" for it in range(5))]),
    short=2,
)
def test_redirect_with_the_same_cookies_is_a_loop(
    site: Site, cookies: list[str], requests: list[str]
) -> None:
    """Ours R2 (redirects): a redirect that sets no new cookie ends the fetch as a loop.

    If each redirect sets a new cookie, the fetch ends at the limit of redirects.
    """
    answers = [setting(redirect("/robots.txt"), it) for it in cookies]
    site.answer("/robots.txt", answers)
    result = crawl_two(site)

    assert result.reasons == ["unreachable"] * 2
    assert cookies_of(site) == requests


@pytest.mark.parametrize("meta", [{}, {"cookiejar": 7}], ids=str)
def test_robots_txt_may_share_the_cookie_jar_of_its_page(
    site: Site, meta: dict[str, int]
) -> None:
    """With `cookiejar` in ROBOTS1994_PROPAGATE_META, robots.txt and pages share cookies.

    The shared jar is the default cookie jar, or the jar in the meta of the page.
    """
    first = setting(redirect("/robots.txt"), "human=1")
    site.answer("/robots.txt", [first, FILE])
    pages = [CrawlRequest(site.url(path), meta) for path in ("/open", "/closed")]
    shared = {"ROBOTS1994_PROPAGATE_META": ["cookiejar"]}
    result = crawl(pages, settings=COOKIES | shared)

    assert result.reasons == ["rule"]
    assert cookies_of(site) == ["", "human=1"]
    assert cookies_of(site, "/open") == ["human=1"]
