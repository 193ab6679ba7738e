"""The way of a page: what its robots.txt request takes over, also after a redirect."""

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


def way(**meta: Any) -> RequestContext:
    """The way of a page that HttpProxyMiddleware has seen before."""
    return RequestContext.from_request(
        Request("http://a.test/", headers=SENT, meta=meta), ()
    )


def test_the_credentials_of_a_proxy_go_along_once_they_left_its_url() -> None:
    """A page on its second way through has them in a header and a mark."""
    found = way(proxy=PROXY, _auth_proxy=PROXY)

    assert found.meta == {"proxy": PROXY, "_auth_proxy": PROXY}
    assert found.proxy_authorization == b"Basic dTpw"


def test_a_header_that_belongs_to_no_proxy_stays_with_its_page() -> None:
    """Without the mark nothing says whose credentials they are."""
    assert way(proxy=PROXY).proxy_authorization is None


@pytest.mark.parametrize(
    ("url", "goes_along"), [("http://b.test/", True), ("https://b.test/", False)]
)
def test_a_proxy_of_the_environment_is_that_of_one_scheme(
    url: str, *, goes_along: bool
) -> None:
    """As with Scrapy's redirects: by another scheme it is looked up anew."""
    found = way(proxy=PROXY, _auth_proxy=PROXY, _scheme_proxy=True).for_url(url)

    assert ("proxy" in found.meta) is goes_along
    assert (found.proxy_authorization is not None) is goes_along


def test_a_proxy_that_a_page_names_goes_along_by_any_scheme() -> None:
    """The user chose it for the request, whatever it is redirected to."""
    found = way(proxy=PROXY, _auth_proxy=PROXY)

    assert found.for_url("https://b.test/") is found


def test_a_proxys_407_says_nothing_of_the_origin() -> None:
    """Ours R7: the proxy refused us; the page fails with that, and is not requested."""
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


def test_a_407_without_a_proxy_says_nothing_of_the_origin_either() -> None:
    """Ours R7: some proxy on the way wrote it, for no origin may."""
    with Site() as site:
        site.answer("/robots.txt", replies.status(407))
        result = crawl([site.url("/page")])

        assert site.targets() == ["/robots.txt"]

    (failed,) = result.failed
    assert failed.verdict is None
    assert failed.name.endswith("ConnectionRefusedError")
