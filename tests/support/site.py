"""A scripted HTTP server on loopback. All sites of a process share an event loop in a thread."""

from __future__ import annotations

import asyncio
import atexit
import socket
import ssl
import tempfile
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from tests.support import replies
from tests.support.certificates import make_certificate
from tests.support.replies import Reply
from tests.support.server import Connections, Script, Seen

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from typing import Any

    from typing_extensions import Self

    from tests.support.certificates import Flaw

T = TypeVar("T")
TIMEOUT_SECONDS = 120.0


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="sites", daemon=True)
    thread.start()

    def end() -> None:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    atexit.register(end)
    return loop


def on_loop(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run_coroutine_threadsafe(work, _loop()).result(TIMEOUT_SECONDS)


def tls_context(pem: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(pem)
        file.flush()
        context.load_cert_chain(file.name)
    return context


class Site:
    """A server that answers for any host name until the `with` block ends.

    Crawls resolve every name under `test` to 127.0.0.1, where the server listens on *ports* ports.
    It also listens on *addresses* further loopback addresses, on ::1 if *ipv6*, and on an HTTPS
    port if *tls*. Without a script, the answer is a 404 for /robots.txt, and a small page for any
    other target.
    """

    certificate: str
    """The server's certificate as PEM text, for clients that trust it."""

    def __init__(
        self,
        *,
        ports: int = 1,
        addresses: int = 0,
        ipv6: bool = False,
        tls: Flaw | None = None,
    ) -> None:
        self._counts = ports, addresses
        self._ipv6, self._tls = ipv6, tls

    def __enter__(self) -> Self:
        self._script = Script()
        self._connections = Connections(self._script, lambda: self._secure_port)
        self._servers: list[asyncio.Server] = []
        self._refusing = socket.socket()
        self._refusing.bind(("127.0.0.1", 0))
        on_loop(self._listen())
        self.port = self._ports[0]
        return self

    async def _listen(self) -> None:
        ports, addresses = self._counts
        self._ports = [await self._serve("127.0.0.1") for _ in range(ports)]
        for number in range(addresses):
            await self._serve(_address(number), self._ports[0])
        if self._ipv6:
            await self._serve("::1", self._ports[0])
        if self._tls:
            private, self.certificate = make_certificate(self._tls)
            context = tls_context(private + self.certificate)
            self._secure_port = await self._serve("127.0.0.1", tls=context)

    async def _serve(
        self, address: str, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> int:
        serve = self._connections.serve
        server = await asyncio.start_server(serve, address, port, ssl=tls)
        self._servers.append(server)
        listening: int = server.sockets[0].getsockname()[1]
        return listening

    def __exit__(self, *_: object) -> None:
        on_loop(self._close())
        self._refusing.close()

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        tasks = list(self._script.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def url(self, target: str = "/", *, host: str = "127.0.0.1", port: int = 0) -> str:
        """*port* is the index of one of the server's ports, counted from 0."""
        return f"http://{host}:{self._ports[port]}{target}"

    def secure_url(self, target: str = "/", *, host: str = "127.0.0.1") -> str:
        return f"https://{host}:{self._secure_port}{target}"

    def address_url(self, number: int, target: str = "/") -> str:
        """Return the URL at the extra loopback address *number*, counted from 0."""
        return self.url(target, host=_address(number))

    def refused_url(self, target: str = "/") -> str:
        """Return a URL whose port refuses every connection."""
        return f"http://127.0.0.1:{self._refusing.getsockname()[1]}{target}"

    def answer(
        self, target: str, reply: Reply | Sequence[Reply], *, at: str = "*"
    ) -> None:
        """Script the reply to requests for *target*.

        If there are several replies, each is sent once, and the last one is repeated. *at* limits
        the script to a host name, a `host:port` or an origin. A target without a query matches any
        query. `*` matches every target that has no script of its own.
        """
        several = [reply] if isinstance(reply, Reply) else list(reply)
        self._script.replies[at, target] = several

    def robots(self, body: str | bytes, *, at: str = "*", gate: str = "") -> None:
        self.answer("/robots.txt", replies.text(body, gate=gate), at=at)

    def open(self, gate: str) -> None:
        """Send the replies that wait for *gate*. Later replies no longer wait."""
        _loop().call_soon_threadsafe(self._script.open, gate)

    def open_when(
        self, gate: str, target: str = "*", *, count: int = 1, host: str = "*"
    ) -> None:
        opening = self._script.open_when(gate, target, host, count)
        asyncio.run_coroutine_threadsafe(opening, _loop())

    def wait(self, target: str = "*", *, count: int = 1, host: str = "*") -> None:
        on_loop(self._script.wait(target, host, count))

    def log(self, target: str = "*") -> list[Seen]:
        return [it for it in list(self._script.log) if target in ("*", it.target)]

    def targets(self) -> list[str]:
        return [seen.target for seen in self.log()]

    def forget(self) -> None:
        self._script.log.clear()


def _address(number: int) -> str:
    return f"127.1.{number // 200}.{number % 200 + 1}"
