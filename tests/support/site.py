"""The test's interface to a scripted HTTP server in a process of its own."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.support import replies
from tests.support.forked import ForkedProcess
from tests.support.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from tests.support.certificates import Flaw

TIMEOUT_SECONDS = 60.0
"""Seconds after which a control call without an answer fails the test."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One request the server got.

    `host` is its Host header, with the port; `at` is the machine's monotonic clock.
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


class Site:
    """A scripted server on loopback, for as long as the `with` block lasts.

    It answers for any host name that a client requests (crawls resolve every name under
    `test` to it), on `ports` ports of 127.0.0.1, on `addresses` further loopback
    addresses, with `ipv6` also on ::1, and with `tls` on one HTTPS port. Without a script, it
    answers /robots.txt with 404, and any other target with a small page.
    """

    def __init__(
        self,
        *,
        ports: int = 1,
        addresses: int = 0,
        ipv6: bool = False,
        tls: Flaw | None = None,
    ) -> None:
        """Choose the ports and addresses. The server starts with the `with` block."""
        self._order = {"ports": ports, "addresses": addresses, "tls": tls, "ipv6": ipv6}

    def __enter__(self) -> Self:
        """Start the server and wait until it reports its ports."""
        stdin, self._stdin = os.pipe()
        ready, stdout = os.pipe()
        self._process = ForkedProcess(
            "tests.support.server:run",
            json.dumps(self._order),
            files=(stdin, stdout, 2),
        )
        os.close(stdin)
        os.close(stdout)
        with os.fdopen(ready) as line:
            self._ready = json.loads(line.readline())
        self.port: int = self._ready["http"][0]
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the server."""
        self._process.kill()
        self._process.wait()
        os.close(self._stdin)

    @property
    def certificate(self) -> str:
        """The server's certificate as PEM text, for clients that trust it."""
        pem: str = self._ready["certificate"]
        return pem

    def url(self, target: str = "/", *, host: str = "127.0.0.1", port: int = 0) -> str:
        """Return the URL of a target; `port` counts the server's ports from 0."""
        return f"http://{host}:{self._ready['http'][port]}{target}"

    def secure_url(self, target: str = "/", *, host: str = "127.0.0.1") -> str:
        """Return the HTTPS URL of a target."""
        return f"https://{host}:{self._ready['https']}{target}"

    def address_url(self, number: int, target: str = "/") -> str:
        """Return the URL of a target at one of the further loopback addresses, from 0."""
        return self.url(target, host=f"127.1.{number // 200}.{number % 200 + 1}")

    def refused_url(self, target: str = "/") -> str:
        """Return a URL with a port that refuses every connection."""
        return f"http://127.0.0.1:{self._ready['refused']}{target}"

    def answer(
        self, target: str, reply: Reply | Sequence[Reply], *, at: str = "*"
    ) -> None:
        """Script a target; several replies are sent in turn, the last one repeatedly.

        `at` limits the script to a host name, a `host:port` or a whole origin. A target without
        a query matches any query; `*` matches every target without its own script.
        """
        several = [reply] if isinstance(reply, Reply) else list(reply)
        packed = [each.to_json() for each in several]
        self._send_order(do="answer", target=target, at=at, replies=packed)

    def robots(self, body: str | bytes, *, at: str = "*", gate: str = "") -> None:
        """Script /robots.txt as a plain text file, which waits for `gate` if named."""
        self.answer("/robots.txt", replies.text(body, gate=gate), at=at)

    def open(self, gate: str) -> None:
        """Open the gate: send the replies that wait for it, and let later replies pass."""
        self._send_order(do="open", gate=gate)

    def open_when(
        self, gate: str, target: str = "*", *, count: int = 1, host: str = "*"
    ) -> None:
        """Open the gate once *count* requests for *target* and *host* have arrived."""
        self._send_order(
            do="open-when", gate=gate, target=target, count=count, host=host
        )

    def wait(self, target: str = "*", *, count: int = 1, host: str = "*") -> None:
        """Return once *count* requests for *target* and *host* have arrived."""
        self._send_order(do="wait", target=target, count=count, host=host)

    def log(self, target: str = "*") -> list[Seen]:
        """Return the requests so far, oldest first, or those for one target."""
        found = [
            Seen(**entry | {"headers": dict(entry["headers"])})
            for entry in self._send_order(do="log")
        ]
        return [seen for seen in found if target in ("*", seen.target)]

    def targets(self) -> list[str]:
        """Return the requested targets so far, in order of arrival."""
        return [seen.target for seen in self.log()]

    def forget(self) -> None:
        """Empty the request log; scripts and gates stay."""
        self._send_order(do="forget")

    def _send_order(self, **order: object) -> Any:
        """Send one order and return the server's answer."""
        address = ("127.0.0.1", self._ready["control"])
        with socket.create_connection(address, TIMEOUT_SECONDS) as call:
            call.sendall(json.dumps(order).encode() + b"\n")
            with call.makefile() as answer:
                reply = json.loads(answer.readline())
        return reply
