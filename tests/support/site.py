"""The interface of tests to the scripted HTTP server, which runs in its own process."""

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
"""Time limit, in seconds, for the answer to a command. If the server does not answer
within this time, the test fails.
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """One request that the server received.

    `host` is the Host header with the port, or the host in the target of a request to a proxy.
    `at` is the time of the request on the machine's monotonic clock.
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
    """A scripted server on loopback, which runs as long as the `with` block.

    The server answers for any host name. Crawls resolve every name under `test` to 127.0.0.1.
    The server listens on *ports* ports of 127.0.0.1, and on *addresses* further loopback
    addresses. If *ipv6* is true, the server also listens on ::1. If *tls* is given, the server
    also listens on one HTTPS port. Without a script, the server answers /robots.txt with 404,
    and any other target with a small page.
    """

    def __init__(
        self,
        *,
        ports: int = 1,
        addresses: int = 0,
        ipv6: bool = False,
        tls: Flaw | None = None,
    ) -> None:
        """Choose the ports and addresses. The `with` block starts the server."""
        self._order = {"ports": ports, "addresses": addresses, "tls": tls, "ipv6": ipv6}

    def __enter__(self) -> Self:
        """Start the server, and wait until the server reports its ports."""
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
        """The server's certificate as PEM text, for clients that trust this certificate."""
        pem: str = self._ready["certificate"]
        return pem

    def url(self, target: str = "/", *, host: str = "127.0.0.1", port: int = 0) -> str:
        """Return the URL of a target. *port* is the index of a port of the server, counted
        from 0.
        """
        return f"http://{host}:{self._ready['http'][port]}{target}"

    def secure_url(self, target: str = "/", *, host: str = "127.0.0.1") -> str:
        """Return the HTTPS URL of a target."""
        return f"https://{host}:{self._ready['https']}{target}"

    def address_url(self, number: int, target: str = "/") -> str:
        """Return the URL of a target at the further loopback address *number*, counted from
        0.
        """
        return self.url(target, host=f"127.1.{number // 200}.{number % 200 + 1}")

    def refused_url(self, target: str = "/") -> str:
        """Return a URL with a port that refuses every connection."""
        return f"http://127.0.0.1:{self._ready['refused']}{target}"

    def answer(
        self, target: str, reply: Reply | Sequence[Reply], *, at: str = "*"
    ) -> None:
        """Script the replies for a target.

        Several replies are sent one after the other, and the last reply is repeated. *at*
        limits the script to a host name, a `host:port` or an origin. A target without a
        query matches any query. The target `*` matches every target without its own script.
        """
        several = [reply] if isinstance(reply, Reply) else list(reply)
        packed = [each.to_json() for each in several]
        self._send_order(do="answer", target=target, at=at, replies=packed)

    def robots(self, body: str | bytes, *, at: str = "*", gate: str = "") -> None:
        """Script /robots.txt as a plain text file. If *gate* is given, the reply waits for
        this gate.
        """
        self.answer("/robots.txt", replies.text(body, gate=gate), at=at)

    def open(self, gate: str) -> None:
        """Open *gate*. The server sends the replies that wait for *gate*, and later replies
        do not wait.
        """
        self._send_order(do="open", gate=gate)

    def open_when(
        self, gate: str, target: str = "*", *, count: int = 1, host: str = "*"
    ) -> None:
        """Open *gate* once *count* requests for *target* and *host* have arrived."""
        self._send_order(
            do="open-when", gate=gate, target=target, count=count, host=host
        )

    def wait(self, target: str = "*", *, count: int = 1, host: str = "*") -> None:
        """Return once *count* requests for *target* and *host* have arrived."""
        self._send_order(do="wait", target=target, count=count, host=host)

    def log(self, target: str = "*") -> list[Seen]:
        """Return the requests for *target* so far, or all requests; the oldest is first."""
        found = [
            Seen(**entry | {"headers": dict(entry["headers"])})
            for entry in self._send_order(do="log")
        ]
        return [seen for seen in found if target in ("*", seen.target)]

    def targets(self) -> list[str]:
        """Return the targets that have been requested so far, in order of arrival."""
        return [seen.target for seen in self.log()]

    def forget(self) -> None:
        """Empty the request log. Scripts and gates do not change."""
        self._send_order(do="forget")

    def _send_order(self, **order: object) -> Any:
        """Send one command to the server, and return the answer of the server."""
        address = ("127.0.0.1", self._ready["control"])
        with socket.create_connection(address, TIMEOUT_SECONDS) as call:
            call.sendall(json.dumps(order).encode() + b"\n")
            with call.makefile() as answer:
                reply = json.loads(answer.readline())
        return reply
