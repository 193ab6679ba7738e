"""A web server with little overhead: `python -m tools.bench.server [CORPUS]`.

The name of a host decides which file of the corpus is its robots.txt. If the name begins with
`slow-5-`, for example, robots.txt is sent after 5 seconds. For any other path, the server sends a
small page. It prints its port when it is ready, and ends when stdin closes.
"""

from __future__ import annotations

import asyncio
import sys
import zlib
from typing import Any

from tools.bench.corpus import read_corpus

PAGE = b"<html><head><title>page</title></head><body><p>A page.</p></body></html>"
OPEN = b"User-agent: *\nDisallow: /private/\nDisallow: /tmp/\n"


class ServerProtocol(asyncio.Protocol):
    """Supports only requests without a body."""

    bodies: tuple[bytes, ...] = (OPEN,)

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self._unread = b""

    def data_received(self, data: bytes) -> None:
        *heads, self._unread = (self._unread + data).split(b"\r\n\r\n")
        for head in heads:
            first, _, fields = head.partition(b"\r\n")
            host = fields.lower().partition(b"host:")[2].partition(b"\r\n")[0].strip()
            target = first.split(b" ")[1]
            if target != b"/robots.txt":
                self.send(PAGE, b"text/html")
                continue
            body = self.robots(host)
            delay = int(host.split(b"-")[1]) if host.startswith(b"slow-") else 0
            if delay:
                loop = asyncio.get_running_loop()
                loop.call_later(delay, self.send, body, b"text/plain")
            else:
                self.send(body, b"text/plain")

    def robots(self, host: bytes) -> bytes:
        name = host.partition(b":")[0]
        return self.bodies[zlib.crc32(name) % len(self.bodies)]

    def send(self, body: bytes, kind: bytes) -> None:
        if not self.transport.is_closing():
            head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
            self.transport.write(head % (kind, len(body)) + body)


async def main(corpus: str) -> None:
    """*corpus* is a folder, a tar archive, "made" (generated files), or "" (`OPEN` everywhere)."""
    if corpus:
        # Crawling a host that disallows everything would measure nothing.
        files = read_corpus("" if corpus == "made" else corpus)
        ServerProtocol.bodies = tuple(
            body for body in files if b"Disallow: /\n" not in body
        )
    loop = asyncio.get_running_loop()
    server = await loop.create_server(ServerProtocol, "127.0.0.1", 0, backlog=1_024)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201 - program output
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main("".join(sys.argv[1:2])))
