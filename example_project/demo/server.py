"""A small web server in one thread: several origins on loopback, one per port."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

RESET = struct.pack("ii", 1, 0)
"""With this value of SO_LINGER, `close` resets the connection."""


@dataclass(frozen=True, slots=True)
class Response:
    """If *pause* is not 0, the second half of the body is sent that many seconds after the first.

    If *reset* is true, nothing is sent, and the connection is reset.
    """

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    pause: float = 0.0
    reset: bool = False


def text(body: str, status: int = 200) -> Response:
    return Response(status, body.encode(), (("Content-Type", "text/plain"),))


def html(body: str) -> Response:
    return Response(200, body.encode(), (("Content-Type", "text/html"),))


@dataclass(frozen=True, slots=True)
class Received:
    origin: str
    target: str
    at: float

    @property
    def url(self) -> str:
        return self.origin + self.target


class LocalSites:
    """Serves *number* origins inside its `with` block.

    Unless `respond` sets another response, /robots.txt gets a 404, and any other path an empty
    page.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._loop = asyncio.new_event_loop()
        self._responses: dict[tuple[str, str], Response] = {}
        self.received: list[Received] = []
        self.origins: list[str] = []

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        for _ in range(self._number):
            opened = asyncio.run_coroutine_threadsafe(self._listen(), self._loop)
            self.origins.append(opened.result())
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def respond(self, origin: str, path: str, response: Response) -> None:
        """From now on, answer requests for *path* with *response*, whatever their query."""
        self._responses[origin, path] = response

    async def _listen(self) -> str:
        origin = ""

        async def serve(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            with contextlib.suppress(OSError, EOFError):
                while await self._serve_one(origin, reader, writer):
                    pass
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        return origin

    async def _close(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve_one(
        self, origin: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request and return whether the connection stays open."""
        head = await reader.readuntil(b"\r\n\r\n")
        target = head.split(b" ", 2)[1].decode("latin-1")
        self.received.append(Received(origin, target, time.monotonic()))
        response = self._response(origin, target.partition("?")[0])
        if response.reset:
            writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, RESET
            )
            writer.transport.abort()
            return False
        half = len(response.body) // 2 if response.pause else 0
        writer.write(_head(response) + response.body[:half])
        await writer.drain()
        await asyncio.sleep(response.pause)
        writer.write(response.body[half:])
        await writer.drain()
        return True

    def _response(self, origin: str, path: str) -> Response:
        missing = Response(404) if path == "/robots.txt" else html("")
        return self._responses.get((origin, path), missing)


def _head(response: Response) -> bytes:
    length = ("Content-Length", str(len(response.body)))
    lines = [f"{name}: {value}" for name, value in (*response.headers, length)]
    return "\r\n".join([f"HTTP/1.1 {response.status} x", *lines, "", ""]).encode()
