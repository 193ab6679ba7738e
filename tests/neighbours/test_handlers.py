"""Download handlers that are not Scrapy's default: robots.txt comes by them as well."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import scrapy

from tests.support.certificates import make_certificate
from tests.support.crawl import ROOT, Ask, crawl

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.site import Site

CLOSED = "User-agent: *\nDisallow: /private\n"
ROOM = "scrapy.core.downloader.handlers"
VERSION = tuple(map(int, scrapy.__version__.split(".")[:2]))


@pytest.fixture
def h2_port(tmp_path: Path) -> Iterator[int]:
    """Start a server that speaks HTTP/2 over TLS, and yield its port."""
    pem = tmp_path / "both.pem"
    pem.write_text("".join(make_certificate()))
    command = [sys.executable, "-m", "tests.neighbours.h2_server", str(pem)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        yield int(server.stdout.readline())
        server.kill()


@pytest.mark.skipif(
    VERSION < (2, 16), reason="its own HTTP/2 fails with the pyOpenSSL of today"
)
def test_http2_of_scrapy(h2_port: int) -> None:
    """One refused, one fetched, and robots.txt itself came over HTTP/2."""
    url = f"https://127.0.0.1:{h2_port}"
    handler = {"https": f"{ROOM}.http2.H2DownloadHandler"}

    result = crawl(
        [f"{url}/open", f"{url}/private"], settings={"DOWNLOAD_HANDLERS": handler}
    )

    assert result.fetched_urls == [f"{url}/open"], result.log
    assert [failed.verdict and failed.verdict["line"] for failed in result.failed] == [
        2
    ]
    assert result.stats["robotstxt/response_status_count/200"] == 1


@pytest.mark.skipif(VERSION < (2, 15), reason="this Scrapy has no such handler")
def test_httpx_of_scrapy(site: Site) -> None:
    """On the asyncio reactor too, also for what is longer than we read (O24)."""
    site.robots(CLOSED + "# a long comment\n" * 1000)
    handler = f"{ROOM}._httpx.HttpxDownloadHandler"
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "ROBOTS1994_MAX_BYTES": 100,
    }

    result = crawl([site.url("/open"), site.url("/private")], settings=settings)

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    assert result.stats["robots1994/cut"] == 1


@pytest.mark.parametrize("propagated", [(), ("impersonate",)])
def test_scrapy_impersonate(propagated: tuple[str, ...], site: Site) -> None:
    """robots.txt is asked for by curl too where ROBOTS1994_PROPAGATE_META says so."""
    site.robots(CLOSED)
    handler = "scrapy_impersonate.ImpersonateDownloadHandler"
    settings: dict[str, Any] = {
        "DOWNLOAD_HANDLERS": {"http": handler, "https": handler},
        "ROBOTS1994_PROPAGATE_META": list(propagated),
    }
    asked = [
        Ask(site.url(path), meta={"impersonate": "chrome"})
        for path in ("/open", "/private")
    ]

    result = crawl(asked, settings=settings)

    assert result.fetched_urls == [site.url("/open")]
    assert result.failed_urls == [site.url("/private")]
    (robots,) = site.log("/robots.txt")
    assert ("sec-fetch-mode" in robots.headers) is bool(propagated)
