"""An HTTP/2 server with TLS, on the event loop that all sites share."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tests.support.certificates import make_certificate
from tests.support.site import on_loop, tls_context

if TYPE_CHECKING:
    from collections.abc import Iterator

ROBOTS = (
    "User-agent: *\nDisallow: /private\n" + "# and more\n" * 10 + "Disallow: /late\n"
)
PAGE = b"<title>page</title>"


class Pages(asyncio.Protocol):
    """Serves *robots* at /robots.txt and a page elsewhere, and adds each path to *paths*."""

    def __init__(self, robots: bytes, paths: list[str]) -> None:
        self._robots, self._paths = robots, paths

    def connection_made(self, transport: Any) -> None:
        from h2.config import H2Configuration  # noqa: PLC0415 - h2 is optional
        from h2.connection import H2Connection  # noqa: PLC0415

        self._transport = transport
        self._connection = H2Connection(H2Configuration(client_side=False))
        self._connection.initiate_connection()
        transport.write(self._connection.data_to_send())

    def data_received(self, data: bytes) -> None:
        for event in self._connection.receive_data(data):
            if type(event).__name__ == "RequestReceived":
                path = dict(event.headers)[b":path"].decode("latin-1")
                self._paths.append(path)
                body = self._robots if path == "/robots.txt" else PAGE
                kind = ("content-type", "text/html")
                size = ("content-length", str(len(body)))
                self._connection.send_headers(
                    event.stream_id, [(":status", "200"), kind, size]
                )
                self._connection.send_data(event.stream_id, body, end_stream=True)
        self._transport.write(self._connection.data_to_send())


@contextmanager
def http2_site(robots: str = ROBOTS) -> Iterator[tuple[str, list[str]]]:
    """Run the server and yield its origin and a growing list of the requested paths."""
    context = tls_context("".join(make_certificate()))
    context.set_alpn_protocols(["h2"])
    paths: list[str] = []

    async def listen() -> asyncio.Server:
        loop = asyncio.get_running_loop()
        return await loop.create_server(
            lambda: Pages(robots.encode(), paths), "127.0.0.1", 0, ssl=context
        )

    async def close() -> None:
        server.close()

    server = on_loop(listen())
    try:
        yield f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}", paths
    finally:
        on_loop(close())
