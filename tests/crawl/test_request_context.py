"""`RequestContext`: what a robots.txt request inherits from its page."""

from __future__ import annotations

from typing import Any

import pytest
from scrapy import Request

from scrapy_robots1994.crawl.requests import RequestContext
from tests.support import replies
from tests.support.crawl import CrawlRequest, crawl
from tests.support.site import Site

PROXY = "http://proxy.test:3128"
SENT = {"Proxy-Authorization": "Basic dTpw"}


def context_of(**meta: Any) -> RequestContext:
    """Return the context of a page that HttpProxyMiddleware has processed."""
    return RequestContext.from_request(
        Request("http://a.test/", headers=SENT, meta=meta), ()
    )


def test_proxy_credentials_in_the_header_are_inherited() -> None:
    """A page that was already processed has them in a header, and a mark in the meta."""
    context = context_of(proxy=PROXY, _auth_proxy=PROXY)

    assert context.meta == {"proxy": PROXY, "_auth_proxy": PROXY}
    assert context.proxy_authorization == b"Basic dTpw"


def test_proxy_header_without_the_mark_is_not_inherited() -> None:
    """Without the mark, the credentials may belong to another proxy."""
    assert context_of(proxy=PROXY).proxy_authorization is None


@pytest.mark.parametrize(
    ("url", "is_inherited"), [("http://b.test/", True), ("https://b.test/", False)]
)
def test_environment_proxy_applies_to_one_scheme(
    url: str, *, is_inherited: bool
) -> None:
    """As in Scrapy's redirects, the proxy for another scheme is looked up again."""
    context = context_of(proxy=PROXY, _auth_proxy=PROXY, _scheme_proxy=True).for_url(
        url
    )

    assert ("proxy" in context.meta) is is_inherited
    assert (context.proxy_authorization is not None) is is_inherited


def test_explicit_proxy_applies_to_any_scheme() -> None:
    """The user chose the proxy for the request, whatever it is redirected to."""
    context = context_of(proxy=PROXY, _auth_proxy=PROXY)

    assert context.for_url("https://b.test/") is context


def test_407_of_a_proxy_is_a_local_fault() -> None:
    """Ours R7: the proxy refused our credentials; the page fails with that error."""
    with Site() as proxy:
        proxy.answer("/robots.txt", replies.status(407))
        meta = {"proxy": proxy.url("").rstrip("/")}
        result = crawl([CrawlRequest("http://far.example/page", meta=meta)])

    assert result.fetched == []
    (failed,) = result.failed
    assert failed.verdict is None
    assert failed.name.endswith("ConnectionRefusedError")
    assert "the proxy refused our credentials" in failed.message
    assert result.stats["robots1994/local_faults"] == 1


def test_407_without_a_proxy_is_a_local_fault() -> None:
    """Ours R7: an unknown proxy sent it, because an origin must not."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(407))
        result = crawl([site.url("/page")])

        assert site.targets() == ["/robots.txt"]

    (failed,) = result.failed
    assert failed.verdict is None
    assert failed.name.endswith("ConnectionRefusedError")
