"""Every form of an address: which are checked, and as which origin."""

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

# By Scrapy's default resolver an IPv6 literal is not even an address. The setting has
# another name since 2.19, and the old one warns.
PREFIX = "TWISTED_" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else ""
IPV6 = {f"{PREFIX}DNS_RESOLVER": "scrapy.resolver.CachingHostnameResolver"}
CLOSED = "User-agent: *\nDisallow: /private\n"


@pytest.mark.parametrize("reactor", reactors())
def test_forms_of_a_host_are_checked(reactor: Reactor) -> None:
    """A name in its own script, a port, a user with a password, a dot at the end.

    None of the closed pages is asked for, and each origin is asked once. (What Scrapy
    makes of an open page with a password in its URL is another matter.)
    """
    with Site(ports=2) as site:
        site.robots(CLOSED)
        forms = [
            f"http://bücher.test:{site.port}",
            site.url("", port=1),
            f"http://me:secret@user.test:{site.port}",
            f"http://USER.test.:{site.port}",
        ]
        asked = [f"{form}{path}" for form in forms for path in ("/open", "/private")]
        result = crawl(asked, reactor=reactor)
        targets, robots = site.targets(), site.log("/robots.txt")

    fetched = {urlsplit(url).hostname for url in result.fetched_urls}
    assert fetched >= {"xn--bcher-kva.test", "127.0.0.1", "user.test."}
    assert len([failed for failed in result.failed if failed.verdict]) == len(forms)
    assert "/private" not in targets
    hosts = sorted(seen.host.partition(":")[0] for seen in robots)
    assert hosts == ["127.0.0.1", "user.test", "xn--bcher-kva.test"]
    assert not [seen for seen in robots if "authorization" in seen.headers]


@pytest.mark.parametrize("reactor", reactors())
def test_an_ipv6_literal_is_an_origin(reactor: Reactor) -> None:
    """With the resolver that Scrapy needs for IPv6, if it has a reactor."""
    with Site(ipv6=True) as site:
        site.robots(CLOSED)
        asked = [f"http://[::1]:{site.port}{path}" for path in ("/open", "/private")]
        result = crawl(asked, reactor=reactor, settings=IPV6)
        robots = site.log("/robots.txt")

    assert (result.fetched_urls, result.failed_urls) == ([asked[0]], [asked[1]])
    assert [seen.host for seen in robots] == [f"[::1]:{site.port}"]


@pytest.mark.parametrize("reactor", reactors())
def test_schemes_without_a_robots_txt_pass(reactor: Reactor, tmp_path: Path) -> None:
    """`file:`, `data:` and `s3:` are not HTTP, so no robots.txt is requested.

    A bucket is Amazon's, and its client a library that only this would need; so what
    answers for `s3:` pretends.
    """
    page = tmp_path / "private.html"
    page.write_text("<title>here</title>")
    pretending = "tests.components.parts.Pretending"
    asked = [
        page.as_uri(),
        "data:text/plain,private",
        "s3://bucket/private",
    ]

    result = crawl(
        asked,
        reactor=reactor,
        settings={"DOWNLOAD_HANDLERS": {"s3": pretending}},
    )

    assert result.fetched_urls == sorted(asked)
    assert "robotstxt/request_count" not in result.stats


@pytest.mark.parametrize("reactor", reactors())
def test_http_url_without_a_host_never_reaches_a_handler(reactor: Reactor) -> None:
    """What one client refuses, another may send to a host that no policy was read of."""
    asked = [
        "http:///far.test/private",
        "HTTPS:///far.test/robots.txt",
        "http://:80/private",
    ]
    pretending = "tests.components.parts.Pretending"

    result = crawl(
        asked,
        reactor=reactor,
        settings={"DOWNLOAD_HANDLERS": {"http": pretending, "https": pretending}},
    )

    assert result.fetched == []
    assert {failed.name for failed in result.failed} == {
        "scrapy.exceptions.NotSupported"
    }
    assert len(result.failed) == len(asked)


@pytest.fixture
def ftp_port(tmp_path: Path) -> Iterator[int]:
    """Start a server whose robots.txt closes the one page it has, and yield its port.

    That file says nothing: 1994 knows of none but that of HTTP.
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
def test_ftp_passes_on_a_host_whose_http_is_closed(
    reactor: Reactor, site: Site, ftp_port: int
) -> None:
    """A real FTP server of the same name; Scrapy's handler needs a reactor."""
    site.robots(CLOSED)
    closed = site.url("/private/page", host="far.test")
    passing = f"ftp://far.test:{ftp_port}/private/page"

    result = crawl([closed, passing], reactor=reactor)

    assert result.fetched == [(passing, 200)]
    assert result.failed_urls == [closed]
    assert result.stats["robotstxt/request_count"] == 1
    assert site.targets() == ["/robots.txt"]
