"""The server of the soak test: `python -m tools.soak.server SEED`.

It is a forward proxy that responds for every host itself. The response to a robots.txt
request is a random policy or a failure. The server stores the policies of each host, and
checks each page request against them. It prints its port, and its counts when stdin
closes, each as a line of JSON.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter, deque
from typing import Any

FOLDERS = ("a", "b", "c")
EVERYTHING, NOTHING = frozenset(FOLDERS), frozenset[str]()
GRACE = 5.0
"""Seconds for which pages of the previous policy may still be requested."""

PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"
EMPTY = b"HTTP/1.1 %b\r\nContent-Length: 0\r\n\r\n"
CUT_OFF = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nUser-agent: *\n"

FAILURES = {
    "reset": None,
    "down": EMPTY % b"503 Down",
    "slowly": EMPTY % b"429 Slowly",
    "cut off": CUT_OFF,
}
SHARES = {
    "reset": 3,
    "down": 3,
    "slowly": 2,
    "cut off": 3,
    "moved": 3,
    "forbidden": 6,
    "absent": 10,
    "file": 70,
}
"""The number of responses of each kind in a hundred robots.txt requests."""


class PolicyServer:
    """The last policies of each host, and the requests that violated them."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 (the same responses every time)
        self.sent: dict[str, deque[tuple[float, frozenset[str]]]] = {}
        self.counts: Counter[str] = Counter()
        self.against: list[str] = []
        self.latest = 0.0

    def robots(self, host: str, target: str) -> bytes | None:
        """Return the response to a robots.txt request, or `None` for a reset."""
        self.counts["robots"] += 1
        (kind,) = self.dice.choices(list(SHARES), list(SHARES.values()))
        if kind == "moved" and target == "/robots.txt":
            place = f"http://{host}/moved.txt".encode()
            return EMPTY % b"302 Moved\r\nLocation: %b" % place
        if kind == "forbidden":
            self._send(host, NOTHING)
            return EMPTY % b"403 No"
        if kind == "absent":
            self._send(host, EVERYTHING)
            return EMPTY % b"404 No"
        if kind in FAILURES:
            self._fail(host)
            return FAILURES[kind]
        return self._file(host)

    def page(self, host: str, target: str) -> bytes | None:
        """Check a page request; return the response, or `None` for a reset."""
        self.counts["pages"] += 1
        folder, sent = target[1:2], list(self.sent.get(host, []))
        now = time.monotonic()
        if not sent or folder not in sent[-1][1]:
            was_allowed = any(folder in allowed for _, allowed in sent[:-1])
            if was_allowed and now - sent[-1][0] < GRACE:
                self.counts["previous policy"] += 1
                self.latest = max(self.latest, now - sent[-1][0])
            else:
                self.against.append(host + target)
        chance = self.dice.random()
        if chance < 0.01:
            return None
        if chance < 0.03:
            return EMPTY % b"503 Down"
        return PAGE

    def _file(self, host: str) -> bytes:
        """Return a response whose file disallows some of the folders."""
        disallowed = {folder for folder in FOLDERS if self.dice.random() < 0.5}
        self._send(host, EVERYTHING - disallowed)
        lines = "".join(f"Disallow: /{folder}\n" for folder in sorted(disallowed))
        body = f"User-agent: *\nDisallow:\n{lines}".encode()
        age = self.dice.choice((0, 1, 5, 60))
        head = b"HTTP/1.1 200 OK\r\nCache-Control: max-age=%d\r\nContent-Length: %d\r\n"
        return head % (age, len(body)) + b"\r\n" + body

    def _send(self, host: str, allowed: frozenset[str]) -> None:
        """Store a policy of *host*; it keeps the two previous ones, too."""
        policies = self.sent.setdefault(host, deque(maxlen=3))
        policies.append((time.monotonic(), allowed))

    def _fail(self, host: str) -> None:
        """Count a failure; the unknown policy of a host without a response disallows all."""
        if host not in self.sent:
            self._send(host, NOTHING)
        self.counts["failures"] += 1


class Connection(asyncio.Protocol):
    """A connection of the crawl, with one request without a body after the other."""

    server: PolicyServer

    def connection_made(self, transport: Any) -> None:
        """Store the transport."""
        self.transport, self.rest = transport, b""

    def data_received(self, data: bytes) -> None:
        """Respond to every complete request."""
        *heads, self.rest = (self.rest + data).split(b"\r\n\r\n")
        for head in heads:
            url = head.split(b" ", 2)[1].decode("latin-1")
            host, _, path = url.removeprefix("http://").partition("/")
            target = f"/{path}"
            is_page = target not in ("/robots.txt", "/moved.txt")
            respond = self.server.page if is_page else self.server.robots
            reply = respond(host, target)
            if reply is None:
                self.transport.abort()
            elif not self.transport.is_closing():
                self.transport.write(reply)
                if reply is CUT_OFF:
                    self.transport.close()


async def main(seed: int) -> None:
    """Listen until stdin closes, then print the counts."""
    server = PolicyServer(seed)
    Connection.server = server
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(Connection, "127.0.0.1", 0)
    print(listening.sockets[0].getsockname()[1], flush=True)  # noqa: T201 (its interface)
    await loop.run_in_executor(None, sys.stdin.read)
    counts = dict(server.counts) | {
        "hosts": len(server.sent),
        "latest": round(server.latest, 3),
        "against": len(server.against),
        "against_first": server.against[:5],
    }
    print(json.dumps(counts), flush=True)  # noqa: T201 (its interface)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
