"""Forms of URLs: which are checked, and as which origin."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from scrapy.settings import default_settings

from tests.support.crawl import ROOT, Reactor, crawl, reactors
from tests.support.site import Site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Scrapy's default resolver does not accept IPv6 literals. The setting was renamed in
# Scrapy 2.19, and the old name causes a warning.
PREFIX = "TWISTED_" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else ""
IPV6 = {f"{PREFIX}DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver"}
CLOSED = "User-agent: *\nDisallow: /private\n"


@pytest.mark.parametrize("reactor", reactors())
def test_forms_of_a_host_are_checked(reactor: Reactor) -> None:
    """A Unicode name, a port, a user with a password, and a trailing dot.

    No disallowed page is requested, and each origin's robots.txt is requested once.
    Scrapy versions differ in how they fetch a page with a password in its URL.
    """
    with Site(ports=2) as site:
        site.robots(CLOSED)
        forms = [
            f"http://bücher.test:{site.port}",
            site.url("", port=1),
            f"http://me:secret@user.test:{site.port}",
            f"http://USER.test.:{site.port}",
        ]
        urls = [f"{form}{path}" for form in forms for path in ("/open", "/private")]
        result = crawl(urls, reactor=reactor)
        targets, robots = site.targets(), site.log("/robots.txt")

    fetched = {urlsplit(url).hostname for url in result.fetched_urls}
    assert fetched >= {"xn--bcher-kva.test", "127.0.0.1", "user.test."}
    assert len([failed for failed in result.failed if failed.verdict]) == len(forms)
    assert "/private" not in targets
    hosts = sorted(seen.host.partition(":")[0] for seen in robots)
    assert hosts == ["127.0.0.1", "user.test", "xn--bcher-kva.test"]
    assert not [seen for seen in robots if "authorization" in seen.headers]


@pytest.mark.parametrize("reactor", reactors())
def test_ipv6_literal_is_an_origin(reactor: Reactor) -> None:
    """With the resolver that Scrapy needs for IPv6."""
    with Site(ipv6=True) as site:
        site.robots(CLOSED)
        urls = [f"http://[::1]:{site.port}{path}" for path in ("/open", "/private")]
        result = crawl(urls, reactor=reactor, settings=IPV6)
        robots = site.log("/robots.txt")

    assert (result.fetched_urls, result.failed_urls) == ([urls[0]], [urls[1]])
    assert [seen.host for seen in robots] == [f"[::1]:{site.port}"]


@pytest.mark.parametrize("reactor", reactors())
def test_schemes_without_a_robots_txt_pass(reactor: Reactor, tmp_path: Path) -> None:
    """`file:`, `data:` and `s3:` are not HTTP, so no robots.txt is requested.

    A fake handler stands in for `s3:`, which would need a bucket and a client library.
    """
    page = tmp_path / "private.html"
    page.write_text("<title>here</title>")
    handler = "tests.components.parts.FakeHandler"
    urls = [
        page.as_uri(),
        "data:text/plain,private",
        "s3://bucket/private",
    ]

    result = crawl(
        urls,
        reactor=reactor,
        settings={"DOWNLOAD_HANDLERS": {"s3": handler}},
    )

    assert result.fetched_urls == sorted(urls)
    assert "robotstxt/request_count" not in result.stats


@pytest.mark.parametrize("reactor", reactors())
def test_http_url_without_a_host_never_reaches_a_handler(reactor: Reactor) -> None:
    """Some HTTP clients would send it to a host whose policy was not read."""
    urls = [
        "http:///far.test/private",
        "HTTPS:///far.test/robots.txt",
        "http://:80/private",
    ]
    handler = "tests.components.parts.FakeHandler"

    result = crawl(
        urls,
        reactor=reactor,
        settings={"DOWNLOAD_HANDLERS": {"http": handler, "https": handler}},
    )

    assert result.fetched == []
    assert {failed.name for failed in result.failed} == {
        "scrapy.exceptions.NotSupported"
    }
    assert len(result.failed) == len(urls)


@pytest.fixture
def ftp_port(tmp_path: Path) -> Iterator[int]:
    """Start a server whose robots.txt disallows its only page, and yield its port.

    The file has no effect: in 1994, robots.txt applies to HTTP only.
    """
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "page").write_text("by ftp")
    (tmp_path / "robots.txt").write_text(CLOSED)
    command = [sys.executable, "-m", "tests.components.ftp_server", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


@pytest.mark.parametrize("reactor", [it for it in reactors() if it != "none"])
def test_ftp_url_passes_on_a_host_that_disallows_http(
    reactor: Reactor, site: Site, ftp_port: int
) -> None:
    """With a real FTP server on the same host; Scrapy's FTP handler needs a reactor."""
    site.robots(CLOSED)
    closed = site.url("/private/page", host="far.test")
    passing = f"ftp://far.test:{ftp_port}/private/page"

    result = crawl([closed, passing], reactor=reactor)

    assert result.fetched == [(passing, 200)]
    assert result.failed_urls == [closed]
    assert result.stats["robotstxt/request_count"] == 1
    assert site.targets() == ["/robots.txt"]
