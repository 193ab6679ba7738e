"""The robots.txt request (headers, meta, proxy), and requests that are not checked."""

from __future__ import annotations

import pytest

from tests.support import replies
from tests.support.crawl import COMPONENTS, CrawlRequest, crawl
from tests.support.exemptions import EXAMPLES, Exempt
from tests.support.left_out import long_after
from tests.support.site import Site

RECORD = {"DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RecordMeta": 899}}
OPEN = "User-agent: *\nDisallow:\n"
CLOSED = "User-agent: *\nDisallow: /\n"
SPECIAL = "special/1.0"


def test_robots_txt_request_has_a_timeout_and_meta_of_its_own(site: Site) -> None:
    """No robots check, offsite filter, cookies or callback; ROBOTS1994_PROPAGATE_META.

    Headers of a session or a page are not copied.
    """
    site.robots(OPEN)
    url = site.url("/page").replace("http://", "http://user:secret@")
    headers = {"Referer": "http://secret.test/", "Cookie": "a=b"}
    settings = {"ROBOTS1994_TIMEOUT": 7, "ROBOTS1994_PROPAGATE_META": ["session"]}

    result = crawl(
        [CrawlRequest(url, {"session": "s1"}, headers)], settings=RECORD | settings
    )

    meta = result.stats["test/robots_meta"]
    assert meta == {
        "dont_obey_robotstxt": True,
        "allow_offsite": True,
        "dont_merge_cookies": True,
        "download_timeout": 7,
        "callback": "NO_CALLBACK",
        "session": "s1",
    }
    (robots,) = site.log("/robots.txt")
    assert robots.headers.keys().isdisjoint({"cookie", "referer", "authorization"})


def test_request_with_another_user_agent_is_judged_by_it(site: Site) -> None:
    """Also where the rules for the usual one are already known."""
    site.robots("User-agent: special\nDisallow: /\n")
    special = {"User-Agent": "special/1.0"}
    pages = [CrawlRequest(site.url(f"/{number}")) for number in range(2)]
    pages.append(CrawlRequest(site.url("/2"), headers=special))
    pages.append(CrawlRequest(site.url("/3")))

    result = crawl(
        pages, settings={"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0}
    )

    assert result.failed_urls == [site.url("/2")]
    assert len(result.fetched) == 3


@pytest.mark.parametrize(
    ("settings", "headers"),
    long_after(
        3,
        [
            ({}, {"User-Agent": SPECIAL}),
            (
                {
                    "DEFAULT_REQUEST_HEADERS": {
                        "user-agent": [SPECIAL],
                        "User-Agent": "x",
                    }
                },
                {},
            ),
            ({"ROBOTSTXT_USER_AGENT": "special"}, {}),
            ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": SPECIAL}}, {}),
            ({"DEFAULT_REQUEST_HEADERS": {"user-agent": [SPECIAL]}}, {}),
            (
                {
                    "DEFAULT_REQUEST_HEADERS": {"User-Agent": None},
                    "USER_AGENT": SPECIAL,
                },
                {},
            ),
            ({"USER_AGENT": SPECIAL}, {}),
        ],
    ),
)
def test_robot_name_comes_from_the_settings_that_scrapy_uses(
    site: Site, settings: dict[str, object], headers: dict[str, str]
) -> None:
    """Peers row 8: DEFAULT_REQUEST_HEADERS is one; of two spellings the first applies."""
    site.robots("User-agent: special\nDisallow: /\n\nUser-agent: *\nDisallow:\n")
    result = crawl(
        [CrawlRequest(site.url("/page"), headers=headers)], settings=settings
    )

    if "ROBOTSTXT_USER_AGENT" not in settings:
        assert site.log()[0].headers["user-agent"] == "special/1.0"

    assert result.fetched == []


@pytest.mark.parametrize("exempt", EXAMPLES.values(), ids=lambda it: it.url)
def test_exempt_request_is_sent_without_a_robots_txt(
    site: Site, exempt: Exempt
) -> None:
    """No robots.txt is fetched for it, and the response is that of its own URL."""
    site.robots(CLOSED)
    url = exempt.url.format(port=site.port)
    result = crawl([CrawlRequest(url, exempt.meta)], settings=exempt.settings)

    reached = [f"http://{it.host}{it.target}" for it in site.log()]

    assert result.fetched_urls == [url] * exempt.valid
    assert reached == [url] * ("{port}" in exempt.url)


@pytest.mark.parametrize("exempt", EXAMPLES.values(), ids=lambda it: it.url)
def test_exempt_request_does_not_allow_others(site: Site, exempt: Exempt) -> None:
    """Requests before it, which put the rules in memory, and after it are refused."""
    one_by_one = {"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0}
    site.robots(CLOSED)
    url = exempt.url.format(port=site.port)
    result = crawl(
        [
            CrawlRequest(site.url("/1"), priority=2),
            CrawlRequest(url, exempt.meta, priority=1),
            CrawlRequest(site.url("/2")),
        ],
        settings={**one_by_one, **exempt.settings},
    )

    refused = [it.url for it in result.failed if it.verdict is not None]
    assert refused == [site.url("/1"), site.url("/2")]
    assert result.fetched_urls == [url] * exempt.valid


@pytest.mark.parametrize("is_in_memory", long_after(1, [True, False]))
def test_robots_txt_request_itself_is_never_refused(
    site: Site, *, is_in_memory: bool
) -> None:
    """It may be redirected to an origin whose rules in memory disallow the target."""
    site.robots("User-agent: *\nDisallow: /\n", at="b.test")
    moved = site.url("/policy", host="b.test")
    site.answer("/robots.txt", replies.redirect(moved), at="a.test")
    site.answer("/policy", replies.text("User-agent: *\nDisallow: /no\n"))
    closed, page = site.url("/x", host="b.test"), site.url("/page", host="a.test")
    urls = [CrawlRequest(closed, priority=10), CrawlRequest(page)]
    result = crawl(
        urls[not is_in_memory :],
        settings={
            "DOWNLOADER_MIDDLEWARES": {f"{COMPONENTS}.RemoveOptOut": 50},
            "CONCURRENT_REQUESTS": 1,
            "ROBOTS1994_MAX_WAITING": 0,
        },
    )

    assert result.fetched_urls == [page]


def test_robots_txt_request_leaves_from_the_address_of_the_page(site: Site) -> None:
    """With `bindaddress` in the meta, both leave from it."""
    site.robots(OPEN)
    crawl([CrawlRequest(site.url("/page"), {"bindaddress": "127.0.0.9"})])

    assert [seen.peer for seen in site.log()] == ["127.0.0.9"] * 2
