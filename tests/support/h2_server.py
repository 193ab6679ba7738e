"""An HTTP/2 server: `python -m tests.support.h2_server FILE`.

FILE contains the private key and the certificate. If the folder of FILE contains a
robots.txt, the server sends this robots.txt instead of the default robots.txt. The server
prints its port, and then the path of each request, one per line.
"""

from __future__ import annotations

import asyncio
import ssl
import sys
from pathlib import Path

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import RequestReceived

FILE = (
    b"User-agent: *\nDisallow: /private\n" + b"# and more\n" * 10 + b"Disallow: /late\n"
)
PAGE = b"<title>page</title>"


class Pages(asyncio.Protocol):
    """A protocol that serves a robots.txt at /robots.txt, and a page at any other path."""

    def __init__(self, robots: bytes) -> None:
        """Create a protocol that serves *robots* at /robots.txt."""
        self._robots = robots

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the HTTP/2 connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connection = H2Connection(H2Configuration(client_side=False))
        self._connection.initiate_connection()
        transport.write(self._connection.data_to_send())

    def data_received(self, data: bytes) -> None:
        """Respond to every complete request."""
        for event in self._connection.receive_data(data):
            if isinstance(event, RequestReceived):
                path = dict(event.headers)[b":path"]
                print(path.decode("latin-1"), flush=True)  # noqa: T201 (tests read this line)
                body = self._robots if path == b"/robots.txt" else PAGE
                kind = ("content-type", "text/html")
                size = ("content-length", str(len(body)))
                self._connection.send_headers(
                    event.stream_id, [(":status", "200"), kind, size]
                )
                self._connection.send_data(event.stream_id, body, end_stream=True)
        self._transport.write(self._connection.data_to_send())


async def main(pem: str) -> None:
    """Listen on a free loopback port, print the port, and serve until the process is killed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    context.set_alpn_protocols(["h2"])
    loop = asyncio.get_running_loop()
    own = Path(pem).with_name("robots.txt")
    robots = own.read_bytes() if own.exists() else FILE
    server = await loop.create_server(
        lambda: Pages(robots), "127.0.0.1", 0, ssl=context
    )
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 (tests read this line)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
