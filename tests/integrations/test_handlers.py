"""Crawls with other download handlers than Scrapy's default."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import scrapy

from tests.support.certificates import make_certificate
from tests.support.crawl import ROOT, CrawlRequest, crawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.crawl import CrawlResult
    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /private\n"
MODULE = "scrapy.core.downloader.handlers"
VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))
WITH_CURRENT_HTTP2 = pytest.mark.skipif(
    VERSION < (2, 16), reason="its HTTP/2 fails with current pyOpenSSL"
)
IMPERSONATING = "scrapy_impersonate.ImpersonateDownloadHandler"


def impersonate(site: Site, *paths: str, **settings: Any) -> CrawlResult:
    """Crawl *paths* with scrapy-impersonate as Chrome."""
    requests = [
        CrawlRequest(site.url(path), meta={"impersonate": "chrome"}) for path in paths
    ]
    handlers = {"http": IMPERSONATING, "https": IMPERSONATING}
    return crawl(requests, settings={"DOWNLOAD_HANDLERS": handlers} | settings)


@pytest.fixture
def h2_port(tmp_path: Path) -> Iterator[int]:
    """Start a server that speaks HTTP/2 over TLS, and yield its port."""
    pem = tmp_path / "both.pem"
    pem.write_text("".join(make_certificate()))
    command = [sys.executable, "-m", "tests.integrations.h2_server", str(pem)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.kill()


@WITH_CURRENT_HTTP2
def test_http2_handler_obeys_robots_txt(h2_port: int) -> None:
    """The handler fetches robots.txt, too."""
    url = f"https://127.0.0.1:{h2_port}"
    handler = {"https": f"{MODULE}.http2.H2DownloadHandler"}

    result = crawl(
        [f"{url}/open", f"{url}/private"], settings={"DOWNLOAD_HANDLERS": handler}
    )

    assert result.fetched_urls == [f"{url}/open"], result.log
    assert [failed.verdict and failed.verdict["line"] for failed in result.failed] == [
        2
    ]
    assert result.stats["robotstxt/response_status_count/200"] == 1


@WITH_CURRENT_HTTP2
@pytest.mark.parametrize("is_truncated", [False, True])
def test_http2_file_is_truncated_at_the_limit(
    h2_port: int, *, is_truncated: bool
) -> None:
    """HTTP/2 downloads the whole file; only the lines before the limit are obeyed."""
    url = f"https://127.0.0.1:{h2_port}"
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": {"https": f"{MODULE}.http2.H2DownloadHandler"}
    } | ({"ROBOTS1994_MAX_BYTES": 100} if is_truncated else {})

    result = crawl([f"{url}/private", f"{url}/late"], settings=settings)

    assert result.fetched_urls == ([f"{url}/late"] if is_truncated else [])
    assert f"{url}/private" in result.failed_urls
    assert result.stats.get("robots1994/truncated") == (1 if is_truncated else None)


@pytest.mark.skipif(VERSION < (2, 15), reason="this Scrapy has no such handler")
def test_httpx_handler_obeys_a_truncated_file(site: Site) -> None:
    """The complete lines before the limit count (O24)."""
    site.robots(CLOSED + "# a long comment\n" * 1000)
    handler = f"{MODULE}._httpx.HttpxDownloadHandler"
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "ROBOTS1994_MAX_BYTES": 100,
    }

    result = crawl([site.url("/open"), site.url("/private")], settings=settings)

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    assert result.stats["robots1994/truncated"] == 1


@pytest.mark.skipif(VERSION < (2, 19), reason="older versions may not support proxies")
def test_httpx_fetches_five_robots_txt_files_through_a_proxy_at_once(
    site: Site,
) -> None:
    """Although CONCURRENT_REQUESTS = 1 leaves pages one connection to the proxy."""
    site.robots(CLOSED, gate="all")
    site.open_when("all", "/robots.txt", count=5)
    pages = [
        CrawlRequest(site.url("/open", host=f"{n}.test"), meta={"proxy": site.url("")})
        for n in range(5)
    ]
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": {"http": f"{MODULE}._httpx.HttpxDownloadHandler"},
        "CONCURRENT_REQUESTS": 1,
        "ROBOTS1994_TIMEOUT": 10,
    }

    result = crawl(pages, settings=settings)

    assert result.failed == []
    assert len(result.fetched) == len(pages)


@pytest.mark.parametrize("propagated", [(), ("impersonate",)])
def test_scrapy_impersonate_fetches_robots_txt_if_configured(
    propagated: tuple[str, ...], site: Site
) -> None:
    """ROBOTS1994_PROPAGATE_META decides whether curl also requests robots.txt."""
    site.robots(CLOSED)

    result = impersonate(
        site,
        "/open",
        "/private",
        ROBOTS1994_PROPAGATE_META=list(propagated),
        USER_AGENT="walker/1.0",
    )

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    robots, page = site.log()
    assert (robots.target, page.target) == ("/robots.txt", "/open")
    assert "sec-fetch-mode" in page.headers
    assert ("sec-fetch-mode" in robots.headers) is bool(propagated)
    agents = {seen.headers["user-agent"] for seen in (robots, page)}
    assert agents == {"walker/1.0"}


def test_scrapy_impersonate_with_the_user_agent_of_a_browser(site: Site) -> None:
    """Without USER_AGENT the page is requested as Chrome, which no record names.

    ROBOTSTXT_USER_AGENT selects the record. Scrapy itself requests robots.txt.
    """
    site.robots(
        "User-agent: walker\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n"
    )

    unnamed = impersonate(site, "/open", USER_AGENT="")
    site.forget()
    result = impersonate(
        site, "/open", "/private", USER_AGENT="", ROBOTSTXT_USER_AGENT="walker"
    )

    assert unnamed.failed_urls == [site.url("/open")]
    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    robots, page = site.log()
    assert "Chrome/" in page.headers["user-agent"]
    assert "Chrome/" not in robots.headers.get("user-agent", "")


def test_scrapy_impersonate_file_is_truncated_at_the_limit(site: Site) -> None:
    """Curl downloads the whole robots.txt before it is truncated (O24)."""
    site.robots(CLOSED + "# a long comment\n" * 1000 + "Disallow: /late\n")

    result = impersonate(
        site,
        "/late",
        "/private",
        ROBOTS1994_PROPAGATE_META=["impersonate"],
        ROBOTS1994_MAX_BYTES=100,
    )

    assert result.fetched_urls == [site.url("/late")]
    assert result.failed_urls == [site.url("/private")]
    assert result.stats["robots1994/truncated"] == 1
