"""A server in a thread, for tests that run on every system with loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class Server(ThreadingHTTPServer):
    """A site with one robots.txt. The list *paths* contains each requested path."""

    def __init__(self, robots: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.robots = robots
        self.paths: list[str] = []


class Handler(BaseHTTPRequestHandler):
    """A handler that answers requests for robots.txt and for every page."""

    server: Server

    def do_GET(self) -> None:
        """Record the path, and answer the request."""
        self.server.paths.append(self.path)
        body = self.server.robots if self.path == "/robots.txt" else b"a page"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serving(robots: bytes) -> Iterator[Server]:
    """Serve *robots* while the `with` block runs, and yield the server."""
    server = Server(robots)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
