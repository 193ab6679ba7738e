"""A crawl of two origins that differ only by port, on any system with loopback.

Nothing here needs `fork`, a signal or an address other than 127.0.0.1, so CI runs it on
macOS and Windows, too.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

SPIDER = """
import scrapy


class PortsSpider(scrapy.Spider):
    name = "ports"
    custom_settings = {
        "ADDONS": {"scrapy_robots1994.Addon": 500},
        "ROBOTS1994_STORE": "sqlite:///robots.db",
        "TELNETCONSOLE_ENABLED": False,
    }

    async def start(self):
        for url in self.urls.split():
            yield scrapy.Request(url, errback=self.refused)

    def parse(self, response):
        yield {"fetched": response.url}

    def refused(self, failure):
        yield {"refused": failure.request.url, "why": str(failure.value)}
"""


class Server(ThreadingHTTPServer):
    """A site with one robots.txt; *paths* has each path that was requested."""

    def __init__(self, robots: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.robots = robots
        self.paths: list[str] = []

    def url(self, path: str) -> str:
        """Return the URL of *path*."""
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class Handler(BaseHTTPRequestHandler):
    """A handler that answers robots.txt and every page."""

    server: Server

    def do_GET(self) -> None:
        """Record the path and answer it."""
        self.server.paths.append(self.path)
        body = self.server.robots if self.path == "/robots.txt" else b"a page"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@pytest.fixture
def servers() -> Iterator[list[Server]]:
    """Yield two origins with different rules."""
    robots = (b"/one", b"/two")
    both = [Server(b"User-agent: *\nDisallow: %s\n" % path) for path in robots]
    for server in both:
        Thread(target=server.serve_forever, daemon=True).start()
    yield both
    for server in both:
        server.shutdown()
        server.server_close()


def crawl(folder: Path, urls: list[str]) -> str:
    """Crawl *urls* with a spider in *folder*; return the log."""
    (folder / "ports.py").write_text(SPIDER, "utf-8")
    command = [sys.executable, "-m", "scrapy", "runspider", "ports.py"]
    done = subprocess.run(
        [*command, "-a", f"urls={' '.join(urls)}"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=True,
        timeout=120,
    )
    return done.stderr


@pytest.mark.long
def test_each_port_has_its_own_policy(tmp_path: Path, servers: list[Server]) -> None:
    """Each port has one fetch of robots.txt; the next crawl loads it from SQLite."""
    urls = [it.url(path) for it in servers for path in ("/one", "/two")]
    log = crawl(tmp_path, urls)
    one, two = servers
    assert sorted(one.paths) == ["/robots.txt", "/two"], log
    assert sorted(two.paths) == ["/one", "/robots.txt"], log
    assert log.count('disallowed by line 2, "Disallow: /one"') >= 1
    assert (tmp_path / "robots.db").exists()

    log = crawl(tmp_path, urls)
    assert sorted(one.paths) == ["/robots.txt", "/two", "/two"], log
    assert sorted(two.paths) == ["/one", "/one", "/robots.txt"], log
