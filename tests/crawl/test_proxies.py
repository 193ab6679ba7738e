"""Requests for robots.txt use the right proxy and reveal no password."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.support import replies
from tests.support.crawl import (
    CrawlRequest,
    Reactor,
    crawl,
    crawl_over_time,
    http_handlers,
)
from tests.support.site import Site

FILE = "User-agent: *\nDisallow: /closed\n"
SECRET = "hunter2-of-the-test"  # noqa: S105 - not a real password
USER_INFO = [
    f"user:{password.format(character)}"
    for password in (
        "hun{}ter2",
        "hun{}2ter",
        "12{}hunter",
        "hun{}ter@s",
        "hun{0}ter{0}s",
    )
    for character in ("%2F", "%3F", "%23", "%20", "%40", "%3A", "%5C")
]
USER_INFO += ["hunter", ":hun%2Fter"]


@pytest.mark.parametrize("source", ["environment", "meta"])
def test_only_the_proxy_gets_its_password(
    source: str, reactor: Reactor, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [f"http://far.example/{path}" for path in ("open", "closed")]
    with Site() as proxy:
        proxy.robots(FILE)
        proxy.answer("/open", replies.redirect("http://other.example/2"))
        url = proxy.url("").replace("http://", f"http://user:{SECRET}@")
        if source == "environment":
            monkeypatch.setenv("http_proxy", url)
        meta = {"proxy": url} if source == "meta" else {}
        result = crawl([CrawlRequest(page, meta) for page in pages], reactor=reactor)
        seen = proxy.log()

    credentials = base64.b64encode(f"user:{SECRET}".encode()).decode()
    assert [it.target for it in seen] == ["/robots.txt", "/open", "/robots.txt", "/2"]
    assert {it.headers["proxy-authorization"] for it in seen} == {
        f"Basic {credentials}"
    }
    assert result.fetched_urls == ["http://other.example/2"]
    assert SECRET not in result.log + str(result.stats) + str(result.failed)


@pytest.mark.parametrize("is_proxied", [True, False])
def test_credentials_in_a_header_go_only_to_the_proxy(
    site: Site, reactor: Reactor, *, is_proxied: bool
) -> None:
    meta = {"proxy": site.url("").rstrip("/")} if is_proxied else {}
    sent = {"Proxy-Authorization": "Basic bWU6c2VjcmV0"}
    crawl([CrawlRequest(site.url("/1", host="far.test"), meta, sent)], reactor=reactor)

    seen = [it.headers.get("proxy-authorization") for it in site.log()]
    assert seen == [sent["Proxy-Authorization"] if is_proxied else None] * 2


@pytest.mark.parametrize("https_proxies", [1, 0])
def test_proxy_of_the_environment_is_that_of_its_scheme(
    https_proxies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a redirect from http to https, the proxy for http and its password are not used."""
    with Site(tls="valid") as site, Site() as proxy:
        url = proxy.url("").rstrip("/")
        proxies = {"http_proxy": url.replace("//", f"//user:{SECRET}@")}
        if https_proxies:
            proxies["https_proxy"] = site.url("").rstrip("/")
        monkeypatch.setenv("TEST_PROXIES", json.dumps(proxies))
        target = site.secure_url("/policy.txt", host="far.test")
        proxy.answer("/robots.txt", replies.redirect(target))
        site.answer("/policy.txt", replies.text(FILE))
        # The meta of the redirected page request already contains the proxy for http.
        proxy.answer("/old", replies.redirect("http://far.test/page"))
        result = crawl(["http://old.test/old"], hook="name_proxies")
        through = proxy.targets()
        direct = [seen.target for seen in site.log() if not seen.proxied]

    assert result.fetched_urls == ["http://far.test/page"]
    assert through == ["/robots.txt", "/old", "/robots.txt", "/page"]
    assert direct == ["/policy.txt"] * 2
    assert result.stats["test/authorized/http"] == 4
    assert "test/authorized/https" not in result.stats


def test_ours_r7_dead_proxy_is_not_a_failure_of_the_origin(
    site: Site, reactor: Reactor, tmp_path: Path
) -> None:
    site.robots(FILE)
    url = site.refused_url("").rstrip("/")
    proxy = {"proxy": url.replace("//", f"//user:{SECRET}@")}
    pages = [site.url(f"/{number}") for number in range(12)]
    settings = {
        "RETRY_ENABLED": True,
        "RETRY_TIMES": 1,
        "ROBOTS1994_STORE": f"sqlite:///{tmp_path / 'robots.db'}",
    }
    failing = crawl(
        [CrawlRequest(page, proxy) for page in pages],
        settings=settings,
        reactor=reactor,
    )
    healthy = crawl(pages, settings=settings, reactor=reactor)

    assert failing.failed_urls == sorted(pages)
    assert {it.verdict for it in failing.failed} == {None}
    assert all("Refused" in failed.name for failed in failing.failed)
    assert failing.lines("WARNING: Could not fetch", "through a proxy")
    assert failing.stats["robots1994/local_faults"] >= 1
    assert not [it for it in failing.stats if it.startswith("robots1994/outcome/")]
    assert SECRET not in failing.log + str(failing.stats) + str(failing.failed)
    assert healthy.fetched_urls == sorted(pages)


@pytest.mark.parametrize(("reactor", "handler"), http_handlers())
def test_no_line_of_ours_has_a_password_of_a_proxy(
    reactor: Reactor, handler: str
) -> None:
    """The download handler raises an exception that contains the URL of the proxy."""
    requests = [
        CrawlRequest(f"http://h{n}.test/", {"proxy": f"http://{info}@127.0.0.1:1"})
        for n, info in enumerate(USER_INFO)
    ]
    settings = {"DOWNLOAD_HANDLERS": {"http": handler}} if handler else {}
    result = crawl(requests, reactor=reactor, settings=settings, may_warn=bool(handler))

    lines = result.lines("[scrapy_robots1994]")
    assert len(lines) >= len(requests)
    assert [line for line in lines if "hun" in line or "ter@s" in line] == []


def test_ours_31_answer_through_a_tunnel_may_be_that_of_a_proxy() -> None:
    """Ours 3.1: some proxies terminate TLS, so even through a tunnel, Retry-After does not prolong
    the refusal.
    """
    pages = [f"https://far.example/{number}" for number in (1, 2)]
    with Site(tls="valid") as site:
        unavailable = replies.status(503, Retry_After="9999")
        site.answer("/robots.txt", [unavailable, replies.status(404)])
        meta = {"proxy": site.url("").rstrip("/")}
        first, second = ([CrawlRequest(page, meta=meta)] for page in pages)
        result = crawl_over_time(first, 400, second)

    assert result.failed_urls == pages[:1]
    assert result.fetched_urls == pages[1:]


def test_failures_of_a_proxy_and_page_share_one_budget_of_retries(site: Site) -> None:
    """Ours 3.1: however many pages wait, robots.txt is requested RETRY_TIMES + 1 times."""
    meta = {"proxy": site.refused_url("").rstrip("/")}
    pages = [CrawlRequest(f"http://far.test/{number}", meta) for number in range(3)]
    settings = {"RETRY_ENABLED": True, "RETRY_TIMES": 4}
    result = crawl(pages, settings=settings)

    assert result.failed_urls == [it.url for it in pages]
    assert result.stats["robotstxt/request_count"] == 5
    assert "robots1994/retries" not in result.stats
