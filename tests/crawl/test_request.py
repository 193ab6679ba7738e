"""The robots.txt request (headers, meta, proxy), and requests that are not checked."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.support import replies
from tests.support.crawl import CrawlRequest, Reactor, crawl, reactors
from tests.support.exemptions import EXAMPLES, Exempt
from tests.support.left_out import long_after
from tests.support.site import Site

RECORD = {"DOWNLOADER_MIDDLEWARES": {"tests.crawl.parts.RecordMeta": 899}}
OPEN = "User-agent: *\nDisallow:\n"
CLOSED = "User-agent: *\nDisallow: /\n"
SPECIAL = "special/1.0"


def test_robots_txt_request_has_its_own_timeout_and_meta() -> None:
    """It has no robots check, no offsite filter, no cookies and no spider's callback."""
    with Site() as site:
        site.robots(OPEN)
        result = crawl([site.url("/page")], settings=RECORD | {"ROBOTS1994_TIMEOUT": 7})

    meta = result.stats["test/robots_meta"]
    assert meta["download_timeout"] == 7
    assert meta["dont_obey_robotstxt"] is True
    assert meta["allow_offsite"] is True
    assert meta["dont_merge_cookies"] is True
    assert meta["callback"] == "NO_CALLBACK"


def test_robots_txt_request_has_no_cookie_referer_or_credentials() -> None:
    """Headers of a session or a page are not copied."""
    with Site() as site:
        site.robots(OPEN)
        url = site.url("/page").replace("http://", "http://user:secret@")
        crawl([CrawlRequest(url, headers={"Referer": "http://secret.test/"})])
        sent = site.log("/robots.txt")[0].headers

    names = {name.lower() for name in sent}
    assert names.isdisjoint({"cookie", "referer", "authorization"})


def test_robots_txt_request_has_the_user_agent_that_is_matched() -> None:
    """A request's own User-Agent is used for the robots.txt request, too."""
    with Site() as site:
        site.robots("User-agent: special\nDisallow: /\n")
        result = crawl(
            [CrawlRequest(site.url("/page"), headers={"User-Agent": "special/1.0"})]
        )

        assert site.log("/robots.txt")[0].headers["user-agent"] == "special/1.0"

    assert result.fetched == []


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
    "settings",
    long_after(
        2,
        [
            {"DEFAULT_REQUEST_HEADERS": {"user-agent": [SPECIAL], "User-Agent": "x/1"}},
            {"ROBOTSTXT_USER_AGENT": "special"},
            {"DEFAULT_REQUEST_HEADERS": {"User-Agent": SPECIAL}},
            {"DEFAULT_REQUEST_HEADERS": {"user-agent": [SPECIAL]}},
            {"DEFAULT_REQUEST_HEADERS": {"User-Agent": None}, "USER_AGENT": SPECIAL},
            {"USER_AGENT": SPECIAL},
        ],
    ),
)
def test_robot_name_comes_from_the_settings_that_scrapy_uses(
    settings: dict[str, object],
) -> None:
    """Peers row 8: DEFAULT_REQUEST_HEADERS is one; of two spellings the first applies."""
    with Site() as site:
        site.robots("User-agent: special\nDisallow: /\n\nUser-agent: *\nDisallow:\n")
        result = crawl([site.url("/page")], settings=settings)

        if "ROBOTSTXT_USER_AGENT" not in settings:
            assert site.log()[0].headers["user-agent"] == "special/1.0"

    assert result.fetched == []


@pytest.mark.parametrize("reactor", reactors())
def test_robots_txt_request_uses_the_proxy_of_the_page(reactor: Reactor) -> None:
    """Peers row 7: both requests go through the same proxy."""
    with Site() as proxy:
        proxy.robots("User-agent: *\nDisallow: /private\n")
        meta = {"proxy": proxy.url("").rstrip("/")}
        pages = ["http://far.example/private", "http://far.example/page"]
        result = crawl(
            [CrawlRequest(page, meta=meta) for page in pages], reactor=reactor
        )
        proxied = [seen.proxied for seen in proxy.log()]

    assert proxied == [True, True]
    assert result.fetched_urls == [pages[1]]


def test_further_meta_is_copied_if_configured() -> None:
    """ROBOTS1994_PROPAGATE_META lists the keys."""
    with Site() as site:
        site.robots(OPEN)
        result = crawl(
            [CrawlRequest(site.url("/page"), meta={"session": "s1"})],
            settings=RECORD | {"ROBOTS1994_PROPAGATE_META": ["session"]},
        )

    assert result.stats["test/robots_meta"]["session"] == "s1"


@pytest.mark.parametrize("exempt", EXAMPLES.values(), ids=lambda it: it.url)
def test_exempt_request_is_sent_without_a_robots_txt(exempt: Exempt) -> None:
    """No robots.txt is fetched for it, and the response is that of its own URL."""
    with Site() as site:
        site.robots(CLOSED)
        url = exempt.url.format(port=site.port)
        result = crawl([CrawlRequest(url, exempt.meta)], settings=exempt.settings)

        reached = [f"http://{it.host}{it.target}" for it in site.log()]

    assert result.fetched_urls == [url] * exempt.valid
    assert reached == [url] * ("{port}" in exempt.url)


@pytest.mark.parametrize("exempt", EXAMPLES.values(), ids=lambda it: it.url)
def test_exempt_request_does_not_allow_others(exempt: Exempt) -> None:
    """Requests before it, which put the rules in memory, and after it are refused."""
    one_by_one = {"CONCURRENT_REQUESTS": 1, "ROBOTS1994_MAX_WAITING": 0}
    with Site() as site:
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


class RemoveOptOut:
    """A middleware that removes a meta key of Scrapy from each request, ours included."""

    def process_request(self, request: Any, spider: Any = None) -> None:
        """Remove the key before our middleware sees the request."""
        request.meta.pop("dont_obey_robotstxt", None)


@pytest.mark.parametrize("is_in_memory", long_after(1, [True, False]))
def test_robots_txt_request_itself_is_never_refused(*, is_in_memory: bool) -> None:
    """It may be redirected to an origin whose rules in memory disallow the target."""
    with Site() as site:
        site.robots("User-agent: *\nDisallow: /\n", at="b.test")
        moved = site.url("/policy", host="b.test")
        site.answer("/robots.txt", replies.redirect(moved), at="a.test")
        site.answer("/policy", replies.text("User-agent: *\nDisallow: /no\n"))
        closed, page = site.url("/x", host="b.test"), site.url("/page", host="a.test")
        urls = [CrawlRequest(closed, priority=10), CrawlRequest(page)]
        result = crawl(
            urls[not is_in_memory :],
            settings={
                "DOWNLOADER_MIDDLEWARES": {"tests.crawl.test_request.RemoveOptOut": 50},
                "CONCURRENT_REQUESTS": 1,
                "ROBOTS1994_MAX_WAITING": 0,
            },
        )

    assert result.fetched_urls == [page]


@pytest.mark.parametrize("reactor", reactors())
def test_credentials_of_a_proxy_go_with_all_requests(reactor: Reactor) -> None:
    """After a redirect the page has them in a header: Scrapy took them out of the URL."""
    with Site() as proxy:
        proxy.robots(OPEN)
        proxy.answer("/1", replies.redirect("http://other.example/2"))
        meta = {"proxy": proxy.url("").rstrip("/").replace("//", "//me:secret@")}
        result = crawl([CrawlRequest("http://far.example/1", meta)], reactor=reactor)
        sent = [seen.headers.get("proxy-authorization") for seen in proxy.log()]

    assert result.fetched_urls == ["http://other.example/2"]
    assert sent == ["Basic bWU6c2VjcmV0"] * 4


def test_credentials_of_another_proxy_are_not_inherited() -> None:
    """A header that the user set may be for the proxy of the page alone."""
    with Site() as proxy:
        proxy.robots(OPEN)
        meta = {"proxy": proxy.url("").rstrip("/")}
        sent = {"Proxy-Authorization": "Basic bWU6c2VjcmV0"}
        crawl([CrawlRequest("http://far.example/1", meta, sent)])
        robots, *_ = proxy.log("/robots.txt")

    assert "proxy-authorization" not in robots.headers


def name_proxies(_crawler: Any) -> None:
    """Name a proxy for `http:` in the environment; a hook of crawls."""
    os.environ["http_proxy"] = os.environ["TEST_PROXY"]
    os.environ.pop("no_proxy", None)


def test_proxy_of_the_environment_is_that_of_its_scheme(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A robots.txt that is redirected to https leaves without the proxy for http."""
    with Site(tls="valid") as site, Site() as proxy:
        monkeypatch.setenv("TEST_PROXY", proxy.url("").rstrip("/"))
        secure = site.secure_url("/policy.txt", host="far.test")
        proxy.answer("/robots.txt", replies.redirect(secure))
        site.answer("/policy.txt", replies.text("User-agent: *\nDisallow: /no\n"))
        # The page that is redirected already has a proxy: the one for http.
        proxy.answer("/old", replies.redirect("http://far.test/page"))
        pages = ["http://old.test/old"]
        result = crawl(pages, hook="tests.crawl.test_request:name_proxies")
        through = proxy.targets()
        direct = [seen.target for seen in site.log() if not seen.proxied]

    assert result.fetched_urls == ["http://far.test/page"]
    assert through == ["/robots.txt", "/old", "/robots.txt", "/page"]
    assert direct == ["/policy.txt"] * 2


def test_robots_txt_request_leaves_from_the_address_of_the_page() -> None:
    """With `bindaddress` in the meta, both leave from it."""
    with Site() as site:
        site.robots(OPEN)
        crawl([CrawlRequest(site.url("/page"), {"bindaddress": "127.0.0.9"})])

        assert [seen.peer for seen in site.log()] == ["127.0.0.9"] * 2
