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
        for port in self.ports.split():
            for path in ("one", "two"):
                yield scrapy.Request(f"http://127.0.0.1:{port}/{path}")

    def parse(self, response):
        pass
"""


class Server(ThreadingHTTPServer):
    """A site with one robots.txt; *paths* has each path that was requested."""

    def __init__(self, robots: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.robots = robots
        self.paths: list[str] = []


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
    both = [Server(b"User-agent: *\nDisallow: %s\n" % it) for it in (b"/one", b"/two")]
    for server in both:
        Thread(target=server.serve_forever, daemon=True).start()
    yield both
    for server in both:
        server.shutdown()
        server.server_close()


@pytest.mark.long
def test_each_port_has_its_own_policy(tmp_path: Path, servers: list[Server]) -> None:
    """Each port has one fetch of robots.txt; the next crawl loads it from SQLite."""
    (tmp_path / "ports.py").write_text(SPIDER, "utf-8")
    ports = " ".join(str(server.server_port) for server in servers)
    command = [sys.executable, "-m", "scrapy", "runspider", "ports.py"]
    for times in (1, 2):
        done = subprocess.run(
            [*command, "-a", f"ports={ports}"],
            cwd=tmp_path,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=True,
            timeout=120,
        )
        for server, page in zip(servers, ("/two", "/one"), strict=True):
            assert sorted(server.paths) == sorted(["/robots.txt", *[page] * times])
        assert done.stderr.count('disallowed by line 2, "Disallow: /one"') >= 1
    assert (tmp_path / "robots.db").exists()
