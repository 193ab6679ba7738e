"""Imported by Python before anything else: all the world is the local server.

`ROBOTS1994_WORLD` is JSON: the port of the server for each port that is asked for. It
is done here, at the socket, because the project and its command then stay as they are:
Twisted, asyncio and httpx all end up in `connect`, whoever resolved the name. Ports 80
and 443 themselves would need root, and a proxy would change what is requested.
"""

from __future__ import annotations

import json
import os
import socket
from typing import Any

HERE = "127.0.0.1"
PORTS: dict[str, int] = json.loads(os.environ.get("ROBOTS1994_WORLD", "{}"))


def _lead_home() -> None:
    """Let every name be this machine, and every connection end at the server."""
    real_info, real_name = socket.getaddrinfo, socket.gethostbyname
    real_connect, real_connect_ex = socket.socket.connect, socket.socket.connect_ex

    def led(address: Any) -> Any:
        # A path is that of a Unix socket: nothing of the world.
        if not isinstance(address, tuple):
            return address
        return (HERE, PORTS.get(str(address[1]), address[1]))

    def info(host: Any, *rest: Any, **options: Any) -> Any:
        return real_info(HERE if host else host, *rest, **options)

    def name(_: str) -> str:
        return real_name(HERE)

    def connect(self: Any, address: Any, /) -> None:
        real_connect(self, led(address))

    def connect_ex(self: Any, address: Any, /) -> int:
        return real_connect_ex(self, led(address))

    socket.getaddrinfo = info
    socket.gethostbyname = name
    socket.socket.connect = connect  # type: ignore[method-assign]  # the point of it
    socket.socket.connect_ex = connect_ex  # type: ignore[method-assign]  # as above


if PORTS:
    _lead_home()
