"""Redirect every connection to the local server; Python imports this first.

`ROBOTS1994_TEST_PORTS` is JSON: the port of the server for each requested port. It
is done at the socket, so that the project and its command stay unmodified: Twisted,
asyncio and httpx all call `connect`, however the name was resolved. Ports 80 and 443
themselves would need root, and a proxy would change what is requested.
"""

from __future__ import annotations

import json
import os
import socket
from typing import Any

HERE = "127.0.0.1"
PORTS: dict[str, int] = json.loads(os.environ.get("ROBOTS1994_TEST_PORTS", "{}"))


def _redirect_connections() -> None:
    """Resolve every name to this machine, and connect to the server."""
    real_info, real_name = socket.getaddrinfo, socket.gethostbyname
    real_connect, real_connect_ex = socket.socket.connect, socket.socket.connect_ex

    def redirected(address: Any) -> Any:
        # A string is the path of a Unix socket.
        if not isinstance(address, tuple):
            return address
        return (HERE, PORTS.get(str(address[1]), address[1]))

    def info(host: Any, *rest: Any, **options: Any) -> Any:
        return real_info(HERE if host else host, *rest, **options)

    def name(_: str) -> str:
        return real_name(HERE)

    def connect(self: Any, address: Any, /) -> None:
        real_connect(self, redirected(address))

    def connect_ex(self: Any, address: Any, /) -> int:
        return real_connect_ex(self, redirected(address))

    socket.getaddrinfo = info
    socket.gethostbyname = name
    socket.socket.connect = connect  # type: ignore[method-assign]  # the point of it
    socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]  # as above


if PORTS:
    _redirect_connections()
