"""Log the requests to a scripted site and send the scripted replies."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
import struct
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.support.replies import UNDECLARED, Reply

RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that the server received.

    `host` is the Host header, or the host and port in the target of a request to a proxy. `at` is
    the time in seconds, from `time.monotonic`.
    """

    method: str
    scheme: str
    host: str
    target: str
    headers: dict[str, str]
    proxied: bool
    at: float
    peer: str
    port: int


class Script:
    def __init__(self) -> None:
        self.replies: dict[tuple[str, str], list[Reply]] = {}
        self.log: list[Seen] = []
        self.changed = asyncio.Condition()
        self.gates: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.tasks: set[asyncio.Task[None]] = set()

    def note_task(self) -> None:
        """Have the current task cancelled when the site closes."""
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def reply_to(self, seen: Seen) -> Reply:
        """Prefer the most specific origin that matches, then the most specific target."""
        origin = f"{seen.scheme}://{seen.host}"
        name = urlsplit(origin).hostname or ""
        path = seen.target.partition("?")[0]
        for at, target in itertools.product(
            (origin, seen.host, name, "*"), (seen.target, path, "*")
        ):
            left = self.replies.get((at, target))
            if left:
                return left.pop(0) if len(left) > 1 else left[0]
        if path == "/robots.txt":
            return Reply(404, b"no such file")
        body = f"<html><title>{seen.host}</title></html>".encode()
        return Reply(200, body, (("Content-Type", "text/html"),))

    async def note(self, seen: Seen) -> None:
        async with self.changed:
            self.log.append(seen)
            self.changed.notify_all()

    async def wait(self, target: str, host: str, count: int) -> None:
        def arrived() -> bool:
            return count <= sum(
                target in ("*", seen.target)
                and host in ("*", seen.host, seen.host.partition(":")[0])
                for seen in self.log
            )

        async with self.changed:
            await self.changed.wait_for(arrived)

    def open(self, gate: str) -> None:
        # Only the loop may look up a gate: two threads at once might each make one.
        self.gates[gate].set()

    async def open_when(self, gate: str, target: str, host: str, count: int) -> None:
        self.note_task()
        await self.wait(target, host, count)
        self.open(gate)


class Connections:
    """Answers requests as *script* says. A CONNECT to any host opens a tunnel to *tls_port*."""

    def __init__(self, script: Script, tls_port: Callable[[], int]) -> None:
        self.script = script
        self._tls_port = tls_port

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.script.note_task()
        try:
            with contextlib.suppress(
                OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError
            ):
                await self._converse(reader, writer)
            writer.close()
        finally:
            if not writer.is_closing():  # cancelled, because the site closes
                writer.transport.abort()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            seen = _seen(head, writer)
            if seen.method == "CONNECT":
                await self._tunnel(reader, writer)
                break
            await reader.readexactly(int(seen.headers.get("content-length", 0)))
            await self.script.note(seen)
            if not await self._play(self.script.reply_to(seen), seen, writer):
                break

    async def _tunnel(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        inner, outer = await asyncio.open_connection("127.0.0.1", self._tls_port())
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(_pass_on(reader, outer), _pass_on(inner, writer))

    async def _play(
        self, reply: Reply, seen: Seen, writer: asyncio.StreamWriter
    ) -> bool:
        """Send one reply and return whether the connection stays open."""
        if reply.gate:
            await self.script.gates[reply.gate].wait()
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.head or reply.raw:
            writer.write(b"" if reply.raw else _head(reply))
            if seen.method != "HEAD":
                await _send_body(reply, writer)
            await writer.drain()
        if reply.ending == "hang":
            await asyncio.Event().wait()
        if reply.ending == "reset":
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
            writer.transport.abort()
        return reply.ending == "keep"


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(2**16):
        writer.write(piece)
        await writer.drain()
    writer.close()


def _seen(head: bytes, writer: asyncio.StreamWriter) -> Seen:
    first, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    pairs = [line.partition(":")[::2] for line in rest]
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    host = headers.get("host", "")
    proxied = target.startswith("http://")
    # RFC 9112 3.2.2: a proxy gets the whole URL.
    if proxied:
        _, _, host, target = target.split("/", 3)
        target = f"/{target}"
    return Seen(
        method=method,
        scheme="https" if writer.get_extra_info("ssl_object") else "http",
        host=host,
        target=target,
        headers=headers,
        proxied=proxied,
        at=time.monotonic(),
        peer=writer.get_extra_info("peername")[0],
        port=writer.get_extra_info("sockname")[1],
    )


def _head(reply: Reply) -> bytes:
    length = len(reply.body) if reply.length is None else reply.length
    lines = [f"HTTP/1.1 {reply.status} Scripted"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    if length != UNDECLARED:
        lines.append(f"Content-Length: {length}")
    if reply.ending != "keep":
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _send_body(reply: Reply, writer: asyncio.StreamWriter) -> None:
    while True:
        for start in range(0, len(reply.body), reply.chunk):
            writer.write(reply.body[start : start + reply.chunk])
            await writer.drain()
            if reply.pause:
                await asyncio.sleep(reply.pause)
        if not reply.is_endless:
            break
