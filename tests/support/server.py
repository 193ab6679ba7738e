"""The scripted HTTP server, which runs in its own process.

The server listens only on loopback. When the server is ready, it prints one line of
JSON with its ports. The server reads commands as lines of JSON on its control port. The
server ends when its stdin closes, so no server remains after a test.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import ssl
import struct
import sys
import tempfile
import time
from collections import defaultdict
from typing import Any
from urllib.parse import urlsplit

from tests.support.certificates import make_certificate
from tests.support.replies import UNDECLARED, Reply

RESET_ON_CLOSE = struct.pack("ii", 1, 0)
HALF = 2
"""The number of words before the version in a request line: the method and the target."""


class Script:
    """The scripted replies, the logged requests, and the gates."""

    def __init__(self) -> None:
        """Create an empty script."""
        self.replies: dict[tuple[str, str], list[Reply]] = {}
        self.log: list[dict[str, Any]] = []
        self.changed = asyncio.Condition()
        self.gates: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.opening: list[dict[str, Any]] = []

    def reply_to(self, seen: dict[str, Any]) -> Reply:
        """Return the reply for a request.

        If several scripts match, the script with the most exact origin is used. Of
        several scripts with equally exact origins, the script with the most exact
        target is used.
        """
        origin, host = f"{seen['scheme']}://{seen['host']}", seen["host"]
        name = urlsplit(origin).hostname or ""
        path = seen["target"].partition("?")[0]
        for at, target in itertools.product(
            (origin, host, name, "*"), (seen["target"], path, "*")
        ):
            left = self.replies.get((at, target))
            if left:
                return left.pop(0) if len(left) > 1 else left[0]
        if path == "/robots.txt":
            return Reply(404, b"no such file")
        body = f"<html><title>{host}</title></html>".encode()
        return Reply(200, body, (("Content-Type", "text/html"),))

    async def note(self, seen: dict[str, Any]) -> None:
        """Log a request, open the gates that are due, and notify all waiting commands."""
        async with self.changed:
            self.log.append(seen)
            self.open_due()
            self.changed.notify_all()

    def open_due(self) -> None:
        """Open the gates whose requests have all arrived."""
        for order in self.opening:
            if self.count(order) >= order["count"]:
                self.gates[order["gate"]].set()

    def count(self, order: dict[str, Any]) -> int:
        """Return how many logged requests have the target and host in the command
        *order*.
        """
        return sum(
            order["target"] in ("*", seen["target"])
            and order["host"] in ("*", seen["host"], seen["host"].partition(":")[0])
            for seen in self.log
        )

    async def execute(self, order: dict[str, Any]) -> object:
        """Execute the command *order* of the test, and return the result of the
        command.
        """
        match order["do"]:
            case "answer":
                replies = [Reply.from_json(packed) for packed in order["replies"]]
                self.replies[order["at"], order["target"]] = replies
            case "open":
                self.gates[order["gate"]].set()
            case "open-when":
                self.opening.append(order)
                self.open_due()
            case "wait":
                async with self.changed:
                    await self.changed.wait_for(
                        lambda: self.count(order) >= order["count"]
                    )
            case "log":
                return self.log
            case "forget":
                self.log.clear()
        return None


class Server:
    """The connection handlers of the server, which read requests and send the replies of a
    script.
    """

    def __init__(self, script: Script) -> None:
        """Create a server that sends the replies of *script*."""
        self.script = script
        self.tls_port = 0

    async def control(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Execute the command in each line, and send one line in reply."""
        while line := await reader.readline():
            answer = await self.script.execute(json.loads(line))
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer the requests of one connection until either side closes the connection."""
        with contextlib.suppress(
            OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError
        ):
            while head := await reader.readuntil(b"\r\n\r\n"):
                seen = _seen(head, writer)
                if seen["method"] == "CONNECT":
                    await self.tunnel(reader, writer)
                    break
                length = dict(seen["headers"]).get("content-length", 0)
                await reader.readexactly(int(length))
                await self.script.note(seen)
                if not await self.play(self.script.reply_to(seen), seen, writer):
                    break
        writer.close()

    async def tunnel(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Connect the client to the TLS port of this server, as a proxy does.

        The host in the CONNECT request is ignored.
        """
        inner, outer = await asyncio.open_connection("127.0.0.1", self.tls_port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(_pass_on(reader, outer), _pass_on(inner, writer))

    async def play(
        self, reply: Reply, seen: dict[str, Any], writer: asyncio.StreamWriter
    ) -> bool:
        """Send one reply, and return whether the connection stays open."""
        if reply.gate:
            await self.script.gates[reply.gate].wait()
        if reply.delay:
            await asyncio.sleep(reply.delay)
        if reply.head or reply.raw:
            writer.write(b"" if reply.raw else _head(reply))
            if seen["method"] != "HEAD":
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
    """Copy all bytes from *reader* to *writer*."""
    while piece := await reader.read(2**16):
        writer.write(piece)
        await writer.drain()
    writer.close()


def _seen(head: bytes, writer: asyncio.StreamWriter) -> dict[str, Any]:
    """Return the log entry of a request.

    If the request target is a whole URL, the client sent the request to this server as a
    proxy.
    """
    first, *rest = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, target = first.split(" ")[:HALF]
    pairs = [line.partition(":")[::2] for line in rest]
    headers = [(name.strip().lower(), value.strip()) for name, value in pairs]
    scheme = "https" if writer.get_extra_info("ssl_object") else "http"
    host = dict(headers).get("host", "")
    proxied = target.startswith("http://")
    if proxied:
        _, _, host, target = target.split("/", 3)
        target = f"/{target}"
    return {
        "method": method,
        "scheme": scheme,
        "host": host,
        "target": target,
        "headers": headers,
        "proxied": proxied,
        "at": time.monotonic(),
        "peer": writer.get_extra_info("peername")[0],
        "port": writer.get_extra_info("sockname")[1],
    }


def _head(reply: Reply) -> bytes:
    """Return the bytes before the body: the status line, the headers, and the blank line."""
    length = len(reply.body) * reply.repeat if reply.length is None else reply.length
    lines = [f"HTTP/1.1 {reply.status} Scripted"]
    lines += [f"{name}: {value}" for name, value in reply.headers]
    if length != UNDECLARED:
        lines.append(f"Content-Length: {length}")
    if reply.ending != "keep":
        lines.append("Connection: close")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _send_body(reply: Reply, writer: asyncio.StreamWriter) -> None:
    """Send the body of a reply as often as the reply says. If the reply has a `cut`, send
    only the first bytes.
    """
    body = reply.body if reply.cut is None else reply.body[: reply.cut]
    times = range(reply.repeat) if reply.repeat else itertools.count()
    for part in (body for _ in times):
        for start in range(0, len(part), reply.chunk):
            writer.write(part[start : start + reply.chunk])
            await writer.drain()
            if reply.pause:
                await asyncio.sleep(reply.pause)


async def main(order: dict[str, Any]) -> None:
    """Listen as *order* says, print the ports, and run until stdin closes."""
    server = Server(Script())
    refusing = socket.socket()
    refusing.bind(("127.0.0.1", 0))
    ready: dict[str, Any] = {"refused": refusing.getsockname()[1], "http": []}
    for _ in range(order["ports"]):
        listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
        ready["http"].append(listening.sockets[0].getsockname()[1])
    for number in range(order["addresses"]):
        address = f"127.1.{number // 200}.{number % 200 + 1}"
        await asyncio.start_server(server.serve, address, ready["http"][0])
    if order["ipv6"]:
        await asyncio.start_server(server.serve, "::1", ready["http"][0])
    if order["tls"]:
        private, certificate = make_certificate(order["tls"])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as pem:
            pem.write(private + certificate)
            pem.flush()
            context.load_cert_chain(pem.name)
        ready["certificate"] = certificate
        secure = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=context)
        ready["https"] = server.tls_port = secure.sockets[0].getsockname()[1]
    control = await asyncio.start_server(server.control, "127.0.0.1", 0, limit=2**26)
    ready["control"] = control.sockets[0].getsockname()[1]
    print(json.dumps(ready), flush=True)  # noqa: T201 (`Site` waits for this line)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def run() -> None:
    """Run the server with the command in the first argument, which is JSON."""
    asyncio.run(main(json.loads(sys.argv[1])))


if __name__ == "__main__":
    run()
