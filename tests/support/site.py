"""The test's handle on a scripted HTTP server that runs in a process of its own."""

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

PATIENCE = 60.0
"""Seconds until a control call that hears nothing fails the test."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One request the server got; `at` is the machine's monotonic clock."""

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

    It answers for any host name a client asks it for (crawls resolve every name under
    `test` to it), on `ports` ports of 127.0.0.1, on `addresses` further loopback
    addresses, with `ipv6` also on ::1, and with `tls` on one HTTPS port. What is not
    scripted is 404 for /robots.txt and a small page for anything else.
    """

    def __init__(
        self,
        *,
        ports: int = 1,
        addresses: int = 0,
        ipv6: bool = False,
        tls: Flaw | None = None,
    ) -> None:
        """Say what to listen on; nothing starts before the `with`."""
        self._order = {"ports": ports, "addresses": addresses, "tls": tls, "ipv6": ipv6}

    def __enter__(self) -> Self:
        """Start the server and wait until it says its ports."""
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
            self._told = json.loads(line.readline())
        self.port: int = self._told["http"][0]
        return self

    def __exit__(self, *_: object) -> None:
        """End the server, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        os.close(self._stdin)

    @property
    def certificate(self) -> str:
        """The server's certificate as PEM text, for who wants to trust it."""
        pem: str = self._told["certificate"]
        return pem

    def url(self, target: str = "/", *, host: str = "127.0.0.1", port: int = 0) -> str:
        """The URL of a target; `port` counts the server's ports from 0."""
        return f"http://{host}:{self._told['http'][port]}{target}"

    def secure_url(self, target: str = "/", *, host: str = "127.0.0.1") -> str:
        """The HTTPS URL of a target."""
        return f"https://{host}:{self._told['https']}{target}"

    def address_url(self, number: int, target: str = "/") -> str:
        """The URL of a target at one of the further loopback addresses, from 0."""
        return self.url(target, host=f"127.1.{number // 200}.{number % 200 + 1}")

    def refused_url(self, target: str = "/") -> str:
        """A URL whose port is taken but refuses every connection."""
        return f"http://127.0.0.1:{self._told['refused']}{target}"

    def answer(
        self, target: str, reply: Reply | Sequence[Reply], *, at: str = "*"
    ) -> None:
        """Script a target; several replies go out in turn, the last one for ever.

        `at` narrows it to a host name, a `host:port` or a whole origin. A target
        without a query answers with any query; `*` is every target not scripted.
        """
        several = [reply] if isinstance(reply, Reply) else list(reply)
        packed = [each.to_json() for each in several]
        self._tell(do="answer", target=target, at=at, replies=packed)

    def robots(self, body: str | bytes, *, at: str = "*", gate: str = "") -> None:
        """Script /robots.txt as a file of plain text, held back by `gate` if named."""
        self.answer("/robots.txt", replies.text(body, gate=gate), at=at)

    def open(self, gate: str) -> None:
        """Let every reply out that waits at the gate, and those that will come."""
        self._tell(do="open", gate=gate)

    def shut(self, gate: str) -> None:
        """Hold back what comes to the gate from now on."""
        self._tell(do="shut", gate=gate)

    def open_when(
        self, gate: str, target: str = "*", *, count: int = 1, host: str = "*"
    ) -> None:
        """Open the gate by itself once so many such requests have come in."""
        self._tell(do="open-when", gate=gate, target=target, count=count, host=host)

    def wait(self, target: str = "*", *, count: int = 1, host: str = "*") -> None:
        """Return once so many such requests have come in."""
        self._tell(do="wait", target=target, count=count, host=host)

    def log(self, target: str = "*") -> list[Seen]:
        """Every request so far, oldest first, or those for one target."""
        found = [
            Seen(**entry | {"headers": dict(entry["headers"])})
            for entry in self._tell(do="log")
        ]
        return [seen for seen in found if target in ("*", seen.target)]

    def targets(self) -> list[str]:
        """The targets asked for so far, in the order they came in."""
        return [seen.target for seen in self.log()]

    def forget(self) -> None:
        """Empty the request log; scripts and gates stay."""
        self._tell(do="forget")

    def _tell(self, **order: object) -> Any:
        """Give one order and return what the server says to it."""
        address = ("127.0.0.1", self._told["control"])
        with socket.create_connection(address, PATIENCE) as call:
            call.sendall(json.dumps(order).encode() + b"\n")
            with call.makefile() as answer:
                said = json.loads(answer.readline())
        return said
